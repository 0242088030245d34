import type { Abi } from 'viem'
import { stockTokenAbi } from '../../chain/abi/stock-token.ts'
import { readContracts } from '../../chain/read.ts'
import type { Hex } from '../../chain/types.ts'
import { type Db, numeric } from '../../db/pool.ts'
import type { Venue } from '../../http/product.ts'
import { listStockTokens } from '../store.ts'
import { sameTerms, signerOf } from './keeper-store.ts'
import type { SettlementMemory } from './settlement-failures.ts'
import { insertSettleIntent, SETTLE } from './settlement-intent.ts'
import { tokensOf } from './shares.ts'

const INTERVAL_MS = 10_000
const READS = ['totalSupply', 'balanceOf', 'sharesPerToken'] as const

/**
 * Reads, now and then, how many tokens there are and how many of them the settler holds, for the comparison with the
 * broker's position. What the settler holds of a token for which nothing is under way a failed batch has left: it is burned.
 */
export async function watchSupplies(
  venue: Venue,
  memory: SettlementMemory,
  tokensUnderWay: ReadonlySet<Hex>,
): Promise<void> {
  const { sql, deployment, clock, rpc } = venue
  const { chainId } = deployment
  if (clock.nowMs() < memory.supplyDueMs) return
  const settler = await signerOf(sql, chainId, SETTLE)
  const tokens = await listStockTokens(sql, chainId)
  if (settler === null || tokens.length === 0) return
  const reads = tokens.flatMap(({ token }) =>
    READS.map((functionName) => ({
      ...{ address: token, abi: stockTokenAbi as Abi, functionName },
      args: functionName === 'balanceOf' ? [settler] : [],
    })),
  )
  const { blockNumber, results } = await readContracts(rpc, reads)
  const positions = await readPositions(sql, chainId)
  for (const [index, { token }] of tokens.entries()) {
    const [supplyWad, settlerWad, sharesPerTokenWad] = results.slice(index * READS.length) as [bigint, bigint, bigint]
    const position = positions.get(token) ?? { brokerWad: 0n, openWad: 0n }
    await writeSupply(sql, chainId, { token, supplyWad, settlerWad, sharesPerTokenWad, blockNumber, ...position })
    if (settlerWad > 0n && !tokensUnderWay.has(token)) {
      await insertSettleIntent(sql, venue, token, token, stockTokenAbi, 'burn', [settlerWad])
    }
  }
  memory.supplyDueMs = clock.nowMs() + INTERVAL_MS
}

interface Position {
  /** Tokens bought less sold at the broker. */
  readonly brokerWad: bigint
  /** Of them what the chain does not show as settled. */
  readonly openWad: bigint
}

/** What the broker has executed for each token, and what of it is not settled; hedges of the venue never are. */
async function readPositions(db: Db, chainId: number): Promise<ReadonlyMap<Hex, Position>> {
  const executed = tokensOf(db, db`b.filled_quantity_wad`, db`k.shares_per_token_wad`)
  const rows = await db<(Position & { token: Hex })[]>`
    with orders as (
      select k.token, case k.side when 'Buy' then 1 else -1 end as sign, ${executed} as executed,
        case when ${sameTerms(db)} then o.filled_quantity_wad else 0 end as settled
      from taken_orders k
      join broker_orders b on b.chain_id = k.chain_id and b.client_order_id = k.order_id
      left join stock_orders o on o.chain_id = k.chain_id and o.order_id = k.order_id
      where k.chain_id = ${chainId} and b.filled_quantity_wad > 0
    )
    select token, sum(sign * executed) as "brokerWad", sum(sign * (executed - settled)) as "openWad"
    from orders group by token`
  return new Map(rows.map(({ token, ...position }) => [token, position]))
}

interface SupplyReading extends Position {
  readonly token: Hex
  readonly supplyWad: bigint
  readonly settlerWad: bigint
  readonly sharesPerTokenWad: bigint
  readonly blockNumber: bigint
}

async function writeSupply(db: Db, chainId: number, reading: SupplyReading): Promise<void> {
  await db`
    insert into token_supply
      (chain_id, token, supply_wad, settler_wad, broker_wad, open_wad, shares_per_token_wad, block_number, read_at)
    values (${chainId}, ${reading.token}, ${numeric(reading.supplyWad)}, ${numeric(reading.settlerWad)},
      ${numeric(reading.brokerWad)}, ${numeric(reading.openWad)}, ${numeric(reading.sharesPerTokenWad)},
      ${reading.blockNumber.toString()}::bigint, now())
    on conflict (chain_id, token) do update set supply_wad = excluded.supply_wad, settler_wad = excluded.settler_wad,
      broker_wad = excluded.broker_wad, open_wad = excluded.open_wad,
      shares_per_token_wad = excluded.shares_per_token_wad, block_number = excluded.block_number, read_at = excluded.read_at`
}

/** One token's supply beside what the broker holds for it; tokens, 18 decimals. */
export interface SupplyComparison extends Position {
  readonly ticker: string
  readonly token: Hex
  /** Tokens in the hands of users and contracts: all but those of the settler. */
  readonly outstandingWad: bigint
  /** outstanding + open − broker: 0 when nothing is under way and no token came into the world otherwise. */
  readonly differenceWad: bigint
  /** Shares that a token stands for, as the chain has it. */
  readonly sharesPerTokenWad: bigint
  readonly readAt: Date
}

/** Each token's supply beside the broker's position, as the keeper last read them. */
export async function compareSupplies(db: Db, chainId: number): Promise<SupplyComparison[]> {
  return await db<SupplyComparison[]>`
    select t.ticker, t.token, s.supply_wad - s.settler_wad as "outstandingWad", s.broker_wad as "brokerWad",
      s.open_wad as "openWad", s.supply_wad - s.settler_wad + s.open_wad - s.broker_wad as "differenceWad",
      s.shares_per_token_wad as "sharesPerTokenWad", s.read_at as "readAt"
    from token_supply s join stock_tokens t using (chain_id, token)
    where s.chain_id = ${chainId} order by t.ticker`
}
