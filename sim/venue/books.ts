import { createPublicClient, formatUnits, type Hex, http, parseAbiItem } from 'viem'
import { instrumentAbi } from '../../server/src/chain/abi/instrument.ts'
import { within } from '../../server/src/db/testing-template.ts'
import { until } from './patience.ts'
import type { Placed } from './placed.ts'
import type { RoleVenue } from './role-venue.ts'

const WAD_DECIMALS = 18
const PLACED = parseAbiItem(
  'event MarketOrderPlaced(bytes32 indexed orderId, address indexed user, address indexed stockToken, int96 amount, uint256 lockedAmount, uint32 deadline, uint32 exitAt)',
)
const TRADED = instrumentAbi.find((item) => item.type === 'event' && item.name === 'Trade') as Extract<
  (typeof instrumentAbi)[number],
  { readonly type: 'event'; readonly name: 'Trade' }
>

/** Orders of stocks, or trades of perpetuals, as three sides have them: who, how much, in which transaction. */
export interface Books {
  /** What the customers were told. */
  readonly told: readonly string[]
  /** What the chain holds. */
  readonly chain: readonly string[]
  /** What the venue's database holds. */
  readonly stored: readonly string[]
}

const entry = (user: string, amountWad: bigint, txHash: string) =>
  `${user.toLowerCase()} ${formatUnits(amountWad, WAD_DECIMALS)} ${txHash.toLowerCase()}`

interface Told {
  readonly address: Hex
  readonly placed: readonly Placed[]
}

const toldOf = (customers: readonly Told[]): string[] =>
  customers
    .flatMap(({ address, placed }) =>
      placed.flatMap(({ amount, txHash }) =>
        txHash ? [`${address.toLowerCase()} ${amount} ${txHash.toLowerCase()}`] : [],
      ),
    )
    .sort()

const chainOf = (venue: RoleVenue) => createPublicClient({ transport: http(venue.rpcUrl) })

/** The books of orders. */
export async function stockBooks(venue: RoleVenue, customers: readonly Told[]): Promise<Books> {
  const address = venue.contracts.Stock as Hex
  const logs = await chainOf(venue).getLogs({ address, event: PLACED, fromBlock: 0n, strict: true })
  const rows = await readRows(
    venue,
    'select user_address as user, amount_wad::text as amount, create_tx_hash as hash from stock_orders',
  )
  return {
    told: toldOf(customers),
    chain: logs.map(({ args, transactionHash }) => entry(args.user, args.amount, transactionHash)).sort(),
    stored: rows,
  }
}

/** The books of the trades that customers made. */
export async function perpBooks(venue: RoleVenue, customers: readonly Told[]): Promise<Books> {
  const logs = await chainOf(venue).getLogs({ event: TRADED, fromBlock: 0n, strict: true })
  const rows = await readRows(
    venue,
    `select trader as user, size_wad::text as amount, tx_hash as hash from perp_executions where event = 'Trade'`,
  )
  return {
    told: toldOf(customers),
    chain: logs.map(({ args, transactionHash }) => entry(args.trader, args.size, transactionHash)).sort(),
    stored: rows,
  }
}

async function readRows(venue: RoleVenue, query: string): Promise<string[]> {
  const rows = await within(venue.databaseUrl, (sql) =>
    sql.unsafe<{ user: string; amount: string; hash: string }[]>(query),
  )
  return rows.map(({ user, amount, hash }) => entry(user, BigInt(amount), hash)).sort()
}

/**
 * Waits until the keeper has read all sides of a product once more and found no difference. The simulated broker of stocks lives in
 * the database: one that was restored has forgotten what it executed since the copy, which the chain has settled. That
 * difference, `foreign_settlement`, is right then.
 */
export const untilReconciled = (
  venue: RoleVenue,
  product: 'stock' | 'perp',
  since: Date,
  isRestored: boolean,
): Promise<unknown> =>
  within(venue.databaseUrl, (sql) =>
    until(
      'what differs',
      async () => {
        const lines = await sql<{ what: string; cause: string | null }[]>`
          select l.subject || ' ' || l.comparison || ' ' || l.difference as what, l.cause
          from reconciliation_lines l
          join (select chain_id, max(reading_id) as reading_id from reconciliation_readings
                where product = ${product} and read_at > ${since} group by chain_id) r using (chain_id, reading_id)`
        const unexplained = lines.filter(({ cause }) => cause && !(isRestored && cause === 'foreign_settlement'))
        return lines.length === 0 ? ['no reading since the end of the faults'] : unexplained.map(({ what }) => what)
      },
      async (differences) => differences.length === 0,
    ),
  )
