import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { leftByKilled, testFolder } from './test-folder.mjs'

test('a run has a folder of its own, which others may enter, and leaves none', () => {
  const { folder, remove } = testFolder()
  const other = testFolder()
  expect(other.folder).not.toBe(folder)
  expect(statSync(folder).mode & 0o777).toBe(0o711)
  mkdirSync(join(folder, 'cluster'))
  remove()
  other.remove()
  expect([folder, other.folder].filter(existsSync)).toEqual([])
})

test('what a killed run has left is found, and nothing of one that still runs', () => {
  const place = mkdtempSync(join(tmpdir(), 'bourse-places-'))
  const { pid: dead } = spawnSync(process.execPath, ['--version'])
  const names = [`bourse-tests-${process.pid}-a`, `bourse-tests-${dead}-b`, 'somebody-else']
  for (const name of names) mkdirSync(join(place, name))
  try {
    expect(leftByKilled(place)).toEqual([join(place, `bourse-tests-${dead}-b`)])
  } finally {
    rmSync(place, { recursive: true })
  }
})
