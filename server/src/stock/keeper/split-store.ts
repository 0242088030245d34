import type { Hex } from '../../chain/types.ts'
import { type Db, numeric, type Tx } from '../../db/pool.ts'

export interface TokenSplit {
  readonly token: Hex
  readonly ticker: string
  /** `YYYY-MM-DD`. */
  readonly exDate: string
  /** Market clock, Unix ms. */
  readonly effectiveMs: number
  /** Shares that a token stands for from then on, 18 decimals. */
  readonly sharesPerTokenWad: bigint
}

/** Records a split of a token; false when it has one on that ex-date. */
export async function insertTokenSplit(tx: Tx, chainId: number, split: TokenSplit, actor: string): Promise<boolean> {
  const inserted = await tx`
    insert into token_splits (chain_id, token, ex_date, ticker, effective_at, shares_per_token_wad, actor)
    values (${chainId}, ${split.token}, ${split.exDate}::date, ${split.ticker}, ${new Date(split.effectiveMs)},
      ${numeric(split.sharesPerTokenWad)}, ${actor})
    on conflict do nothing`
  return inserted.count > 0
}

/** Locks the splits of tokens for the transaction: meanwhile none is recorded, and no order is taken to the broker by those before. */
export async function lockSplits(tx: Tx, chainId: number, tokens: readonly Hex[]): Promise<void> {
  const keys = [...new Set(tokens)].sort().map((token) => `${chainId}:${token}`)
  await tx`select pg_advisory_xact_lock(hashtextextended(key, 0)) from unnest(${keys}::text[]) as key`
}

/** The newest split of a token, planned ones too; null when it has none. Locks the token's splits for the transaction. */
export async function newestSplit(tx: Tx, chainId: number, token: Hex): Promise<TokenSplit | null> {
  await lockSplits(tx, chainId, [token])
  const [row] = await tx<SplitRow[]>`
    select ${splitColumns(tx)} from token_splits s where s.chain_id = ${chainId} and s.token = ${token}
    order by s.effective_at desc, s.ex_date desc limit 1`
  return row ? toSplit(row) : null
}

/** Orders for a token that are at the broker, or wait to be. Locks them for the transaction: none is sent or answered meanwhile. */
export async function openOrdersOf(tx: Tx, chainId: number, token: Hex): Promise<Hex[]> {
  const rows = await tx<{ order_id: Hex }[]>`
    select k.order_id from taken_orders k
    join broker_orders b on b.chain_id = k.chain_id and b.client_order_id = k.order_id
    where k.chain_id = ${chainId} and k.token = ${token} and b.status in ('requested', 'accepted', 'partially_filled')
    order by k.order_id for update of b`
  return rows.map((row) => row.order_id)
}

/** Notes since when the venue has the chain's tokens; a market that plays splits needs no such note. */
export async function noteTokens(db: Db, chainId: number, now: Date): Promise<void> {
  await db`
    insert into keeper_tokens (chain_id, token, known_since)
    select chain_id, token, ${now} from stock_tokens where chain_id = ${chainId} and not market_plays_splits()
    on conflict do nothing`
}

/** A split that a real market's source tells of, of a token that the venue has. */
export interface AnnouncedSplit {
  readonly token: Hex
  readonly ticker: string
  /** `YYYY-MM-DD`. */
  readonly exDate: string
  readonly from8: bigint
  readonly to8: bigint
  /** Since when the venue has had the token, market clock, Unix ms. */
  readonly knownSinceMs: number
  /** When it takes effect for the token; null while it is not applied. */
  readonly effectiveMs: number | null
}

/**
 * Those of the chain's tokens with an ex-date after the venue had the token, or of the days around that. Where several of one day cancel
 * out there is nothing to apply.
 */
