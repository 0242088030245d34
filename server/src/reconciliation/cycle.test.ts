import { afterEach, beforeEach, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import type { Venue } from '../http/product.ts'
import { testVenue } from '../http/testing.ts'
import { type Comparisons, cycleMemory, type FreshReading, reconcileTask } from './cycle.ts'
import { line } from './lines.ts'
import { latestReading } from './reading-store.ts'

const CHAIN_ID = 31_337

let db: TestDatabase
let venue: Venue
let nowMs: number
let monotonicMs: number
beforeEach(async () => {
  db = await testDatabase()
  nowMs = 1_700_000_000_000
  monotonicMs = 1_000_000
  venue = testVenue({ sql: db.sql, clock: { nowMs: () => nowMs } })
  await db.sql`create table kept (page int)`
})
afterEach(() => db.drop())

/** Compares page after page; each reading keeps its page, or fails to. */
class Pages implements Comparisons<number> {
  readonly product: string
  readonly start = 1
  readonly asked: number[] = []
  difference = 0n
  isKept = true
  isThere = true

  constructor(product: string) {
    this.product = product
  }

  async read(_venue: Venue, page: number): Promise<FreshReading<number> | null> {
    this.asked.push(page)
    if (!this.isThere) return null
    const parts = { section: 'pages', subject: 'page', comparison: 'words', unit: 'words', decimals: 0 }
    return {
      block: { number: 7n, hash: '0xab' },
      lines: [line({ ...parts, difference: this.difference, cause: 'lost_word' })],
      next: page + 1,
      isRoundOver: page % 2 === 0,
      keep: async (tx) => {
        await tx`insert into kept values (${page})`
        if (!this.isKept) throw new Error('the shelf is full')
      },
    }
  }
}

const memory = () => cycleMemory(() => monotonicMs)
const readings = async () =>
  (await db.sql`select product from reconciliation_readings order by reading_id`).map(({ product }) => product)

it('goes on only once a reading is stored with what the product keeps of it', async () => {
  const pages = new Pages('book')
  const task = reconcileTask(pages, memory())
  expect(task.name).toBe('book.reconcile')
  pages.isThere = false
  await task.run(venue)
  pages.isThere = true
  pages.isKept = false
  await expect(task.run(venue)).rejects.toThrow('the shelf is full')
  expect([await readings(), [...(await db.sql`select page from kept`)]]).toEqual([[], []])
  pages.isKept = true
  await task.run(venue)
  monotonicMs += 9_999
  await task.run(venue)
  monotonicMs += 1
  // The wall clock is set back meanwhile.
  nowMs -= 3_600_000
  await task.run(venue)
  expect(pages.asked).toEqual([1, 1, 1, 2])
  expect([...(await db.sql`select page from kept`)]).toEqual([{ page: 1 }, { page: 2 }])
})

it('tells since when every part was read, once all of them were, and goes on where another keeper has ended', async () => {
  const pages = new Pages('book')
  const since = async () => (await latestReading(db.sql, CHAIN_ID, 'book'))?.allReadSince ?? null
  await reconcileTask(pages).run(venue)
  expect(await since()).toBeNull()
  const [first] = await db.sql<{ began_at: Date }[]>`select began_at from reconciliation_rounds`
  await reconcileTask(pages).run(venue)
  expect(await since()).toEqual(first?.began_at)
  await reconcileTask(pages).run(venue)
  expect(await since()).toEqual(first?.began_at)
  expect(pages.asked).toEqual([1, 2, 3])
})

it('counts the readings of each product alone', async () => {
  const [book, map] = [new Pages('book'), new Pages('map')]
  const [bookTask, mapTask] = [reconcileTask(book, memory()), reconcileTask(map, memory())]
  book.difference = 2n
  for (const _ of [1, 2]) {
    await bookTask.run(venue)
    await mapTask.run(venue)
    monotonicMs += 10_000
  }
  expect(await readings()).toEqual(['book', 'map', 'book', 'map'])
  const seen = async (product: string) => (await latestReading(db.sql, CHAIN_ID, product))?.lines[0]?.readingsInARow
  expect([await seen('book'), await seen('map'), await seen('atlas')]).toEqual([2, 0, undefined])
})
