import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Sql } from '../db/pool.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { lengthOf } from '../lib/testing-campaign.ts'
import { createRandom, type Random } from '../lib/testing-random.ts'
import { stockEvents } from './events.ts'
import { listPositions } from './portfolio/position-store.ts'
import { AAPL, ALICE, BOB, CHAIN_ID, MSFT, setUp, TestChain, type TestTransaction } from './testing/chain.ts'
import { type Books, foldBooks, HoldingBook, randomTransaction } from './testing/random-events.ts'

// Random lines of blocks with random reorganisations: what is indexed must be what a clean index of the last line gives,
// and what a plain fold over its events says.

const SEEDS = lengthOf({ short: [1, 2, 3], whole: [1, 2, 3, 4, 5, 6, 7, 8] })
const STEPS = 45
/** By ticker. */
const TOKENS = [AAPL, MSFT]

let databases: TestDatabase[]
beforeEach(() => {
  databases = []
})
afterEach(() => Promise.all(databases.map((database) => database.drop())))

async function openDatabase(): Promise<Sql> {
  const database = await testDatabase()
  databases.push(database)
  return database.sql
}

async function dump(sql: Sql): Promise<Record<string, unknown[]>> {
  const rows: Record<string, unknown[]> = {}
  for (const table of stockEvents.tables) {
    rows[table] = [...(await sql.unsafe(`select to_jsonb(t)::text as row from ${table} t order by 1`))]
  }
  return rows
}

/** Several blocks at a time, as history. */
async function indexTogether(sql: Sql, random: Random, line: readonly TestTransaction[][]): Promise<void> {
  const chain = await TestChain.open(sql)
  for (let from = 0; from < line.length; ) {
    const to = from + 1 + random.below(12)
    await chain.history(line.slice(from, to))
    from = to
  }
}

/** Rounding of a cost: each time stock goes out, less than one unit of 36 decimals is cut off. */
const COST_TOLERANCE_E36 = BigInt(STEPS * 4)

async function expectPositions(sql: Sql, books: Books): Promise<number> {
  let compared = 0
  for (const user of [ALICE, BOB]) {
    const positions = await listPositions(sql, CHAIN_ID, user)
    const held = TOKENS.filter((token) => books.holding(user, token).quantityWad > 0n)
    expect(positions.map(({ token }) => token)).toEqual(held)
    for (const { token, quantityWad, lockedWad, costE36 } of positions) {
      const holding = books.holding(user, token)
      expect({ quantityWad, lockedWad }).toEqual({
        quantityWad: holding.quantityWad,
        lockedWad: books.lockedWad(user, token),
      })
      if (holding.cost === null) expect(costE36).toBeNull()
      else {
        const error = holding.cost.numerator - (costE36 as bigint) * holding.cost.denominator
        expect(error >= 0n && error <= COST_TOLERANCE_E36 * holding.cost.denominator, `${error}`).toBe(true)
      }
      compared++
    }
  }
  return compared
}

it('after random reorganisations the index is that of the line that stays, and positions are the fold of its events', async () => {
  let [undone, compared] = [0, 0]
  for (const seed of SEEDS) {
    const random = createRandom(seed)
    const sql = await openDatabase()
    const chain = await TestChain.open(sql)
    const line: TestTransaction[][] = [[{ hash: `0x${'0'.repeat(64)}`, events: setUp() }]]
    await chain.block(...(line[0] as TestTransaction[]))
    for (let step = 0; step < STEPS; step++) {
      const depth = random.below(6)
      if (random.below(5) === 0 && depth > 0 && line.length > depth) {
        await chain.undo(depth)
        line.splice(line.length - depth)
        undone += depth
      }
      const block = Array.from({ length: 1 + random.below(3) }, () => ({}) as TestTransaction)
      for (const nth of block.keys()) {
        const books = foldBooks([...line.flat(), ...block.slice(0, nth)])
        block[nth] = randomTransaction(random, books, { seed, step, nth })
      }
      await chain.block(...block)
      line.push(block)
    }
    const clean = await openDatabase()
    const again = await TestChain.open(clean)
    for (const block of line) await again.block(...block)
    const expected = await dump(clean)
    expect(await dump(sql), `seed ${seed}`).toEqual(expected)
    const historic = await openDatabase()
    await indexTogether(historic, random, line)
    expect(await dump(historic), `seed ${seed}, several blocks at a time`).toEqual(expected)
    compared += await expectPositions(sql, foldBooks(line.flat()))
  }
  expect(undone).toBeGreaterThan(SEEDS.length * 5)
  expect(compared).toBeGreaterThan(SEEDS.length * 2)
}, 180_000)

it('the fold itself: an average is of what was paid, and stays what it is when stock goes out', () => {
  const book = new HoldingBook()
  book.add(2n, 10n)
  book.add(2n, 20n)
  book.take(3n)
  expect([book.quantityWad, book.cost]).toEqual([1n, { numerator: 60n, denominator: 4n }])
  book.add(1n, null)
  expect(book.cost).toBeNull()
  book.take(2n)
  book.add(1n, 7n)
  expect(book.cost).toEqual({ numerator: 7n, denominator: 1n })
})
