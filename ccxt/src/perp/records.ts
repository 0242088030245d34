import type { Market, Raw, Venue } from '../venue.ts'
import { marketOf } from './market-data.ts'
import { size, wad } from './units.ts'

// What the venue keeps of a wallet, as ccxt has it.

const SIDES: Readonly<Record<string, string>> = { '1': 'sell', '2': 'buy', short: 'sell', long: 'buy' }

/** Of an order that stands; one that was taken whole waits to be made a position, and takes no part any more. */
const OPEN: Readonly<Record<string, string>> = { open: 'open', partial_filled: 'open', filled: 'closed' }
/** Of an order that has ended: what was cancelled after a part was taken is `partial_filled`. */
const ENDED: Readonly<Record<string, string>> = {
  filled: 'closed',
  partial_filled: 'canceled',
  cancelled: 'canceled',
  canceled: 'canceled',
}
/** The kinds of executions in which the wallet took, or made, a price. */
const TAKER_OR_MAKER: Readonly<Record<string, string>> = { market: 'taker', fill: 'maker' }

/**
 * An order of `order/realtime`, `order/byId` or the stream. One that is partly taken has one status while it rests and after its
 * cancel: `isOpen` says which it is.
 */
export function order(venue: Venue, raw: Raw, isOpen: boolean, market: Market = marketOf(venue, raw)) {
  const updated = venue.safeTimestamp(raw, 'lastUpdateTime')
  const status = (isOpen ? OPEN : ENDED)[String(raw.status)]
  const stands = raw.status === 'open' || isOpen
  return venue.safeOrder(
    {
      id: venue.safeString(raw, 'orderId'),
      clientOrderId: undefined,
      timestamp: stands ? updated : undefined,
      datetime: stands ? venue.iso8601(updated) : undefined,
      lastUpdateTimestamp: updated,
      symbol: market.symbol,
      type: 'limit',
      timeInForce: 'GTC',
      side: SIDES[String(raw.side)],
      price: wad(venue, raw, 'limitPrice'),
      amount: size(venue, raw, 'size'),
      filled: size(venue, raw, 'taken'),
      average: venue.safeString(raw, 'taken', '0') === '0' ? undefined : wad(venue, raw, 'limitPrice'),
      status: raw.status === 'open' ? 'open' : status,
      fee: undefined,
      trades: [],
      info: raw,
    } as never,
    market,
  )
}

/** ccxt's status of a row of `order/history`. */
export const endStatus = ({ typeString }: Raw): string | undefined => ENDED[String(typeString)]

/** A row of `order/history`. */
export function endedOrder(venue: Venue, raw: Raw, market: Market = marketOf(venue, raw)) {
  const timestamp = venue.safeTimestamp(raw, 'placeTimestamp')
  const ended = Math.max(
    venue.safeTimestamp(raw, 'cancelTimestamp') ?? 0,
    venue.safeTimestamp(raw, 'fillTimestamp') ?? 0,
  )
  return venue.safeOrder(
    {
      id: venue.safeString(raw, 'id'),
      clientOrderId: undefined,
      timestamp,
      datetime: venue.iso8601(timestamp),
      lastUpdateTimestamp: ended,
      symbol: market.symbol,
      type: 'limit',
      timeInForce: 'GTC',
      side: SIDES[String(raw.side)],
      price: wad(venue, raw, 'orderPrice'),
      amount: size(venue, raw, 'size'),
      filled: size(venue, raw, 'takenSize'),
      cost: wad(venue, raw, 'tradeValue'),
      status: endStatus(raw),
      fee: {
        currency: market.quote,
        cost: venue.parseNumber(venue.ccxt.Precise.stringNeg(wad(venue, raw, 'feeRebate'))),
      },
      trades: [],
      info: raw,
    } as never,
    market,
  )
}

