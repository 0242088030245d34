import { expect, it } from 'vitest'
import { createPace } from './pace.ts'

const BLOCK_MS = 1000
const POLL_MS = 250

/** Looks from 0 on at a node with blocks at these times, each applied in `applyMs`: how late each block is found. */
function latenessAt(blocksMs: readonly number[], applyMs = 0): { lateMs: number[]; looks: number } {
  const pace = createPace(POLL_MS, BLOCK_MS)
  const lateMs: number[] = []
  let nowMs = 0
  let looks = 0
  while (lateMs.length < blocksMs.length) {
    looks++
    const come = blocksMs.slice(lateMs.length).filter((blockMs) => blockMs <= nowMs)
    lateMs.push(...come.map((blockMs) => nowMs - blockMs))
    nowMs += come.length > 0 ? applyMs + pace.found(nowMs, nowMs + applyMs) : pace.waitMs(nowMs)
  }
  return { lateMs, looks }
}

/** The same with a block at `firstMs` and every block time after it. */
const latenessOf = (firstMs: number, blocks: number) =>
  latenessAt(Array.from({ length: blocks }, (_, nth) => firstMs + nth * BLOCK_MS))

it('finds the first block late by a pause at most, and soon each within a fiftieth of the time between blocks', () => {
  for (let firstMs = 0; firstMs < BLOCK_MS; firstMs += 37) {
    const { lateMs } = latenessOf(firstMs, 20)
    expect(lateMs[0]).toBeLessThanOrEqual(POLL_MS)
    expect(Math.max(...lateMs.slice(6))).toBeLessThanOrEqual(BLOCK_MS / 50)
  }
})

it('looks closer together where blocks keep their time, and as before when one does not', () => {
  for (let firstMs = 0; firstMs < BLOCK_MS; firstMs += 37) {
    expect(Math.max(...latenessOf(firstMs, 40).lateMs.slice(12))).toBeLessThanOrEqual(BLOCK_MS / 500)
  }
  const pace = createPace(POLL_MS, BLOCK_MS)
  for (const atMs of [0, 1000, 2000, 3000]) pace.found(atMs, atMs)
  expect([3900, 3992, 4011, 4051].map((nowMs) => pace.waitMs(nowMs))).toEqual([90, 2, 10, POLL_MS])
  pace.found(4040, 4040)
  expect(pace.waitMs(4992)).toBe(10)
})

it('looks about ten times a block, no more', () => {
  expect(latenessOf(500, 100).looks / 100).toBeLessThanOrEqual(12)
})

it('looks once between blocks where they have kept their time for long, and as often as before when they are due', () => {
  const looks = (from: number, to: number) => latenessOf(500, to).looks - latenessOf(500, from).looks
  // Six around the moment, with the one that finds the block, and one in between.
  expect(looks(100, 200) / 100).toBe(7)
  // Three before, and one at once after each block.
  expect(looks(4, 5)).toBe(10)
})

it('finds blocks that come at any moment late by a pause at most, and one that breaks a long row by two', () => {
  let [blockMs, random] = [0, 1]
  const irregular = Array.from({ length: 300 }, () => {
    random = (random * 16_807) % 2_147_483_647
    blockMs += random % (3 * BLOCK_MS)
    return blockMs
  })
  // What comes while a block is applied is looked for at once.
  const applyMs = 20
  expect(Math.max(...latenessAt(irregular, applyMs).lateMs)).toBeLessThanOrEqual(POLL_MS)
  const row = Array.from({ length: 30 }, (_, nth) => nth * BLOCK_MS)
  for (let afterMs = 1; afterMs < 3 * BLOCK_MS; afterMs += 37) {
    const [first = 0, ...later] = [29_000 + afterMs, 29_000 + afterMs + 600, 29_000 + afterMs + 1300]
    const { lateMs } = latenessAt([...row, first, ...later])
    expect(Math.max(...lateMs.slice(1))).toBeLessThanOrEqual(2 * POLL_MS)
    // One of the two before it has broken the row, also where it was found when the next was due.
    expect(lateMs.at(-1)).toBeLessThanOrEqual(POLL_MS)
  }
})

it('looks at once where applying a block took until the next is due', () => {
  const pace = createPace(POLL_MS, BLOCK_MS)
  const after = (atMs: number, applyMs: number) => {
    expect(pace.waitMs(atMs - 2)).toBeLessThanOrEqual(POLL_MS)
    return pace.found(atMs, atMs + applyMs)
  }
  for (let atMs = 0; atMs < 20_000; atMs += BLOCK_MS) after(atMs, 0)
  expect(after(20_000, 20)).toBe(2 * POLL_MS)
  expect(after(21_000, 985)).toBe(5)
  expect(after(22_000, 2500)).toBe(0)
})

it('goes on at its ordinary pace where the next block does not come, and before there was one', () => {
  const pace = createPace(POLL_MS, BLOCK_MS)
  expect(pace.waitMs(0)).toBe(POLL_MS)
  pace.found(0, 0)
  expect(pace.waitMs(0)).toBe(POLL_MS)
  expect(pace.waitMs(900)).toBe(50)
  expect(pace.waitMs(960)).toBe(10)
  expect(pace.waitMs(1051)).toBe(POLL_MS)
})

it('never waits longer than it is told to', () => {
  const pace = createPace(2, BLOCK_MS)
  pace.found(0, 0)
  expect([0, 500, 990, 1020, 2000].map((nowMs) => pace.waitMs(nowMs))).toEqual([2, 2, 2, 2, 2])
})
