import { expect, it } from 'vitest'
import { createQuiet } from './quiet.ts'

it('lets a block be indexed and told of first, where it is due too', () => {
  const quiet = createQuiet(1000)
  expect(quiet.waitMs(0)).toBe(0)
  quiet.indexed(0)
  expect([0, 100, 150, 500, 899].map((nowMs) => quiet.waitMs(nowMs))).toEqual([150, 50, 0, 0, 0])
  expect([901, 1000, 1099].map((nowMs) => quiet.waitMs(nowMs))).toEqual([249, 150, 51])
})

it('waits no longer for a block that does not come', () => {
  const quiet = createQuiet(1000)
  quiet.indexed(0)
  expect(quiet.waitMs(1101)).toBe(0)
})

it('leaves most of the time between frequent blocks', () => {
  const quiet = createQuiet(300)
  quiet.indexed(0)
  expect([0, 50, 150, 249, 260].map((nowMs) => quiet.waitMs(nowMs))).toEqual([50, 0, 0, 0, 90])
})
