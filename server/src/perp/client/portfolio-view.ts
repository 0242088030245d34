import Type, { type Static } from 'typebox'
import { WAD } from '../../lib/wad.ts'
import type { PairState } from '../market-data/pair-reader.ts'
import { accountSchema, expirySchema } from '../market-data/pair-state-schemas.ts'
import { sqrtToPrice, tickToPrice } from '../maths/tick.ts'
import { blockInfoSchema, wad } from '../schemas.ts'

const SHORT = 1
const LONG = 2
const FLAT = 0

const sideOf = (size: bigint): number => (size > 0n ? LONG : size < 0n ? SHORT : FLAT)
const absolute = (amount: bigint): bigint => (amount < 0n ? -amount : amount)
const texts = <Name extends string>(amounts: Readonly<Record<Name, bigint>>) =>
  Object.fromEntries(Object.entries<bigint>(amounts).map(([name, amount]) => [name, String(amount)])) as Record<
    Name,
    string
  >

/** A signed tick in the 24 bits at `shift`. */
const tickAt = (key: number, shift: bigint): number => Number(BigInt.asIntN(24, BigInt(key) >> shift))

const sideSchema = Type.Integer({ description: '0 flat, 1 SHORT, 2 LONG.' })
const tickSchema = (what: string) => Type.Integer({ description: `Tick of the ${what}.` })

const owner = { instrumentAddr: Type.String(), traderAddr: Type.String(), expiry: expirySchema }
const { position, orders, ranges } = accountSchema.properties

/** What an account has in a pair, as the published client reads it (perp-api 8, `Portfolio`). */
export const clientPortfolioSchema = Type.Object({
  ...owner,
  blockInfo: blockInfoSchema,
  position: Type.Array(
    Type.Object({ ...position.properties, entryPrice: wad('Entry notional over size'), side: sideSchema }),
    { description: 'The position, if there is one.' },
  ),
  orders: Type.Array(
    Type.Object({
      ...orders.items.properties,
      limitPrice: wad('Price'),
      taken: wad('How much of the size was taken, signed like it'),
      nonce: Type.Integer({ description: 'The generation of orders at the tick.' }),
      oid: Type.Integer({ description: 'tick · 2^24 + nonce, the tick as 24 bits.' }),
      side: sideSchema,
      tick: tickSchema('price'),
    }),
  ),
  ranges: Type.Array(
    Type.Object({
      ...owner,
      ...ranges.items.properties,
      entryPrice: wad('Price at which it was added'),
      lowerPrice: wad('Its lower edge'),
      upperPrice: wad('Its upper edge'),
      rid: Type.Integer({ description: 'Lower tick · 2^24 + upper tick, each as 24 bits.' }),
      tickLower: tickSchema('lower edge'),
      tickUpper: tickSchema('upper edge'),
    }),
  ),
})

/** The same of an account at a block. */
export function clientPortfolio(
  { instrument, expiry, user }: { readonly instrument: string; readonly expiry: number; readonly user: string },
  { portfolio }: Pick<PairState, 'portfolio'>,
  blockInfo: Static<typeof blockInfoSchema>,
): Static<typeof clientPortfolioSchema> {
  const { position, oids, rids, orders, ranges, ordersTaken } = portfolio
  const owner = { instrumentAddr: instrument, traderAddr: user, expiry }
  return {
    ...owner,
    blockInfo,
    position: position.size === 0n && position.balance === 0n ? [] : [positionOf(position)],
    orders: orders.map(({ balance, size }, nth) => {
      const oid = oids[nth] as number
      const tick = tickAt(oid, 24n)
      const amounts = texts({ balance, size, limitPrice: tickToPrice(tick), taken: ordersTaken[nth] ?? 0n })
      return { ...amounts, nonce: oid % 2 ** 24, oid, side: sideOf(size), tick }
    }),
    ranges: ranges.map(({ liquidity, entryFeeIndex, balance, sqrtEntryPX96 }, nth) => {
      const rid = rids[nth] as number
      const [tickLower, tickUpper] = [tickAt(rid, 24n), tickAt(rid, 0n)]
      const prices = { entryPrice: sqrtToPrice(sqrtEntryPX96), lowerPrice: tickToPrice(tickLower) }
      const amounts = texts({ liquidity, entryFeeIndex, balance, sqrtEntryPX96, ...prices })
      return { ...owner, ...amounts, upperPrice: String(tickToPrice(tickUpper)), rid, tickLower, tickUpper }
    }),
  }
}

function positionOf(position: PairState['portfolio']['position']) {
  const { balance, size, entryNotional, entrySocialLossIndex, entryFundingIndex } = position
  const entryPrice = size === 0n ? 0n : (entryNotional * WAD) / absolute(size)
  const amounts = { balance, size, entryNotional, entrySocialLossIndex, entryFundingIndex, entryPrice }
  return { ...texts(amounts), side: sideOf(size) }
}
