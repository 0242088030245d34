import { WAD_DECIMALS } from '../../lib/wad.ts'
import { afterSplits, type ShareChange } from '../../market/applied-splits.ts'
import type { Line } from '../../reconciliation/lines.ts'
import type { BrokerFigures } from './broker-figures.ts'
import type { ChainFigures, TokenOnChain } from './chain-figures.ts'
import type { DatabaseFigures } from './database-figures.ts'
import { type Cause, line, sum } from './lines.ts'
import type { ExecutedShares, TokenBooks } from './stock-books-store.ts'

// The rule for stocks: which figures must be equal, and what a difference between them is called.

/** A split that took effect so short a time ago may not be on its way to the chain yet. */
const SPLIT_GRACE_MS = 60_000
/** A real broker changes its positions within the ex-date, those of a stock dividend on its payable date, a weekend later at most. */
const BROKER_GRACE_MS = 3 * 86_400_000

/** What the stocks are compared at. */
export interface Moment {
  /** Market clock, Unix ms. */
  readonly marketMs: number
  /** Decimals of a share that the broker counts. */
  readonly quantityDecimals: number
}

/** Every comparison of every stock that the venue or the broker's account has. */
export function compareStocks(
  database: DatabaseFigures,
  broker: BrokerFigures,
  chain: ChainFigures,
  moment: Moment,
): Line[] {
  const ofTokens = database.tokens.flatMap((books) => {
    const onChain = chain.tokens.get(books.token)
    if (!onChain) throw new Error(`the chain was not asked about ${books.ticker}`)
    return [
      position(books.ticker, books, database, broker, moment),
      settlement(books),
      supply(books, onChain),
      custody(books, onChain),
      holdings(books),
      sharesPerToken(books, onChain, database, moment),
    ]
  })
  const tickers = new Set(database.tokens.map(({ ticker }) => ticker))
  const others = new Set([...broker.positions.keys(), ...database.executed.map(({ symbol }) => symbol)])
  const foreign = [...others].filter((symbol) => !tickers.has(symbol)).sort()
  return [...ofTokens, ...foreign.map((symbol) => position(symbol, null, database, broker, moment))]
}

const tokens = { section: 'stock', unit: 'tokens', decimals: WAD_DECIMALS } as const
const shares = { section: 'stock', unit: 'shares', decimals: WAD_DECIMALS } as const

/** The account's position is what was executed for the venue's orders; all else in it is foreign. */
function position(
  symbol: string,
  books: TokenBooks | null,
  { executed, splits, playsSplits }: DatabaseFigures,
  broker: BrokerFigures,
  { marketMs, quantityDecimals }: Moment,
): Line {
  const ofSymbol = splits.filter((split) => split.symbol === symbol)
  const done = ofSymbol.filter(({ effectiveMs }) => effectiveMs <= marketMs)
  const parts = executed.filter((part) => part.symbol === symbol)
  const bookedWad = afterSplits(parts, done)
  const fresh = broker.newExecutions.filter((execution) => execution.symbol === symbol)
  const signed = fresh.map((execution) => ({
    ...execution,
    signedWad: execution.side === 'buy' ? execution.quantityWad : -execution.quantityWad,
  }))
  const own = sum(signed.flatMap((one) => (broker.known.has(one.clientOrderId) ? [one.signedWad] : [])))
  const foreign = signed.filter(({ clientOrderId }) => !broker.known.has(clientOrderId))
  const positionWad = broker.positions.get(symbol) ?? 0n
  const unexplained = positionWad - bookedWad - own
  const roundedWad = isRounding(unexplained, done.length, quantityDecimals) ? unexplained : 0n
  const awaited = playsSplits ? [] : awaitedPositions(parts, done, marketMs)
  const isEqual = ({ heldWad, splits }: AwaitedPosition) =>
    positionWad - own === heldWad || isRounding(positionWad - own - heldWad, splits, quantityDecimals)
  const isAwaited = roundedWad === 0n && awaited.some(isEqual)
  const splitWad = isAwaited ? unexplained : 0n
  const movingWad = broker.moving.has(symbol) ? unexplained - roundedWad - splitWad : 0n
  const difference = unexplained - roundedWad - splitWad - movingWad
  const lostWad = books === null ? 0n : books.filledSharesWad - books.executedSharesWad
  return line({
    ...shares,
    subject: symbol,
    comparison: 'position',
    broker: positionWad,
    database: bookedWad,
    inFlight: [
      ['not_collected', own],
      ['split_rounding', roundedWad],
      ['split_at_broker', splitWad],
      ['moving', movingWad],
    ],
    difference,
    cause: lostWad !== 0n && difference === lostWad ? 'lost_execution' : 'foreign_position',
    details: foreign.map(({ executionId, clientOrderId }) => `execution ${executionId} of order ${clientOrderId}`),
  })
}

/** What the broker may hold before it has carried out every split, and how many it has carried out by then. */
interface AwaitedPosition {
  readonly heldWad: bigint
  readonly splits: number
}

/**
 * Positions that lack some of the splits, in every combination of those for which the broker still has time: a stock dividend may await
 * its payment for weeks while a later split is carried out.
 */
