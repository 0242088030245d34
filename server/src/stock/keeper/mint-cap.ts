import { stockAbi } from '../../chain/abi/stock.ts'
import type { Contract } from '../../chain/calls.ts'
import { contractAddress } from '../../chain/deployment.ts'
import { contractRead, readContracts } from '../../chain/read.ts'
import type { Rpc } from '../../chain/rpc.ts'
import type { Hex } from '../../chain/types.ts'
import type { Venue } from '../../http/product.ts'
import { max, min } from '../../lib/bigints.ts'
import { formatUnits } from '../../lib/decimal.ts'
import { divideUp, mulWadDown, WAD, WAD_DECIMALS } from '../../lib/wad.ts'
import { quotesToPublish } from '../../market/store.ts'
import { type ShareRatios, tokenPriceWad } from '../listing/shares.ts'
import type { NewOrder } from './keeper-store.ts'
import { type BuysUnderWay, buysUnderWay, type TokenPrices } from './mint-cap-store.ts'

const PPM = 1_000_000n

/** New buys that must not go to the broker now. */
export interface HeldBack {
  /** Limit orders beyond what the cap leaves at the moment, and every buy while that is not known. */
  readonly later: ReadonlySet<Hex>
  /** What cannot wait, or would in vain, with what to tell their users. */
  readonly refused: ReadonlyMap<Hex, string>
  /** Why it is not known what the cap leaves; null when it is. */
  readonly problem: unknown
}

/** What settlements of a stock are held to; tokens with 18 decimals. */
interface Terms {
  readonly maxDeviationPpm: bigint
  readonly capacityWad: bigint
}

/** What may be taken of one stock; tokens with 18 decimals. */
interface Room extends TokenPrices {
  readonly capacityWad: bigint
  /** What all buys under way leave of what may be minted. */
  leftWad: bigint
  /** What limits below the market count for among them. */
  restingWad: bigint
}

/**
 * Holds back buys that could not be settled: a settlement mints what it delivers, within the cap of its stock, and what the broker
 * has executed beyond that would be the venue's own. Buys under way count, sells do not: what is burned frees nothing of the cap, and nobody
 * knows whether a sell will be settled in the same batch. A limit order waits for room; a market order, which nobody can cancel, is
 * refused. In a stock that was never quoted nothing is held back: nothing can be settled in it either.
 */
export async function heldBackByCaps(
  venue: Venue,
  orders: readonly NewOrder[],
  ratios: ShareRatios,
): Promise<HeldBack> {
  const buys = orders.filter(({ side }) => side === 'Buy')
  const later = new Set<Hex>()
  const refused = new Map<Hex, string>()
  if (buys.length === 0) return { later, refused, problem: null }
  try {
    const rooms = await readRooms(venue, buys, ratios)
    for (const order of buys) {
      const room = rooms.get(order.token)
      if (!room) continue
      if (mostTokens(order, room) > room.capacityWad) refused.set(order.orderId, tooLarge(room))
      else if (take(order, room)) continue
      else if (order.limitPriceWad === null) refused.set(order.orderId, tooLargeNow(room))
      else later.add(order.orderId)
    }
    return { later, refused, problem: null }
  } catch (problem) {
    return { later: new Set(buys.map(({ orderId }) => orderId)), refused: new Map(), problem }
  }
}

/**
 * Takes an order's part of the room, if there is one. Limits below the market together never take more than they leave: they cost
 * nothing while they rest, and could keep all others out.
 */
function take(order: NewOrder, room: Room): boolean {
  const countedWad = openTokens(order, room)
  const isResting = order.limitPriceWad !== null && order.limitPriceWad < room.askWad
  const restingWad = isResting ? room.restingWad + countedWad : 0n
  const leftWad = room.leftWad - countedWad
  if (leftWad < restingWad) return false
  room.leftWad = leftWad
  if (isResting) room.restingWad = restingWad
  return true
}

const tooLarge = ({ capacityWad }: Room): string =>
  `the order may come to more than ${formatUnits(capacityWad, WAD_DECIMALS)} tokens, the most of this stock that can be settled at once; place smaller orders`

