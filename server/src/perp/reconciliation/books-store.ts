import { type BlockRef, loadIndexedTip } from '../../chain/follow/store.ts'
import type { Hex } from '../../chain/types.ts'
import type { Tx } from '../../db/pool.ts'
import type { Turn } from '../../reconciliation/turn.ts'

/** Accounts of pairs that a reading looks at; the next one goes on with the next. */
export const ACCOUNTS = 60

/** An account in a pair. */
export interface AccountKey {
  readonly trader: Hex
  readonly instrument: Hex
  readonly expiry: bigint
}

/** Before the first of all. */
const NO_ACCOUNT: AccountKey = { trader: '0x', instrument: '0x', expiry: 0n }

export const nameOf = ({ trader, instrument, expiry }: AccountKey): string => `${trader} in ${instrument} ${expiry}`

/** The contract's `Position` by the names of its fields. */
export interface PositionBooks extends AccountKey {
  readonly balance: bigint
  readonly size: bigint
  readonly entryNotional: bigint
  readonly entrySocialLossIndex: bigint
  readonly entryFundingIndex: bigint
}

export interface OrderBooks extends AccountKey {
  readonly oid: bigint
  readonly balance: bigint
  readonly size: bigint
}

export interface RangeBooks extends AccountKey {
  readonly tickLower: number
  readonly tickUpper: number
  readonly liquidity: bigint
  readonly entryFeeIndex: bigint
  readonly balance: bigint
  readonly sqrtEntryPX96: bigint
}

/** The contract's `Amm`, as far as events tell it, and the liquidity of the ranges that are recorded. */
export interface PairBooks {
  readonly instrument: Hex
  readonly expiry: bigint
  readonly status: bigint
  readonly sqrtPX96: bigint
  readonly feeIndex: bigint
  readonly protocolFee: bigint
  readonly longSocialLossIndex: bigint
  readonly shortSocialLossIndex: bigint
  readonly longFundingIndex: bigint
  readonly shortFundingIndex: bigint
  readonly insuranceFund: bigint
  readonly totalLiquidity: bigint
}

/** What the database has, all of one snapshot, as of `block`. */
export interface Books {
  readonly block: BlockRef
  readonly pairs: readonly PairBooks[]
  /** Accounts whose turn it is. */
  readonly part: readonly AccountKey[]
  /** Those, and the ones that differed in the last reading. */
  readonly accounts: readonly AccountKey[]
  readonly positions: readonly PositionBooks[]
  readonly orders: readonly OrderBooks[]
  readonly ranges: readonly RangeBooks[]
}

/** Reads in a transaction that sees one snapshot; null before the first block is indexed. */
export async function readBooks(tx: Tx, chainId: number, { after, again }: Turn<AccountKey>): Promise<Books | null> {
  const block = await loadIndexedTip(tx, chainId)
  if (block === null) return null
  const part = await accountsAfter(tx, chainId, after ?? NO_ACCOUNT)
  const accounts = [...new Map([...part, ...again].map((account) => [nameOf(account), account])).values()]
  const rows = await Promise.all([
    listPairs(tx, chainId),
    listPositions(tx, chainId, accounts),
    listOpenOrders(tx, chainId, accounts),
    listRanges(tx, chainId, accounts),
  ])
  const [pairs, positions, orders, ranges] = rows
  return { block, pairs, part, accounts, positions, orders, ranges }
}

function accountsAfter(tx: Tx, chainId: number, after: AccountKey): Promise<readonly AccountKey[]> {
  const next = (rows: ReturnType<typeof tx>) => tx`
    (select distinct trader, instrument, expiry from ${rows}
     and (trader, instrument, expiry) > (${after.trader}, ${after.instrument}, ${after.expiry})
     order by trader, instrument, expiry limit ${ACCOUNTS})`
  return tx<AccountKey[]>`
    select trader, instrument, expiry from (
      ${next(tx`perp_positions where chain_id = ${chainId}`)} union
      ${next(tx`perp_orders where chain_id = ${chainId} and status = 'open'`)} union
      ${next(tx`perp_ranges where chain_id = ${chainId}`)}
    ) accounts
    order by trader, instrument, expiry limit ${ACCOUNTS}`
}

const listPairs = (tx: Tx, chainId: number): Promise<PairBooks[]> => tx<PairBooks[]>`
  select instrument, expiry, status::bigint as status, sqrt_px96 as "sqrtPX96", fee_index as "feeIndex",
    protocol_fee_wad as "protocolFee", long_social_loss_index as "longSocialLossIndex",
    short_social_loss_index as "shortSocialLossIndex", long_funding_index as "longFundingIndex",
    short_funding_index as "shortFundingIndex", insurance_fund_wad as "insuranceFund",
    coalesce((select sum(liquidity) from perp_ranges r
              where (r.chain_id, r.instrument, r.expiry) = (p.chain_id, p.instrument, p.expiry)), 0) as "totalLiquidity"
  from perp_pairs p where chain_id = ${chainId} order by instrument, expiry`

/** The condition for rows of these accounts. */
const ofAccounts = (tx: Tx, chainId: number, accounts: readonly AccountKey[]) => tx`
  chain_id = ${chainId} and (trader, instrument, expiry) in (
    select * from unnest(${accounts.map(({ trader }) => trader)}::text[], ${accounts.map(({ instrument }) => instrument)}::text[],
                         ${accounts.map(({ expiry }) => String(expiry))}::text[]::bigint[]))`

const listPositions = (tx: Tx, chainId: number, accounts: readonly AccountKey[]): Promise<PositionBooks[]> =>
  tx<PositionBooks[]>`
  select trader, instrument, expiry, balance_wad as balance, size_wad as size, entry_notional_wad as "entryNotional",
    entry_social_loss_index as "entrySocialLossIndex", entry_funding_index as "entryFundingIndex"
  from perp_positions where ${ofAccounts(tx, chainId, accounts)}`

const listOpenOrders = (tx: Tx, chainId: number, accounts: readonly AccountKey[]): Promise<OrderBooks[]> =>
  tx<OrderBooks[]>`
  select trader, instrument, expiry, oid, balance_wad as balance, size_wad as size
  from perp_orders where ${ofAccounts(tx, chainId, accounts)} and status = 'open'`

const listRanges = (tx: Tx, chainId: number, accounts: readonly AccountKey[]): Promise<RangeBooks[]> =>
  tx<RangeBooks[]>`
  select trader, instrument, expiry, tick_lower as "tickLower", tick_upper as "tickUpper", liquidity,
    entry_fee_index as "entryFeeIndex", balance_wad as balance, sqrt_entry_px96 as "sqrtEntryPX96"
  from perp_ranges where ${ofAccounts(tx, chainId, accounts)}`