function awaitedPositions(
  parts: readonly ExecutedShares[],
  done: readonly ShareChange[],
  marketMs: number,
): readonly AwaitedPosition[] {
  const hasTime = ({ effectiveMs, payableMs }: ShareChange) =>
    marketMs - Math.max(effectiveMs, payableMs ?? 0) <= BROKER_GRACE_MS
  const pending = done.flatMap((split, nth) => (hasTime(split) ? [nth] : []))
  return combinations(pending).map((lacking) => ({
    heldWad: afterSplits(
      parts.map(({ splitsBefore, quantityWad }) => ({
        splitsBefore: splitsBefore - lacking.filter((nth) => nth < splitsBefore).length,
        quantityWad,
      })),
      done.filter((_, nth) => !lacking.includes(nth)),
    ),
    splits: done.length - lacking.length,
  }))
}

/** Every selection of one or more. */
const combinations = (numbers: readonly number[]): readonly (readonly number[])[] =>
  numbers.flatMap((one, nth) => [[one], ...combinations(numbers.slice(nth + 1)).map((others) => [one, ...others])])

/** A broker counts in coarser parts than we do, and rounds at a split: up to one of its parts each time. */
function isRounding(amountWad: bigint, splits: number, quantityDecimals: number): boolean {
  const partWad = 10n ** BigInt(WAD_DECIMALS - quantityDecimals)
  const atMostWad = BigInt(splits) * partWad
  return amountWad !== 0n && amountWad <= atMostWad && amountWad >= -atMostWad
}

/** What the broker filled of the venue's orders is settled on chain, or waits for it, or is a hedge. */
function settlement(books: TokenBooks): Line {
  const { filledWad, settledWad, unsettledWad, hedgeWad, fillsWad } = books
  const executedWad = settledWad + unsettledWad + hedgeWad
  const lostWad = filledWad - executedWad
  const unsettledFillsWad = fillsWad - settledWad
  return line({
    ...tokens,
    subject: books.ticker,
    comparison: 'settlement',
    broker: filledWad,
    database: executedWad,
    chain: fillsWad,
    inFlight: [
      ['unsettled', unsettledWad],
      ['hedge', hedgeWad],
    ],
    // One is not set off against the other.
    difference: lostWad !== 0n ? lostWad : unsettledFillsWad,
    cause: lostWad !== 0n ? 'lost_execution' : books.ordersWad === fillsWad ? 'foreign_settlement' : 'lost_fill',
  })
}

/** Tokens come and go with settlements alone: all that nobody but a settler holds were bought and not sold. */
function supply(books: TokenBooks, { supplyWad, settlersWad }: TokenOnChain): Line {
  const outstandingWad = supplyWad - settlersWad
  const difference = outstandingWad - books.fillsWad
  const isLostRow = books.fillsWad !== books.ordersWad && outstandingWad === books.ordersWad
  return line({
    ...tokens,
    subject: books.ticker,
    comparison: 'supply',
    database: books.fillsWad,
    chain: supplyWad,
    inFlight: [['settler', settlersWad]],
    difference,
    cause: isLostRow ? 'lost_fill' : difference > 0n ? 'foreign_mint' : 'foreign_burn',
  })
}

/** The exchange holds what its users have there. More is no fault: anybody may send it tokens. */
function custody({ ticker, positionsWad }: TokenBooks, { heldByStockWad }: TokenOnChain): Line {
  const surplusWad = heldByStockWad - positionsWad
  return line({
    ...tokens,
    subject: ticker,
    comparison: 'custody',
    database: positionsWad,
    chain: heldByStockWad,
    inFlight: [['surplus', surplusWad > 0n ? surplusWad : 0n]],
    difference: surplusWad < 0n ? surplusWad : 0n,
    cause: 'missing_stock',
  })
}

/** What users have at the exchange is what they bought, sold and moved. */
function holdings({ ticker, positionsWad, fillsWad, ordersWad, movedWad }: TokenBooks): Line {
  const isLostFill = fillsWad !== ordersWad && positionsWad === ordersWad + movedWad
  return line({
    ...tokens,
    subject: ticker,
    comparison: 'holdings',
    database: positionsWad,
    chain: fillsWad + movedWad,
    difference: positionsWad - fillsWad - movedWad,
    cause: isLostFill ? 'lost_fill' : 'lost_position',
  })
}

/** The chain knows what a token stands for, from soon after a split took effect. */
function sharesPerToken(
  { ticker, token }: TokenBooks,
  { sharesPerTokenWad }: TokenOnChain,
  { ratios, splitsUnderWay }: DatabaseFigures,
  { marketMs }: Moment,
): Line {
  const wantedWad = ratios.at(token, marketMs)
  const difference = sharesPerTokenWad - wantedWad
  const isFresh = ratios.at(token, marketMs - SPLIT_GRACE_MS) !== wantedWad
  const isUnderWay = isFresh || splitsUnderWay.has(token)
  const cause: Cause =
    sharesPerTokenWad === ratios.before(token, marketMs) ? 'split_not_on_chain' : 'foreign_shares_per_token'
  return line({
    ...shares,
    subject: ticker,
    comparison: 'shares_per_token',
    database: wantedWad,
    chain: sharesPerTokenWad,
    inFlight: [['split_under_way', isUnderWay ? difference : 0n]],
    difference: isUnderWay ? 0n : difference,
    cause,
  })
}
