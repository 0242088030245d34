import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeDeployment } from './chain/deployment.ts'
import { loadConfig } from './config.ts'
import { type TestDatabase, testDatabase } from './db/testing.ts'
import { openResources } from './resources.ts'
import { products } from './roles/products.ts'

const folder = mkdtempSync(join(tmpdir(), 'bourse-resources-'))
const deploymentFile = join(folder, 'deployment.json')
let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
  await writeDeployment(deploymentFile, { chainId: 8453, startBlock: 1n, contracts: {} })
})
afterAll(async () => {
  await db.drop()
  rmSync(folder, { recursive: true })
})

const open = (roles: string, databaseUrl = db.url) => {
  const config = loadConfig({
    ROLES: roles,
    CHAIN_ID: '8453',
    CHAIN_RPC_URL: 'http://127.0.0.1:1',
    DATABASE_URL: databaseUrl,
    DEPLOYMENT_FILE: deploymentFile,
    SECRETS_KEY: '1'.repeat(64),
    SIGNER_SETTLE_KEY: `0x${'1'.repeat(64)}`,
    SIGNER_ORACLE_KEY: `0x${'2'.repeat(64)}`,
    // Where no server is.
    REDIS_URL: 'redis://127.0.0.1:1',
  })
  return openResources(config, products, [], {
    log: pino({ level: 'silent' }),
    progress: () => {},
    stopRequested: new AbortController().signal,
  })
}

describe('openResources', () => {
  it.each(['indexer', 'keeper', 'relayer', 'indexer,keeper,relayer'])('needs no Redis for %s', async (roles) => {
    const resources = await open(roles)
    expect(resources.redis).toBeNull()
    await resources.close()
  })

  it('does not open for the api while its Redis does not answer', async () => {
    await expect(open('indexer,api')).rejects.toThrow(/REDIS_URL: no connection to 127\.0\.0\.1:1 /)
  })

  it('says which database it cannot reach, without the password', async () => {
    const url = 'postgres://bourse:secret@127.0.0.1:1/bourse'
    const failure: unknown = await open('indexer', url).catch((error) => error)
    expect(String(failure)).toMatch(/DATABASE_URL: no connection to 127\.0\.0\.1:1 /)
    expect(String(failure)).not.toContain('secret')
  })
})
