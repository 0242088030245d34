import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { acceptanceFolder, python, type Run, rows } from './acceptance-client.ts'
import type { ApiKey } from './client.ts'
import { issuedKey, keys as keysCommand } from './keys.ts'
import { type RunningVenue, startVenue } from './venue.ts'

// A client in plain Python, written from the requirement alone, walks the whole stock API: see acceptance/stock/README.md.

const RUN_TIMEOUT_MS = 2_400_000
/** A Redis database of its own: venues that share one share its rate limit, and this test uses that up. */
const REDIS_DATABASE = 7

interface KeyStep {
  readonly name: string
  readonly create: readonly string[]
  readonly disable: boolean
}

let venue: RunningVenue
let temporary: string
let devFile: string
let keys: Record<string, ApiKey>

beforeAll(async () => {
  const { REDIS_URL } = process.env
  if (REDIS_URL) vi.stubEnv('REDIS_URL', new URL(`/${REDIS_DATABASE}`, REDIS_URL).href)
  venue = await startVenue()
  temporary = await mkdtemp(join(tmpdir(), 'bourse-acceptance-'))
  devFile = await write('dev.json', {
    chain: { rpcUrl: venue.rpcUrl },
    contracts: venue.contracts,
    accounts: venue.accounts.map(({ address }) => ({ address })),
    stock: { baseUrls: venue.baseUrls, chainId: 31_337, productType: 'Bourse' },
  })
  const plan = await python('stock/keys.py', devFile)
  keys = await issue(JSON.parse(plan.output) as readonly KeyStep[])
})
afterAll(async () => {
  await venue?.stop()
  if (temporary) await rm(temporary, { recursive: true, force: true })
  vi.unstubAllEnvs()
})

async function write(name: string, content: unknown): Promise<string> {
  const file = join(temporary, name)
  await writeFile(file, JSON.stringify(content), { mode: 0o600 })
  return file
}

async function issue(steps: readonly KeyStep[]): Promise<Record<string, ApiKey>> {
  const issued: Record<string, ApiKey> = {}
  for (const { name, create, disable } of steps) {
    const [, ...args] = create
    const key = issuedKey(await keysCommand(venue.keyStore, ...args))
    if (disable) await keysCommand(venue.keyStore, 'disable', key.apiKey)
    issued[name] = key
  }
  return issued
}

async function walk(withKeys: Record<string, ApiKey>, ...args: string[]): Promise<Run> {
  const keysFile = await write('keys.json', withKeys)
  return python('stock_api.py', '--dev', devFile, '--keys', keysFile, ...args)
}

describe('the acceptance client', () => {
  it('has its checks in its README', async () => {
    const { output, code } = await python('stock_api.py', '--list')
    expect(code).toBe(0)
    expect(rows(readFileSync(join(acceptanceFolder, 'stock', 'README.md'), 'utf8'))).toEqual(rows(output))
  })

  it('finds the rate limit, first, when nothing else has been asked in the minute', async () => {
    const { code, output, failed } = await walk(keys, '--rate-limit')
    expect(failed, output).toEqual([])
    expect(code).toBe(0)
  }, 900_000)

  it(
    'finds no rule that is not kept',
    async () => {
      const { code, output, failed } = await walk(keys)
      expect(failed, output).toEqual([])
      expect(output).toMatch(/^\d{3} checks, 0 failed$/m)
      expect(code).toBe(0)
    },
    RUN_TIMEOUT_MS,
  )

  it('finds one that is not kept', async () => {
    const { writable } = keys
    if (!writable) throw new Error('the plan has no key named writable')
    const { code, output, failed } = await walk({ ...keys, no_address: writable }, '--only', 'IP whitelist')
    expect(failed, output).toHaveLength(1)
    expect(failed[0]).toMatch(/^FAIL {2}unauthorized: IP whitelist .*\n.*expected: .*\n.*got: .*empty: the HTTP status/)
    expect(output).toMatch(/^1 checks, 1 failed$/m)
    expect(code).toBe(1)
  })
})
