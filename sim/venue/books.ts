import postgres from 'postgres'
import { createPublicClient, type Hex, http, parseAbiItem } from 'viem'
import { type Customer, until } from './customers.ts'
import type { RoleVenue } from './role-venue.ts'

const WAD = 10n ** 18n
const PLACED = parseAbiItem(
  'event MarketOrderPlaced(bytes32 indexed orderId, address indexed user, address indexed stockToken, int96 amount, uint256 lockedAmount, uint32 deadline, uint32 exitAt)',
)

/** An order in one of the books: who placed it, for how much, in which transaction. */
const entry = (user: string, notional: bigint, txHash: string) =>
  `${user.toLowerCase()} ${notional} ${txHash.toLowerCase()}`

/** What the customers were told of their orders. */
export function toldOrders(customers: readonly Customer[]): string[] {
  return customers
    .flatMap(({ account, orders }) =>
      orders.flatMap(({ notional, txHash }) =>
        txHash ? [entry(account.address, BigInt(notional) * WAD, txHash)] : [],
      ),
    )
    .sort()
}

/** What the chain holds. */
export async function chainOrders(venue: RoleVenue): Promise<string[]> {
  const chain = createPublicClient({ transport: http(venue.rpcUrl) })
  const logs = await chain.getLogs({
    address: venue.contracts.Stock as Hex,
    event: PLACED,
    fromBlock: 0n,
    strict: true,
  })
  return logs.map(({ args, transactionHash }) => entry(args.user, args.amount, transactionHash)).sort()
}

/** What the venue's database holds. */
export async function storedOrders(venue: RoleVenue): Promise<string[]> {
  const sql = postgres(venue.databaseUrl, { max: 1, onnotice: () => {} })
  try {
    const rows = await sql<{ user: string; amount: string; hash: string }[]>`
      select user_address as user, amount_wad::text as amount, create_tx_hash as hash from stock_orders`
    return rows.map(({ user, amount, hash }) => entry(user, BigInt(amount), hash)).sort()
  } finally {
    await sql.end()
  }
}

/**
 * Waits until the keeper has read broker, database and chain once more and found no difference. The simulated broker lives in
 * the database: one that was restored has forgotten what it executed since the copy, which the chain has settled. That
 * difference, `foreign_settlement`, is right then.
 */
export const untilReconciled = (venue: RoleVenue, since: Date, isRestored: boolean): Promise<unknown> =>
  until(
    'what differs',
    async () => {
      const sql = postgres(venue.databaseUrl, { max: 1, onnotice: () => {} })
      const lines = await sql<{ what: string; cause: string | null }[]>`
        select l.subject || ' ' || l.comparison || ' ' || l.difference as what, l.cause
        from reconciliation_lines l
        join (select chain_id, max(reading_id) as reading_id from reconciliation_readings
              where product = 'stock' and read_at > ${since} group by chain_id) r using (chain_id, reading_id)`
      await sql.end()
      const unexplained = lines.filter(({ cause }) => cause && !(isRestored && cause === 'foreign_settlement'))
      return lines.length === 0 ? ['no reading since the end of the faults'] : unexplained.map(({ what }) => what)
    },
    async (differences) => differences.length === 0,
  )
