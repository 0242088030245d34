import { expect, it } from 'vitest'
import { createPace } from './pace.ts'

const BLOCK_MS = 1000
const POLL_MS = 250

/** Looks from 0 on at a node with a block at `firstMs` and every block time after it: how late each block is found. */
function latenessOf(firstMs: number, blocks: number): { lateMs: number[]; looks: number } {
  const pace = createPace(POLL_MS, BLOCK_MS)
  const lateMs: number[] = []
  let nowMs = 0
  let looks = 0
  while (lateMs.length < blocks) {
    looks++
    const nextMs = firstMs + lateMs.length * BLOCK_MS
    if (nowMs >= nextMs) {
      lateMs.push(nowMs - nextMs)
      pace.found(nowMs)
    }
    nowMs += pace.waitMs(nowMs)
  }
  return { lateMs, looks }
}

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
  for (const atMs of [0, 1000, 2000, 3000]) pace.found(atMs)
  expect([3900, 3992, 4011, 4051].map((nowMs) => pace.waitMs(nowMs))).toEqual([90, 2, 10, POLL_MS])
  pace.found(4040)
  expect(pace.waitMs(4992)).toBe(10)
})

it('looks about ten times a block, no more', () => {
  expect(latenessOf(500, 100).looks / 100).toBeLessThanOrEqual(12)
})

it('goes on at its ordinary pace where the next block does not come, and before there was one', () => {
  const pace = createPace(POLL_MS, BLOCK_MS)
  expect(pace.waitMs(0)).toBe(POLL_MS)
  pace.found(0)
  expect(pace.waitMs(0)).toBe(POLL_MS)
  expect(pace.waitMs(900)).toBe(50)
  expect(pace.waitMs(960)).toBe(10)
  expect(pace.waitMs(1051)).toBe(POLL_MS)
})

it('never waits longer than it is told to', () => {
  const pace = createPace(2, BLOCK_MS)
  pace.found(0)
  expect([0, 500, 990, 1020, 2000].map((nowMs) => pace.waitMs(nowMs))).toEqual([2, 2, 2, 2, 2])
})
