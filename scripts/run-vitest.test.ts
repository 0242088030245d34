import { expect, test } from 'vitest'
import { count, merged } from './run-vitest.mjs'

const steady = { file: 'a.test.ts', passed: 3, failed: 0, seconds: 1 }
const broken = { file: 'b.test.ts', passed: 1, failed: 2, seconds: 1 }
const mended = { ...broken, passed: 3, failed: 0 }

test('a file counts as its second try ended', () => {
  const first = { files: [steady, broken], stray: [] }
  expect(count(first)).toEqual({ passed: 4, failed: 2 })
  expect(count(merged(first, { files: [mended], stray: [] }))).toEqual({ passed: 6, failed: 0 })
  expect(count(merged(first, { files: [broken], stray: [] }))).toEqual({ passed: 4, failed: 2 })
})

test('a file that leaves no result at its second try keeps that of the first', () => {
  expect(count(merged({ files: [broken], stray: [] }, { files: [], stray: [] }))).toEqual({ passed: 1, failed: 2 })
})

test('an error that names no file is a failure, whichever try it came up in', () => {
  expect(count({ files: [steady], stray: ['gone'] })).toEqual({ passed: 3, failed: 1 })
  expect(count(merged({ files: [broken], stray: [] }, { files: [mended], stray: ['gone'] })).failed).toBe(1)
})