/** A market order is known by its execution: it is filled whole or not at all, and its id is its transaction's hash. */
export function marketOrder(venue: Venue, raw: Raw, market: Market = marketOf(venue, raw)) {
  const trade = parseTrade(venue, raw, market)
  const { timestamp, datetime, symbol, side, fee } = trade
  return venue.safeOrder(
    {
      id: venue.safeString(raw, 'txHash'),
      clientOrderId: undefined,
      timestamp,
      datetime,
      lastTradeTimestamp: timestamp,
      lastUpdateTimestamp: timestamp,
      symbol,
      type: 'market',
      timeInForce: 'FOK',
      side,
      price: undefined,
      amount: size(venue, raw, 'size'),
      filled: size(venue, raw, 'size'),
      remaining: '0',
      cost: wad(venue, raw, 'balance'),
      average: wad(venue, raw, 'price'),
      status: 'closed',
      fee: { currency: fee?.currency, cost: venue.parseNumber(feeOf(venue, raw)) },
      trades: [trade],
      info: raw,
    } as never,
    market,
  )
}

const feeOf = (venue: Venue, raw: Raw) =>
  venue.ccxt.Precise.stringAdd(wad(venue, raw, 'tradeFee'), wad(venue, raw, 'protocolFee'))

/**
 * A row of `execution/list`, or a trade of the public stream, which has no kind. All that changed the wallet's size is a trade of it,
 * forced closes and settlements too: who adds up the amounts has the position.
 */
export function parseTrade(venue: Venue, raw: Raw, market: Market = marketOf(venue, raw)) {
  const timestamp = venue.safeTimestamp(raw, 'timestamp')
  const isMarket = raw.typeString === 'market'
  return venue.safeTrade(
    {
      id: venue.safeString(raw, 'id'),
      order: isMarket ? venue.safeString(raw, 'txHash') : undefined,
      timestamp,
      datetime: venue.iso8601(timestamp),
      symbol: market.symbol,
      type: venue.safeStringLower(raw, 'type'),
      side: SIDES[String(raw.side)],
      takerOrMaker: TAKER_OR_MAKER[String(raw.typeString)],
      price: wad(venue, raw, 'price'),
      amount: size(venue, raw, 'size'),
      cost: wad(venue, raw, 'balance'),
      fee: { currency: market.quote, cost: feeOf(venue, raw) },
      info: raw,
    } as never,
    market,
  )
}

/** A position; what follows from the market's price is missing while that price is refused, and in the stream. */
export function parsePosition(venue: Venue, raw: Raw, market: Market = marketOf(venue, raw)) {
  const timestamp = venue.safeTimestamp(raw, 'lastUpdateTime')
  const { Precise } = venue.ccxt
  const contracts = size(venue, raw, 'size')
  const markPrice = wad(venue, raw, 'markPrice')
  const notional = markPrice === undefined ? undefined : Precise.stringMul(contracts, markPrice)
  const equity = wad(venue, raw, 'equity')
  const maintenance = wad(venue, raw, 'maintenanceMargin')
  const number = (text: string | undefined) => venue.parseNumber(text)
  return venue.safePosition({
    info: raw,
    id: undefined,
    symbol: market.symbol,
    timestamp,
    datetime: venue.iso8601(timestamp),
    lastUpdateTimestamp: timestamp,
    hedged: false,
    side: SIDES[String(raw.side)] === 'buy' ? 'long' : 'short',
    contracts: number(contracts),
    contractSize: number('1'),
    entryPrice: number(wad(venue, raw, 'entryPrice')),
    markPrice: number(markPrice),
    notional: number(notional),
    leverage: number(wad(venue, raw, 'leverage')),
    collateral: number(equity),
    initialMargin: number(wad(venue, raw, 'balance')),
    initialMarginPercentage: undefined,
    maintenanceMargin: number(maintenance),
    maintenanceMarginPercentage: number(
      maintenance && notional && notional !== '0' ? Precise.stringDiv(maintenance, notional) : undefined,
    ),
    unrealizedPnl: number(wad(venue, raw, 'unrealizedPnl')),
    liquidationPrice: number(venue.omitZero(wad(venue, raw, 'liquidationPrice'))),
    marginMode: 'isolated',
    marginRatio: number(maintenance && equity && equity !== '0' ? Precise.stringDiv(maintenance, equity) : undefined),
    percentage: undefined,
  } as never)
}
