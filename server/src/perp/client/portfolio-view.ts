import { WAD } from '../../lib/wad.ts'
import type { PairState } from '../market-data/pair-reader.ts'
import { sqrtToPrice, tickToPrice } from '../maths/tick.ts'

const SHORT = 1
const LONG = 2
const FLAT = 0

const sideOf = (size: bigint): number => (size > 0n ? LONG : size < 0n ? SHORT : FLAT)
const absolute = (amount: bigint): bigint => (amount < 0n ? -amount : amount)
const texts = (amounts: Readonly<Record<string, bigint>>) =>
  Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, String(amount)]))

/** A signed tick in the 24 bits at `shift`. */
const tickAt = (key: number, shift: bigint): number => Number(BigInt.asIntN(24, BigInt(key) >> shift))

/** What an account has in a pair, as the published client reads it (perp-api 8, `Portfolio`). */
export function clientPortfolio(
  { instrument, expiry, user }: { readonly instrument: string; readonly expiry: number; readonly user: string },
  { portfolio }: Pick<PairState, 'portfolio'>,
  blockInfo: { readonly height: number; readonly timestamp: number },
) {
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