const tooLargeNow = ({ leftWad }: Room): string =>
  `the order may come to more than the ${formatUnits(max(leftWad, 0n), WAD_DECIMALS)} tokens of this stock that can be bought at the moment; place a smaller one, or a limit order, which waits its turn`

/** What may be minted is read at the block of the books, so that a settlement counts in one of both, and in one only. */
async function readRooms(
  { sql, rpc, deployment }: Venue,
  buys: readonly NewOrder[],
  ratios: ShareRatios,
): Promise<ReadonlyMap<Hex, Room>> {
  const stock = { address: contractAddress(deployment, 'Stock'), abi: stockAbi }
  const terms = await readTerms(rpc, stock, [...new Set(buys.map(({ token }) => token))])
  const prices = await pricesOf(sql, buys, terms, ratios)
  const underWay = await buysUnderWay(sql, deployment.chainId, prices)
  const [first] = underWay
  if (!first) return new Map()
  const mintableWad = await readContracts(
    rpc,
    underWay.map(({ token }) => contractRead(stock, 'mintable', token)),
    first.blockNumber,
  )
  return new Map(
    underWay.map((counted, index) => {
      const { token } = counted
      const listed = terms.get(token) as Terms
      return [token, roomOf(listed, prices.get(token) as TokenPrices, counted, mintableWad[index] as bigint)]
    }),
  )
}

async function readTerms(
  rpc: Rpc,
  stock: Contract<typeof stockAbi>,
  tokens: readonly Hex[],
): Promise<ReadonlyMap<Hex, Terms>> {
  const listings = await readContracts(
    rpc,
    tokens.map((token) => contractRead(stock, 'listing', token)),
  )
  return new Map(
    listings.map(({ terms: { maxDeviationPpm, mintCapacity } }, index) => [
      tokens[index] as Hex,
      { maxDeviationPpm: BigInt(maxDeviationPpm), capacityWad: mintCapacity },
    ]),
  )
}

function roomOf(
  { capacityWad }: Terms,
  { lowestWad, askWad }: TokenPrices,
  { executedWad, openWad, restingWad }: BuysUnderWay,
  mintableWad: bigint,
): Room {
  return {
    capacityWad,
    lowestWad,
    askWad,
    leftWad: mintableWad - executedWad - openWad,
    restingWad,
  }
}

/**
 * Prices of each token that was ever quoted. Money is counted where the price has fallen from the last bid as far as a settlement takes
 * it; from a bid that lies lower than that already, which is no market's, not from there.
 */
async function pricesOf(
  sql: Venue['sql'],
  buys: readonly NewOrder[],
  terms: ReadonlyMap<Hex, Terms>,
  ratios: ShareRatios,
): Promise<ReadonlyMap<Hex, TokenPrices>> {
  const quotes = new Map((await quotesToPublish(sql)).map((quote) => [quote.symbol, quote]))
  const prices = new Map<Hex, TokenPrices>()
  for (const { token, ticker } of buys) {
    const [quote, listed] = [quotes.get(ticker), terms.get(token)]
    if (!quote || !listed) continue
    const { price8, bid8, ask8, sourceTimeMs } = quote
    const fallen = (price: bigint) => (price * (PPM - listed.maxDeviationPpm)) / PPM
    const ratio = ratios.ofQuote(token, sourceTimeMs)
    const lowestWad = fallen(tokenPriceWad(max(bid8, fallen(price8)), ratio))
    if (lowestWad > 0n) prices.set(token, { lowestWad, askWad: tokenPriceWad(ask8 || price8, ratio) })
  }
  return prices
}

/** The most tokens that an order can come to. */
const mostTokens = (order: NewOrder, room: Room): bigint =>
  order.limitPriceWad === null ? openTokens(order, room) : order.amountWad

/**
 * Tokens that an order counts for while it is open: what its money buys. A limit far below the market counts for little, since otherwise
 * somebody could use a cap up for next to nothing.
 */
function openTokens({ amountWad, limitPriceWad }: NewOrder, { lowestWad }: Room): bigint {
  const moneyWad = limitPriceWad === null ? amountWad : mulWadDown(amountWad, limitPriceWad)
  const boughtWad = divideUp(moneyWad * WAD, lowestWad)
  return limitPriceWad === null ? boughtWad : min(boughtWad, amountWad)
}
