import type { Db } from '../../db/pool.ts'
import { divideUp, mulWadDown, WAD, WAD_DECIMALS } from '../../lib/wad.ts'
import type { UnitStep } from '../../market/adjustment.ts'
import type { Side } from '../../market/ports.ts'
import type { LatestQuote } from '../../market/store.ts'
import { PRICE_DECIMALS } from '../units.ts'

// The one place where tokens become shares and shares tokens: the chain and the API count tokens
// and prices of a token, the market and the broker shares and prices of a share. A split moves what a token stands for.

const PRICE_TO_WAD = 10n ** BigInt(WAD_DECIMALS - PRICE_DECIMALS)

/** Shares represented by an amount of tokens, both with 18 decimals, rounded down. */
export const sharesOf = (tokensWad: bigint, sharesPerTokenWad: bigint): bigint =>
  mulWadDown(tokensWad, sharesPerTokenWad)

/** SQL for the tokens that represent an amount of shares, both with 18 decimals, rounded down. */
export const tokensOf = (db: Db, shares: ReturnType<Db>, sharesPerToken: ReturnType<Db>) => db`
  div((${shares}) * 1000000000000000000, ${sharesPerToken})`

/** The price of a token, 18 decimals, at the price of a share, 8 decimals; rounded down, so that a fill fits its order. */
export const tokenPriceWad = (sharePrice8: bigint, sharesPerTokenWad: bigint): bigint =>
  mulWadDown(sharePrice8 * PRICE_TO_WAD, sharesPerTokenWad)

/** The same with 8 decimals, as oracle and API have it. */
export const tokenPrice8 = (sharePrice8: bigint, sharesPerTokenWad: bigint): bigint =>
  mulWadDown(sharePrice8, sharesPerTokenWad)

/** The limit of a share, 8 decimals, for that of a token, 18 decimals: rounded so that every fill within it keeps the token's. */
export function shareLimit8(tokenPriceLimitWad: bigint, sharesPerTokenWad: bigint, side: Side): bigint {
  const [numerator, denominator] = [tokenPriceLimitWad * WAD, sharesPerTokenWad * PRICE_TO_WAD]
  return side === 'buy' ? numerator / denominator : divideUp(numerator, denominator)
}

/** The quote of a token at the quote of a share; volumes are in tokens then. An ask that is copied into a limit still fills. */
export const tokenQuote = (quote: LatestQuote, sharesPerTokenWad: bigint): LatestQuote =>
  inOtherUnits(quote, sharesPerTokenWad, WAD)

/**
 * A quote of a share, made when a token stood for `thenWad` shares, in the shares that it stands for `nowWad` of: between a split and the
 * first quote after it the market's last word is of shares that are no more.
 */
export const presentQuote = (quote: LatestQuote, thenWad: bigint, nowWad: bigint): LatestQuote =>
  inOtherUnits(quote, thenWad, nowWad)

/** A unit that is worth `numerator / denominator` of the quote's: prices down, the ask up. */
function inOtherUnits(quote: LatestQuote, numerator: bigint, denominator: bigint): LatestQuote {
  if (numerator === denominator) return quote
  const price = (price8: bigint) => (price8 * numerator) / denominator
  const priceOrNull = (price8: bigint | null) => (price8 === null ? null : price(price8))
  return {
    ...quote,
    price8: price(quote.price8),
    bid8: price(quote.bid8),
    ask8: divideUp(quote.ask8 * numerator, denominator),
    open8: price(quote.open8),
    high8: price(quote.high8),
    low8: price(quote.low8),
    previousClose8: priceOrNull(quote.previousClose8),
    change24h8: priceOrNull(quote.change24h8),
    volume24hWad: (quote.volume24hWad * denominator) / numerator,
  }
}

interface Step {
  readonly token: string
  readonly effectiveMs: number
  /** From when on the market quotes shares of after the step: a real one's from the ex-date on, however late the split is applied. */
  readonly quotedFromMs: number
  readonly sharesPerTokenWad: bigint
  /** The keeper has had it take effect: by its clock that instant has come. */
  readonly isTold: boolean
}

