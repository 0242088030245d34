import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { acceptanceFolder, python, rows } from './acceptance-client.ts'
import { type EmbeddedProcess, runEmbedded } from './venue.ts'

// A client in plain Python, written from the requirement alone, walks the whole perpetual API: see acceptance/perp/README.md.

const RUN_TIMEOUT_MS = 2_400_000
const PROGRAM = 'perp_api.py'

let folder: string
let dataDir: string
let venue: EmbeddedProcess
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bourse-perp-acceptance-'))
  dataDir = join(folder, 'data')
  venue = await runEmbedded(dataDir)
})
afterAll(async () => {
  await venue?.stop()
  await rm(folder, { recursive: true, force: true })
})

const walk = (...args: string[]) => python(PROGRAM, '--dev', join(dataDir, 'dev.json'), ...args)

describe('the acceptance client of perpetuals', () => {
  it('has its checks in its README', async () => {
    const { output, code } = await python(PROGRAM, '--list')
    expect(code).toBe(0)
    expect(rows(readFileSync(join(acceptanceFolder, 'perp', 'README.md'), 'utf8'))).toEqual(rows(output))
  })

  it(
    'finds no rule that is not kept, and counts every one',
    async () => {
      const listed = rows((await python(PROGRAM, '--list')).output).length - 2
      const { code, output, failed } = await walk()
      expect(failed, output).toEqual([])
      expect(output).toMatch(new RegExp(`^${listed} checks, 0 failed$`, 'm'))
      expect(code).toBe(0)
    },
    RUN_TIMEOUT_MS,
  )

  it('finds one that is not kept', async () => {
    const { code, output, failed } = await walk('--only', 'whole table')
    expect(failed, output).toHaveLength(1)
    expect(failed[0]).toMatch(/^FAIL {2}whole table .*\n.*expected: .*\n.*got: .*the list of those that have not/)
    expect(code).toBe(1)
  })
})
