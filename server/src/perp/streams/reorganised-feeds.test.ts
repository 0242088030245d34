import { afterEach, beforeEach, expect, it } from 'vitest'
import { deleteBlocksAbove, insertBlocks } from '../../chain/follow/store.ts'
import type { Hex } from '../../chain/types.ts'
import { inTransaction } from '../../db/pool.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import { testVenue } from '../../http/testing.ts'
import type { PerpContext } from '../context.ts'
import { CHAIN_ID } from '../testing/key-api.ts'
import { IndexedTip } from './indexed-tip.ts'
import { PortfolioFeed } from './portfolio-feed.ts'
import { insertSignals } from './signal-store.ts'
import { TradeFeed } from './trade-feed.ts'

// What feeds tell of a block that has come in the place of another between two of their looks.

const TRADER: Hex = `0x${'a'.repeat(40)}`

let db: TestDatabase
let context: PerpContext
let tip: IndexedTip
beforeEach(async () => {
  db = await testDatabase()
  const venue = testVenue({ sql: db.sql })
  context = { venue, chainId: CHAIN_ID, instruments: async () => ({ list: [] }) } as unknown as PerpContext
  tip = new IndexedTip(db.sql, CHAIN_ID)
})
afterEach(() => db.drop())

const hashOf = (number: bigint, branch: string): Hex => `0x${branch}${number.toString(16).padStart(63, '0')}`

/** Indexes a block of a branch in which an order of this oid was placed, in the place of what stood from its height on. */
const index = (number: bigint, branch: string, oid: bigint) =>
  inTransaction(db.sql, async (tx) => {
    await tx`delete from perp_account_signals where block_number >= ${number.toString()}::bigint`
    await deleteBlocksAbove(tx, CHAIN_ID, number - 1n)
    const [hash, parentHash] = [hashOf(number, branch), hashOf(number - 1n, branch)]
    await insertBlocks(tx, CHAIN_ID, [{ chainId: CHAIN_ID, number, hash, parentHash, timestampSec: 1 }])
    const order = { oid, id: oid, change: 'placed' } as const
    const place = { chainId: CHAIN_ID, blockNumber: number, nth: 0, pair: null } as const
    await insertSignals(tx, [{ ...place, kind: 'order', trader: TRADER, order }])
  })

const parameters = [String(CHAIN_ID), TRADER]

it('signals of a block of the same height are told, and of those below and above it', async () => {
  const feed = new PortfolioFeed(context, tip)
  await index(1n, 'a', 1n)
  let { sequence } = await feed.snapshot()
  /** What is told next, by the oids of the orders. */
  const next = async () => {
    const [head] = await feed.heads([parameters])
    const [delta] = (await feed.deltas(parameters, sequence, head)) ?? []
    sequence = delta?.sequence ?? sequence
    expect(delta === undefined || sequence === head).toBe(true)
    return [...(delta?.dataJson ?? '').matchAll(/oid\\*":\\*"(\d+)/g)].map(([, oid]) => Number(oid))
  }
  await index(2n, 'a', 2n)
  expect(await next()).toEqual([2])
  await index(3n, 'a', 3n)
  expect(await next()).toEqual([3])
  await index(3n, 'b', 4n)
  expect(await next()).toEqual([4])
  expect(await next()).toEqual([])
  for (const number of [2n, 3n, 4n]) await index(number, 'c', 10n + number)
  expect((await next()).toSorted()).toEqual([12, 13, 14])
  await index(5n, 'c', 15n)
  expect(await next()).toEqual([15])
})

it('a follower of trades begins anew where the block after which it stands has become another', async () => {
  const feed = new TradeFeed(context, tip)
  const trades = [String(CHAIN_ID), '10', '']
  await index(1n, 'a', 1n)
  const [before] = await feed.heads([trades])
  await index(1n, 'b', 1n)
  const [head] = await feed.heads([trades])
  expect(head).not.toBe(before)
  expect(await feed.deltas(trades, before ?? 0n, head)).toBeNull()
})

it('what a block holds for all who are followed is read in few statements, each range by itself', async () => {
  let statements = 0
  const counted = new Proxy(db.sql, {
    apply(target, self, [strings, ...values]: [TemplateStringsArray, ...unknown[]]) {
      if (String(strings.raw).includes('perp_account_signals')) statements++
      return Reflect.apply(target as never, self, [strings, ...values])
    },
  })
  const { chainId } = context
  const feed = new PortfolioFeed({ venue: testVenue({ sql: counted }), chainId } as unknown as PerpContext, tip)
  for (const number of [1n, 2n, 3n]) await index(number, 'a', number)
  const others = Array.from({ length: 100 }, (_, nth) => `0x${nth.toString(16).padStart(40, '0')}`)
  const head = await tip.place()
  const asked = [
    feed.deltas(parameters, 1n, head),
    ...others.map((other) => feed.deltas([String(CHAIN_ID), other], 0n, head)),
    feed.deltas(parameters, 2n, head),
  ]
  const oids = (await Promise.all(asked)).map((deltas) =>
    [...(deltas?.[0]?.dataJson ?? '').matchAll(/oid\\*":\\*"(\d+)/g)].map(([, oid]) => Number(oid)),
  )
  expect([oids[0], oids.at(-1)]).toEqual([[2, 3], [3]])
  expect(oids.slice(1, -1).flat()).toEqual([])
  expect(statements).toBeLessThan(4)
})
