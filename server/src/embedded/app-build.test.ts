import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { untilAppIsBuilt } from './app-build.ts'

const folder = mkdtempSync(join(tmpdir(), 'bourse-build-'))
const marker = join(folder, '.building')
afterAll(() => rmSync(folder, { recursive: true }))

describe('a build of the app', () => {
  it('is waited for until it has ended', async () => {
    writeFileSync(marker, String(process.pid))
    let isThere = false
    const waiting = untilAppIsBuilt(marker).then(() => {
      isThere = true
    })
    await new Promise((resolve) => setImmediate(resolve))
    expect(isThere).toBe(false)
    rmSync(marker)
    await waiting
    expect(isThere).toBe(true)
  })

  it('is not waited for where there is none, where it was killed, or for ever', async () => {
    await expect(untilAppIsBuilt(marker)).resolves.toBeUndefined()
    writeFileSync(marker, '2147483647')
    await expect(untilAppIsBuilt(marker)).resolves.toBeUndefined()
    writeFileSync(marker, String(process.pid))
    await expect(untilAppIsBuilt(marker, 300)).resolves.toBeUndefined()
  })
})
