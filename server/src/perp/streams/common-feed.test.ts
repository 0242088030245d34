import { beforeEach, expect, it } from 'vitest'
import type { Hex } from '../../chain/types.ts'
import type { NamedBlock } from '../listing/pair.ts'
import { CommonFeed } from './common-feed.ts'

const CHANNEL = ['31337']

let indexed: bigint
/** The list that the node answers at each height; null while it does not. */
let lists: Map<bigint, string | null>
let feed: CommonFeed
let duringRead: () => void
beforeEach(() => {
  duringRead = () => {}
  indexed = 10n
  lists = new Map([[10n, 'first']])
  const tip = { height: async () => indexed, block: async () => blockOf(indexed) }
  feed = new CommonFeed(31_337, tip, async () => {
    duringRead()
    const name = lists.get(indexed)
    if (!name) throw new Error('the node does not answer')
    return { block: blockOf(indexed), json: `[{"name":"${name}","updateTime":${indexed}}]` }
  })
})

const blockOf = (height: bigint): NamedBlock => ({ height, hash: `0x${height}` as Hex, timestampSec: height * 2n })

/** Lets a follower take what there is for it, as the hub does: its sequence afterwards, and what it was told. */
async function follow(after: bigint) {
  const told: string[] = []
  for (let sequence = after; ; ) {
    const deltas = await feed.deltas(CHANNEL, sequence, (await feed.heads([CHANNEL]))[0]).catch(() => [])
    if (deltas === null) return { sequence: null, told }
    const [delta] = deltas
    if (!delta) return { sequence, told }
    sequence = delta.sequence
    told.push(...namesIn(delta.dataJson))
  }
}

/** The numbers of blocks, and the names of lists. */
const namesIn = (text: string): string[] =>
  (text === '' ? [] : text.split('\n')).map((line) => {
    const { data } = JSON.parse(line)
    return Array.isArray(data) ? data[0].name : String(data.blockNum)
  })

async function subscribed(): Promise<bigint> {
  const { sequence, dataJson } = await feed.snapshot()
  expect(namesIn(dataJson)).toEqual(['10', 'first'])
  expect([sequence]).toEqual(await feed.heads([CHANNEL]))
  return sequence
}

function mine(list: string | null): void {
  indexed++
  lists.set(indexed, list)
}

it('tells the number of a block, then its list where that has changed', async () => {
  let { sequence, told } = await follow(await subscribed())
  expect(told).toEqual([])
  mine('first')
  ;({ sequence, told } = await follow(sequence as bigint))
  expect(told).toEqual(['11'])
  mine('second')
  ;({ sequence, told } = await follow(sequence as bigint))
  expect(told).toEqual(['12', 'second'])
  expect([sequence]).toEqual(await feed.heads([CHANNEL]))
})

it('tells numbers while the node does not answer, and afterwards the list that changed meanwhile', async () => {
  const start = await subscribed()
  mine(null)
  const first = await follow(start)
  expect(first.told).toEqual(['11'])
  mine(null)
  const second = await follow(first.sequence as bigint)
  expect(second.told).toEqual(['12'])
  lists.set(12n, 'second')
  expect((await follow(second.sequence as bigint)).told).toEqual(['second'])
})

it('tells a list again to none but those who have not been told it', async () => {
  const start = await subscribed()
  mine('second')
  const first = await follow(start)
  mine('second')
  expect((await follow(first.sequence as bigint)).told).toEqual(['12'])
  expect((await follow(start)).told).toEqual(['12', 'second'])
})

it('tells a newer block with its list, where one is indexed while the list is read', async () => {
  const start = await subscribed()
  mine('second')
  const [number] = (await feed.deltas(CHANNEL, start)) ?? []
  expect(namesIn(number?.dataJson ?? '')).toEqual(['11'])
  duringRead = () => mine('third')
  const [list] = (await feed.deltas(CHANNEL, number?.sequence ?? 0n)) ?? []
  expect(namesIn(list?.dataJson ?? '')).toEqual(['12', 'third'])
  expect([list?.sequence]).toEqual(await feed.heads([CHANNEL]))
})

it('has a follower begin anew after a reorganisation, and tells its list again', async () => {
  const start = await subscribed()
  mine('second')
  const { sequence } = await follow(start)
  indexed = 10n
  expect((await follow(sequence as bigint)).sequence).toBeNull()
  const again = await feed.snapshot()
  expect(namesIn(again.dataJson)).toEqual(['10', 'first'])
  mine('second')
  expect((await follow(again.sequence)).told).toEqual(['11', 'second'])
})