/** What each token stands for at any time: one share until its first split takes effect. */
export class ShareRatios {
  readonly #newestFirst: readonly Step[]

  constructor(steps: readonly Step[]) {
    this.#newestFirst = steps.toSorted((a, b) => b.effectiveMs - a.effectiveMs)
  }

  /**
   * An instant, Unix ms, that has come whatever another clock says: the newest step that the keeper has had take effect. Whoever reads that
   * a quote was renewed for a step, and then these, finds it here.
   */
  get reachedMs(): number {
    return this.#newestFirst.find(({ isTold }) => isTold)?.effectiveMs ?? 0
  }

  /** Shares of one token at an instant (market clock, Unix ms), 18 decimals. */
  at(token: string, timeMs: number): bigint {
    return this.#newest(token, ({ effectiveMs }) => effectiveMs <= timeMs)
  }

  /** Shares of one token that a quote, made at an instant, is a price of: the one way from a quote to the price of a token. */
  ofQuote(token: string, sourceTimeMs: number): bigint {
    return this.#newest(token, ({ quotedFromMs }) => quotedFromMs <= sourceTimeMs)
  }

  /** By the newest step that has begun; one share before the first. */
  #newest(token: string, hasBegun: (step: Step) => boolean): bigint {
    return this.#newestFirst.find((one) => one.token === token && hasBegun(one))?.sharesPerTokenWad ?? WAD
  }

  /**
   * What the market's bars are to be multiplied by for the token's since each change until an instant, newest first; none while it stands
   * for one share.
   */
  steps(token: string, timeMs: number): readonly UnitStep[] {
    return this.#newestFirst
      .filter((one) => one.token === token && one.effectiveMs <= timeMs)
      .map(({ quotedFromMs, sharesPerTokenWad }) => ({
        fromMs: quotedFromMs,
        shares: { numerator: sharesPerTokenWad, denominator: WAD },
      }))
  }

  /** What it stood for before the last change until an instant; one share where there was none. */
  before(token: string, timeMs: number): bigint {
    const [, earlier] = this.#newestFirst.filter((one) => one.token === token && one.effectiveMs <= timeMs)
    return earlier?.sharesPerTokenWad ?? WAD
  }

  /** Whether the token stands for the same by `other`, at an instant (Unix ms) and after the next change. */
  isSameFrom(other: ShareRatios, token: string, timeMs: number): boolean {
    return (
      this.at(token, timeMs) === other.at(token, timeMs) &&
      this.nextChangeMs(token, timeMs) === other.nextChangeMs(token, timeMs)
    )
  }

  /** When what the token stands for changes next, after an instant; null when nothing is planned. */
  nextChangeMs(token: string, timeMs: number): number | null {
    return this.#newestFirst.findLast((one) => one.token === token && one.effectiveMs > timeMs)?.effectiveMs ?? null
  }
}

/** The chain's tokens and what they stand for. */
export async function readShareRatios(db: Db, chainId: number): Promise<ShareRatios> {
  const rows = await db<StepRow[]>`
    select s.token, s.effective_at, s.shares_per_token_wad,
      coalesce(market_shares_changed_at(a), s.effective_at) as quoted_from,
      -- Its first transaction, which the keeper stores as it renews the quote.
      exists (
        select from tx_intents i
        where i.chain_id = s.chain_id and i.dedupe_key = 'stock.split:' || s.token || ':' || s.ex_date || ':0') as is_told
    from token_splits s
    left join market_corporate_actions a on a.symbol = s.ticker and a.type = 'split' and a.ex_date = s.ex_date
    where s.chain_id = ${chainId} order by s.effective_at, s.ex_date`
  return new ShareRatios(
    rows.map(({ token, effective_at, quoted_from, shares_per_token_wad, is_told }) => ({
      token,
      sharesPerTokenWad: shares_per_token_wad,
      effectiveMs: effective_at.getTime(),
      quotedFromMs: quoted_from.getTime(),
      isTold: is_told,
    })),
  )
}

interface StepRow {
  readonly token: string
  readonly effective_at: Date
  readonly quoted_from: Date
  readonly shares_per_token_wad: bigint
  readonly is_told: boolean
}
