import { stockAbi } from '../../chain/abi/stock.ts'
import { contractAddress } from '../../chain/deployment.ts'
import { contractRead, readGroups } from '../../chain/read.ts'
import type { Hex } from '../../chain/types.ts'
import type { Venue } from '../../http/product.ts'
import { formatUnits } from '../../lib/decimal.ts'
import { divideUp, mulWadDown, WAD, WAD_DECIMALS } from '../../lib/wad.ts'
import { quotesToPublish } from '../../market/store.ts'
import { type ShareRatios, tokenPriceWad } from '../listing/shares.ts'
import type { NewOrder } from './keeper-store.ts'
import { type BuysUnderWay, buysUnderWay } from './mint-cap-store.ts'

const PPM = 1_000_000n

/** New buys that must not go to the broker now. */
export interface HeldBack {
  /** Beyond what the cap leaves at the moment. */
  readonly later: ReadonlySet<Hex>
  /** Beyond the cap itself, with what to tell their users. */
  readonly refused: ReadonlyMap<Hex, string>
}

/** What may be taken of one stock; tokens with 18 decimals. */
interface Room {
  readonly priceWad: bigint
  readonly maxDeviationPpm: bigint
  readonly capacityWad: bigint
  leftWad: bigint
}

/**
 * Holds back buys that could not be settled: a settlement mints what it delivers, within the cap of its stock, and what the broker
 * has executed beyond that would be the venue's own. Buys under way count, sells do not: what is burned frees nothing of the cap, and nobody
 * knows whether a sell will be settled in the same batch. In a stock that was never quoted nothing is held back: nothing can be
 * settled in it either.
 */
export async function heldBackByCaps(
  venue: Venue,
  orders: readonly NewOrder[],
  ratios: ShareRatios,
): Promise<HeldBack> {
  const buys = orders.filter(({ side }) => side === 'Buy')
  const later = new Set<Hex>()
  const refused = new Map<Hex, string>()
  if (buys.length === 0) return { later, refused }
  const rooms = await readRooms(venue, buys, ratios)
  for (const order of buys) {
    const room = rooms.get(order.token)
    if (!room) continue
    const countedWad = openTokens(order, room)
    if (mostTokens(order, room) > room.capacityWad) refused.set(order.orderId, tooLarge(room))
    else if (countedWad > room.leftWad) later.add(order.orderId)
    else room.leftWad -= countedWad
  }
  return { later, refused }
}

const tooLarge = ({ capacityWad }: Room): string =>
  `the order may come to more than ${formatUnits(capacityWad, WAD_DECIMALS)} tokens, the most of this stock that can be settled at once; place smaller orders`

/** The books before the chain: what is settled in between counts twice for a round, never not at all. */
async function readRooms(
  { sql, rpc, deployment }: Venue,
  buys: readonly NewOrder[],
  ratios: ShareRatios,
): Promise<ReadonlyMap<Hex, Room>> {
  const pricesWad = await bidsOf(sql, buys, ratios)
  if (pricesWad.size === 0) return new Map()
  const underWay = await buysUnderWay(sql, deployment.chainId, pricesWad)
  const stock = { address: contractAddress(deployment, 'Stock'), abi: stockAbi }
  const tokens = [...pricesWad]
  const answers = await readGroups(
    rpc,
    tokens.map(([token]) => [contractRead(stock, 'listing', token), contractRead(stock, 'mintable', token)] as const),
  )
  return new Map(
    tokens.map(([token, priceWad], index) => {
      const [{ terms }, mintableWad] = answers[index] as (typeof answers)[number]
      const maxDeviationPpm = BigInt(terms.maxDeviationPpm)
      const room = { priceWad, maxDeviationPpm, capacityWad: terms.mintCapacity }
      return [token, { ...room, leftWad: mintableWad - mostOf(underWay.get(token), maxDeviationPpm) }]
    }),
  )
}

/** The last bid of each token that was ever quoted, USD with 18 decimals. */
async function bidsOf(
  sql: Venue['sql'],
  buys: readonly NewOrder[],
  ratios: ShareRatios,
): Promise<ReadonlyMap<Hex, bigint>> {
  const quotes = new Map((await quotesToPublish(sql)).map((quote) => [quote.symbol, quote]))
  const bids = new Map<Hex, bigint>()
  for (const { token, ticker } of buys) {
    const quote = quotes.get(ticker)
    if (!quote) continue
    const priceWad = tokenPriceWad(quote.bid8 || quote.price8, ratios.at(token, quote.sourceTimeMs))
    if (priceWad > 0n) bids.set(token, priceWad)
  }
  return bids
}

const mostOf = (underWay: BuysUnderWay | undefined, maxDeviationPpm: bigint): bigint =>
  underWay === undefined ? 0n : underWay.executedWad + atLowest(underWay.openWad, maxDeviationPpm)

/** Tokens that money buys where the price has fallen as far as a settlement takes it. */
const atLowest = (tokensWad: bigint, maxDeviationPpm: bigint): bigint =>
  divideUp(tokensWad * PPM, PPM - maxDeviationPpm)

/** The most tokens that an order can come to. */
const mostTokens = (order: NewOrder, room: Room): bigint =>
  order.limitPriceWad === null ? openTokens(order, room) : order.amountWad

/**
 * Tokens that an order counts for while it is open: what its money buys. A limit far below the market counts for little, since otherwise
 * somebody could use a cap up for next to nothing.
 */
function openTokens({ amountWad, limitPriceWad }: NewOrder, { priceWad, maxDeviationPpm }: Room): bigint {
  const moneyWad = limitPriceWad === null ? amountWad : mulWadDown(amountWad, limitPriceWad)
  const boughtWad = atLowest(divideUp(moneyWad * WAD, priceWad), maxDeviationPpm)
  return limitPriceWad === null || boughtWad < amountWad ? boughtWad : amountWad
}
