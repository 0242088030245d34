import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { replaceFile } from './replace-file.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bourse-replace-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

it('leaves what was there where the new text could not be written', async () => {
  const path = join(folder, 'kept.json')
  await replaceFile(path, 'first')
  await mkdir(`${path}.new`)
  await expect(replaceFile(path, 'second')).rejects.toThrow('EISDIR')
  expect(await readFile(path, 'utf8')).toBe('first')
})

it('takes the place of what a kill has left, for its owner alone where that is asked for', async () => {
  const path = join(folder, 'secret.json')
  await writeFile(`${path}.new`, '{"half', { mode: 0o600 })
  await replaceFile(path, 'whole', 0o600)
  expect(await readFile(path, 'utf8')).toBe('whole')
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect(await readdir(folder)).toEqual(['secret.json'])
})
