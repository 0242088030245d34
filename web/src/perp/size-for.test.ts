import { formatUnits } from 'viem/utils'
import { describe, expect, it } from 'vitest'
import { tradeTerms } from '../../../server/src/perp/actions/trade-terms.ts'
import { bookRatios, orderBook, stepOf } from '../../../server/src/perp/market-data/order-book.ts'
import { priceToTick, Q96, sqrtToPrice, tickToSqrt } from '../../../server/src/perp/maths/tick.ts'
import { type OrderTerms, sizeFor } from './size-for.ts'
import { toWad } from './units.ts'

const terms: OrderTerms = {
  isLong: true,
  leverage: '5',
  maxLeverage: '10',
  markPrice: toWad('60000'),
  fairPrice: toWad('60000'),
  limitPrice: null,
  rests: false,
  slippageBps: 0,
  feeBps: 0,
  books: undefined,
  grows: null,
}

describe('a size for a part of the free margin', () => {
  it('is cut down to four digits, never rounded up', () => {
    expect(sizeFor(toWad('1000'), 50, terms)).toBe('0.0416')
  })

  it('is nothing without money or without a price', () => {
    expect(sizeFor('0', 50, terms)).toBe('0')
    expect(sizeFor(toWad('1000'), 50, { ...terms, markPrice: '0' })).toBe('0')
  })

  it('leaves room for the fee and the slippage', () => {
    // 500 / (1/5 + 0.005 + 0.0007 · 1.0) of 60,000
    expect(sizeFor(toWad('1000'), 50, { ...terms, slippageBps: 50, feeBps: 7 })).toBe('0.0405')
  })

  it('of an order that rests pays neither, and its margin is of its price where that is above the mark', () => {
    const resting = { ...terms, rests: true, feeBps: 7, limitPrice: toWad('50000') }
    expect(sizeFor(toWad('1000'), 50, resting)).toBe('0.0416')
    expect(sizeFor(toWad('1000'), 50, { ...resting, isLong: false, limitPrice: toWad('75000') })).toBe('0.0333')
  })

  it('brings the whole of a position that grows to the leverage', () => {
    const grows = { size: toWad('0.1'), equity: toWad('1000'), unrealizedPnl: '0' }
    expect(sizeFor(toWad('1000'), 50, { ...terms, grows })).toBe('0.025')
  })
})

const WAD = 10n ** 18n
const IMR = 1000
const FEE_BPS = 7n

/** A pair of one liquidity everywhere, with what a size costs in it, as the contracts quote. */
function quoted(sqrtPX96: bigint, liquidity: bigint, mark: bigint, size: bigint) {
  const post = (liquidity * Q96 * sqrtPX96) / (liquidity * Q96 - size * sqrtPX96)
  const moved = (liquidity * (post - sqrtPX96)) / Q96
  const entryNotional = moved < 0n ? -moved : moved
  const fee = (entryNotional * FEE_BPS) / 10_000n + 1n
  return { entryNotional, fee, mark, sqrtFairPX96: sqrtPX96, sqrtPostFairPX96: post }
}

function booksOf(sqrtPX96: bigint, liquidity: bigint) {
  const depth = { sqrtPX96, tick: priceToTick(sqrtToPrice(sqrtPX96)), liquidity, pearls: [] }
  const level = ({ price, baseSum }: { price: bigint; baseSum: bigint }) => ({
    price: String(price),
    baseSum: String(baseSum),
  })
  const books = bookRatios(IMR).map((ratio) => {
    const { bids, asks } = orderBook(depth, stepOf(ratio))
    return [ratio, { bids: bids.map(level), asks: asks.map(level) }]
  })
  return Object.fromEntries(books) as NonNullable<OrderTerms['books']>
}

const FLAT = { size: 0n, balance: 0n, entryNotional: 0n, entrySocialLossIndex: 0n, entryFundingIndex: 0n }
const AMM = { longSocialLossIndex: 0n, shortSocialLossIndex: 0n, longFundingIndex: 0n, shortFundingIndex: 0n }

/** What the venue asks of a flat account for a market order. */
function asked(quotation: ReturnType<typeof quoted>, size: bigint, leverage: string, slippageBps: number): bigint {
  const pair = { amm: AMM, quotation, portfolio: { position: FLAT }, instrument: { initialMarginRatio: IMR } }
  const wish = { size, leverage: BigInt(toWad(leverage)), slippageBps }
  return tradeTerms(pair as unknown as Parameters<typeof tradeTerms>[0], wish).amount
}

describe('a size for 95 % of the free margin', () => {
  const free = 19_750n * WAD
  const cases = ['1', '3', '7', '9.5', '10'].flatMap((leverage) =>
    [0, 50, 500].flatMap((slippageBps) =>
      [true, false].flatMap((isLong) =>
        [59_400n, 60_000n, 60_600n].flatMap((mark) =>
          [200_000n, 2_000_000n].map((liquidity) => ({ leverage, slippageBps, isLong, mark, liquidity })),
        ),
      ),
    ),
  )

  it.each(cases)(
    'is one that it pays for: $leverage×, $slippageBps bps, long $isLong, mark $mark, liquidity $liquidity',
    (one) => {
      const { leverage, slippageBps, isLong } = one
      const [mark, liquidity] = [one.mark * WAD, one.liquidity * WAD]
      const sqrtPX96 = tickToSqrt(priceToTick(60_000n * WAD))
      const wanted = sizeFor(String(free), 95, {
        ...terms,
        isLong,
        leverage,
        slippageBps,
        feeBps: Number(FEE_BPS),
        markPrice: String(mark),
        fairPrice: String(sqrtToPrice(sqrtPX96)),
        books: booksOf(sqrtPX96, liquidity),
      })
      const size = BigInt(toWad(wanted)) * (isLong ? 1n : -1n)
      const needs = asked(quoted(sqrtPX96, liquidity, mark, size), size, leverage, slippageBps)
      expect(needs <= free, `${formatUnits(needs, 18)} for ${wanted}`).toBe(true)
      // Nor is much of it left lying.
      expect(needs * 100n >= free * 80n, `${formatUnits(needs, 18)} for ${wanted}`).toBe(true)
    },
  )
})
