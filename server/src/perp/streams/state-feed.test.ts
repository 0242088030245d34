import { beforeEach, expect, it } from 'vitest'
import type { Hex } from '../../chain/types.ts'
import type { NamedBlock } from '../listing/pair.ts'
import { StateFeed } from './state-feed.ts'

const CHANNEL = ['orderBook']

let indexed: bigint
/** The state that the node answers at each height, and what it waits for before. */
let states: Map<bigint, string>
let slow: Map<bigint, Promise<void>>
let feed: StateFeed
beforeEach(() => {
  indexed = 9n
  states = new Map([[9n, 'first']])
  slow = new Map()
  const tip = { height: async () => indexed, block: async () => blockOf(indexed) }
  feed = new StateFeed(tip, {
    form: 'orderBook',
    resolve: async (parameters) => parameters,
    async read(_parameters, { height }) {
      await slow.get(height)
      const state = states.get(height) ?? ''
      return { height, parts: [{ key: 'books', essence: state, message: state }] }
    },
  })
})

const blockOf = (height: bigint): NamedBlock => ({ height, hash: `0x${height}` as Hex, timestampSec: height })

function mine(state: string): void {
  indexed++
  states.set(indexed, state)
}

/** What a follower who stands after a block is told of the newest one; null where it begins anew. */
async function told(after: bigint): Promise<readonly string[] | null> {
  const deltas = await feed.deltas(CHANNEL, after, indexed)
  return deltas?.map(({ dataJson }) => dataJson) ?? null
}

it('tells what has changed since the block after which a follower stands, and nothing else', async () => {
  expect(await feed.snapshot(CHANNEL)).toEqual({ sequence: 9n, dataJson: 'first' })
  mine('first')
  expect(await told(9n)).toEqual([])
  mine('second')
  expect([await told(9n), await told(10n)]).toEqual([['second'], ['second']])
  mine('second')
  expect([await told(11n), await told(10n)]).toEqual([[], ['second']])
})

it('tells a change back, where a read of the block before has ended after that of the change', async () => {
  await feed.snapshot(CHANNEL)
  const gate = Promise.withResolvers<void>()
  slow.set(9n, gate.promise)
  const late = feed.snapshot(CHANNEL)
  mine('second')
  expect(await told(9n)).toEqual(['second'])
  gate.resolve()
  expect(await late).toEqual({ sequence: 9n, dataJson: 'first' })
  mine('first')
  expect([await told(10n), await told(9n)]).toEqual([['first'], ['first']])
})

it('tells what another block of the same height has, with the next one', async () => {
  await feed.snapshot(CHANNEL)
  mine('second')
  expect(await told(9n)).toEqual(['second'])
  states.set(10n, 'third')
  for (let nth = 0; nth < 2; nth++) expect((await feed.snapshot(CHANNEL)).dataJson).toBe('third')
  mine('third')
  expect(await told(10n)).toEqual(['third'])
})

it('has a follower begin anew whose block is no longer there', async () => {
  await feed.snapshot(CHANNEL)
  mine('second')
  expect(await told(9n)).toEqual(['second'])
  indexed = 9n
  expect(await told(10n)).toBeNull()
  mine('second')
  expect(await told(9n)).toEqual(['second'])
})
