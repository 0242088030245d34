import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { keptSecret } from './kept-secret.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bourse-secret-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

it('is made once, for its owner alone, whatever a kill has left of an earlier try', async () => {
  const file = join(folder, 'secrets.key')
  await writeFile(`${file}.new`, '', { mode: 0o600 })
  const secret = await keptSecret(file, 32)
  expect(secret).toMatch(/^[0-9a-f]{64}$/)
  expect(await keptSecret(file, 32)).toBe(secret)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})