export async function announcedSplits(db: Db, chainId: number): Promise<AnnouncedSplit[]> {
  const rows = await db<(Omit<AnnouncedSplit, 'knownSinceMs' | 'effectiveMs'> & AnnouncedTimes)[]>`
    select t.token, t.ticker, a.ex_date::text as "exDate", a.ratio_from8 as "from8", a.ratio_to8 as "to8",
      n.known_since, s.effective_at
    from market_corporate_actions a
    join stock_tokens t on t.ticker = a.symbol
    join keeper_tokens n on n.chain_id = t.chain_id and n.token = t.token
    left join token_splits s on s.chain_id = t.chain_id and s.token = t.token and s.ex_date = a.ex_date
    where t.chain_id = ${chainId} and a.type = 'split' and a.ex_date > n.known_since::date - 2
      and a.ratio_from8 <> a.ratio_to8 and not market_plays_splits()
    order by a.ex_date, t.ticker`
  return rows.map(({ known_since, effective_at, ...split }) => ({
    ...split,
    knownSinceMs: known_since.getTime(),
    effectiveMs: effective_at?.getTime() ?? null,
  }))
}

interface AnnouncedTimes {
  readonly known_since: Date
  readonly effective_at: Date | null
}

export interface SplitStatus extends TokenSplit {
  /** `planned`, `sent` (to the chain, not final), `applied`, or `failed`: tried again a minute later. */
  readonly status: 'planned' | 'sent' | 'applied' | 'failed'
}

/** Every split of the chain's tokens, newest first. */
export async function listTokenSplits(db: Db, chainId: number): Promise<SplitStatus[]> {
  const rows = await db<(SplitRow & { state: string | null; outcome: string | null })[]>`
    select ${splitColumns(db)}, i.state, i.outcome
    from token_splits s left join lateral ${lastIntent(db)} i on true
    where s.chain_id = ${chainId} order by s.effective_at desc, s.ticker`
  return rows.map((row) => ({ ...toSplit(row), status: statusOf(row) }))
}

/** A split that is in effect and that the chain is to be told of. */
export interface DueSplit extends TokenSplit {
  /** Transactions for it that failed. */
  readonly attempts: number
}

/** The newest split in effect of each token, where no transaction for it is on its way, done, or failed within the last minute. */
export async function dueSplits(db: Db, chainId: number, now: Date): Promise<DueSplit[]> {
  const rows = await db<(SplitRow & { attempts: number })[]>`
    select ${splitColumns(db)}, coalesce(i.attempts, 0)::int as attempts
    from (
      select distinct on (token) * from token_splits where chain_id = ${chainId} and effective_at <= ${now}
      order by token, effective_at desc, ex_date desc
    ) s left join lateral ${lastIntent(db)} i on true
    where i.state is null or ${hasFailed(db)} and i.state_at < now() - interval '1 minute'`
  return rows.map((row) => ({ ...toSplit(row), attempts: row.attempts }))
}

/** The newest transaction for the split `s`. */
const lastIntent = (db: Db) => db`(
  select i.state, i.outcome, i.state_at, count(*) over () as attempts from tx_intents i
  where ${isForSplit(db)} order by i.id desc limit 1)`

/** True for transactions `i` for the split `s`. The ordering key is what an index serves; it is that of `splitKey`. */
export const isForSplit = (db: Db) => db`
  (i.chain_id = s.chain_id and i.ordering_key = 'stock.split:' || s.token
    and starts_with(i.dedupe_key, i.ordering_key || ':' || s.ex_date || ':'))`

const hasFailed = (db: Db) => db`(i.state in ('rejected', 'failed') or i.outcome = 'reverted')`

function statusOf({ state, outcome }: { state: string | null; outcome: string | null }): SplitStatus['status'] {
  if (state === null) return 'planned'
  if (state === 'rejected' || state === 'failed' || outcome === 'reverted') return 'failed'
  return outcome === 'succeeded' ? 'applied' : 'sent'
}

interface SplitRow {
  readonly token: Hex
  readonly ticker: string
  readonly ex_date: string
  readonly effective_at: Date
  readonly shares_per_token_wad: bigint
}

const splitColumns = (db: Db) => db`s.token, s.ticker, s.ex_date::text, s.effective_at, s.shares_per_token_wad`

const toSplit = (row: SplitRow): TokenSplit => ({
  token: row.token,
  ticker: row.ticker,
  exDate: row.ex_date,
  effectiveMs: row.effective_at.getTime(),
  sharesPerTokenWad: row.shares_per_token_wad,
})
