import { expect, it } from 'vitest'
import { gathered } from './gathered.ts'

it('asks once for those who come at the same moment, and gives each its own', async () => {
  const asked: (readonly number[])[] = []
  const twice = gathered(async (keys: readonly number[]) => {
    asked.push(keys)
    return keys.map((key) => 2 * key)
  })
  const later = Promise.resolve().then(() => twice(3))
  expect(await Promise.all([twice(1), twice(2), later])).toEqual([2, 4, 6])
  expect(await twice(4)).toBe(8)
  expect(asked).toEqual([[1, 2, 3], [4]])
})

it('tells a failure to all of them, and asks anew afterwards', async () => {
  let isBroken = true
  const read = gathered(async (keys: readonly string[]) => {
    if (isBroken) throw new Error('broken')
    return keys
  })
  const outcomes = await Promise.allSettled([read('a'), read('b')])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  isBroken = false
  expect(await read('a')).toBe('a')
})
