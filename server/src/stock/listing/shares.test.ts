import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import { WAD } from '../../lib/wad.ts'
import { SESSION } from '../../market/hours.ts'
import type { LatestQuote } from '../../market/store.ts'
import {
  presentQuote,
  ShareRatios,
  shareLimit8,
  sharesOf,
  tokenPrice8,
  tokenPriceWad,
  tokenQuote,
  tokensOf,
} from './shares.ts'

const ratio = fc.oneof(
  fc.constantFrom(WAD, 4n * WAD, WAD / 10n, (21n * WAD) / 20n, WAD / 3n),
  fc.bigInt({ min: WAD / 1000n, max: 1000n * WAD }),
)
const price8 = fc.bigInt({ min: 1n, max: 10n ** 14n })

it('a fill within the limit of a share keeps the limit of the token, whatever a token stands for', () => {
  fc.assert(
    fc.property(ratio, fc.bigInt({ min: 1n, max: 10n ** 24n }), price8, (shares, limitWad, execution8) => {
      const buyLimit8 = shareLimit8(limitWad, shares, 'buy')
      const sellLimit8 = shareLimit8(limitWad, shares, 'sell')
      if (execution8 <= buyLimit8) expect(tokenPriceWad(execution8, shares)).toBeLessThanOrEqual(limitWad)
      if (execution8 >= sellLimit8) expect(tokenPriceWad(execution8, shares)).toBeGreaterThanOrEqual(limitWad)
      expect(tokenPriceWad(buyLimit8, shares)).toBeLessThanOrEqual(limitWad)
      expect(tokenPriceWad(sellLimit8, shares)).toBeGreaterThanOrEqual(limitWad)
    }),
  )
})

it('parts of an order never add up to more tokens, or more money, than the order', async () => {
  const database: TestDatabase = await testDatabase()
  const { sql } = database
  try {
    await fc.assert(
      fc.asyncProperty(
        ratio,
        fc.array(fc.bigInt({ min: 1n, max: 10n ** 12n }), { minLength: 1, maxLength: 5 }),
        async (shares, units) => {
          const parts = units.map((unit) => unit * 10n ** 9n)
          const tokensWad = (parts.reduce((a, b) => a + b, 0n) * WAD + shares - 1n) / shares
          let before = 0n
          let sum = 0n
          for (const part of parts) {
            const [row] = await sql<{ tokens: bigint }[]>`
            select ${tokensOf(sql, sql`${(before + part).toString()}::numeric`, sql`${shares.toString()}::numeric`)}
              - ${tokensOf(sql, sql`${before.toString()}::numeric`, sql`${shares.toString()}::numeric`)} as tokens`
            expect(row?.tokens).toBe(((before + part) * WAD) / shares - (before * WAD) / shares)
            sum += row?.tokens ?? 0n
            before += part
          }
          expect(sum).toBeLessThanOrEqual(tokensWad)
          expect(sharesOf(sum, shares)).toBeLessThanOrEqual(before)
        },
      ),
      { numRuns: 30 },
    )
  } finally {
    await database.drop()
  }
})

it('prices go on where they were when a token comes to stand for other shares', () => {
  fc.assert(
    fc.property(price8, fc.bigInt({ min: 1n, max: 20n }), (before8, to) => {
      const after8 = (before8 * 20n) / to
      const ratioAfter = (WAD * to) / 20n
      const gap = tokenPrice8(before8, WAD) - tokenPrice8(after8, ratioAfter)
      expect(gap >= -2n && gap <= 2n).toBe(true)
    }),
  )
})

it('after a split and before the next quote, a share is quoted as what it is now: a token is worth the same', () => {
  const quote: LatestQuote = {
    price8: 40_001n,
    bid8: 40_000n,
    ask8: 40_002n,
    open8: 39_000n,
    high8: 41_000n,
    low8: 38_000n,
    previousClose8: 39_500n,
    change24h8: -400n,
    change24hPpm: -9900n,
    volume24hWad: 1000n * WAD,
    session: SESSION.regular,
    sourceTimeMs: 1,
  }
  const present = presentQuote(quote, WAD, 4n * WAD)
  expect(present).toMatchObject({ price8: 10_000n, bid8: 10_000n, ask8: 10_001n, change24h8: -100n })
  expect(present.volume24hWad).toBe(4000n * WAD)
  expect(tokenQuote(present, 4n * WAD).bid8).toBe(tokenQuote(quote, WAD).bid8)
  expect(presentQuote(quote, WAD, WAD)).toBe(quote)
})

it('a token stands for one share until a split takes effect, for ever after for what it says', () => {
  const ratios = new ShareRatios([
    { token: 'a', effectiveMs: 100, quotedFromMs: 100, sharesPerTokenWad: 4n * WAD, isTold: true },
    { token: 'a', effectiveMs: 200, quotedFromMs: 150, sharesPerTokenWad: 2n * WAD, isTold: false },
    { token: 'b', effectiveMs: 50, quotedFromMs: 50, sharesPerTokenWad: 3n * WAD, isTold: true },
  ])
  const at = [99, 100, 199, 200, 10_000].map((timeMs) => ratios.at('a', timeMs) / WAD)
  expect(at).toEqual([1n, 4n, 4n, 2n, 2n])
  const ofQuotes = [99, 149, 150, 200].map((timeMs) => ratios.ofQuote('a', timeMs) / WAD)
  expect([ofQuotes, ratios.steps('a', 200).map(({ fromMs }) => fromMs)]).toEqual([
    [1n, 4n, 2n, 2n],
    [150, 100],
  ])
  expect(ratios.at('c', 1000)).toBe(WAD)
  expect([ratios.reachedMs, new ShareRatios([]).reachedMs]).toEqual([100, 0])
  expect([ratios.nextChangeMs('a', 0), ratios.nextChangeMs('a', 100), ratios.nextChangeMs('a', 200)]).toEqual([
    100,
    200,
    null,
  ])
})
