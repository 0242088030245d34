import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openSecret, parseMasterKeys } from './auth/secrets.ts'
import { allKeys } from './auth/store.ts'
import { insertCheckpoint } from './chain/follow/store.ts'
import { inTransaction } from './db/pool.ts'
import { type TestDatabase, testDatabase } from './db/testing.ts'
import { programFile } from './lib/testing-programs.ts'
import { runProgram } from './lib/testing-run.ts'

const secretsKey = randomBytes(32).toString('hex')
let db: TestDatabase
let folder: string

beforeAll(async () => {
  db = await testDatabase()
  folder = await mkdtemp(join(tmpdir(), 'bourse-cli-'))
})
afterAll(async () => {
  await db.drop()
  await rm(folder, { recursive: true })
})

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** What an operator's shell has of a venue whose database has followed no chain yet. */
const SHELL = { CHAIN_ID: '31337' }
const { NODE_COMPILE_CACHE } = process.env
const COMPILED = NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }

/** Runs the command line in a process of its own, with nothing of this process's environment but the place of compiled code. */
async function bourse(args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  const program = programFile(join(import.meta.dirname, 'cli.ts'))
  const shell = { ...COMPILED, DATABASE_URL: db.url, SECRETS_KEY: secretsKey, ...SHELL, ...env }
  const { code, output, problems } = await runProgram([process.execPath, program, ...args], { env: shell })
  return { code, stdout: output, stderr: problems }
}

const CREATE = ['keys', 'create', '--label', 'a broker', '--access', 'WRITABLE']

function issued(stdout: string): { apiKey: string; apiSecret: string } {
  const apiKey = /^API key: +([0-9a-f]{32})$/m.exec(stdout)?.[1]
  const apiSecret = /^API secret: +([0-9a-f]{64})$/m.exec(stdout)?.[1]
  if (!apiKey || !apiSecret) throw new Error(`no key in ${stdout}`)
  return { apiKey, apiSecret }
}

async function stored(apiKey: string) {
  const row = (await allKeys(db.sql)).find((key) => key.apiKey === apiKey)
  if (!row) throw new Error('no such key')
  const sealed = { masterKeyVersion: row.masterKeyVersion, sealed: row.secretSealed }
  return { ...row, secret: openSecret(parseMasterKeys(secretsKey), apiKey, sealed) }
}

describe('help', () => {
  it('is given for a topic, without a venue', async () => {
    const nowhere = { DATABASE_URL: '', DATA_DIR: join(folder, 'none') }
    for (const args of [
      ['keys', '--help'],
      ['keys', 'create', '--help'],
      ['keys', '-h'],
      ['help', 'keys'],
    ]) {
      const { code, stdout, stderr } = await bourse(args, nowhere)
      expect([args, code, stderr]).toEqual([args, 0, ''])
      expect(stdout).toMatch(/^Usage: npm run bourse -- keys <command>/)
      expect(stdout).not.toContain('webhooks')
    }
  })
})

describe('the chain of a command', () => {
  const pauses = async () => (await db.sql`select chain_id as "chainId" from tx_pauses`).map(({ chainId }) => chainId)
  const works = (chainId: number, nth: number) =>
    db.sql`insert into tx_signers (chain_id, address, purposes) values (${chainId}, ${`0x${`${nth}`.repeat(40)}`}, '{settle}')`
  afterEach(async () => {
    await db.sql`delete from tx_signers`
    await db.sql`delete from tx_pauses`
  })

  it('is the one of the database, whatever the shell lacks', async () => {
    await works(8453, 1)
    expect(await bourse(['intents', 'pause'], { CHAIN_ID: '' })).toMatchObject({ code: 0, stderr: '' })
    expect(await pauses()).toEqual([8453n])
    const key = issued((await bourse(CREATE, { CHAIN_ID: '' })).stdout)
    expect((await stored(key.apiKey)).scopes).toMatchObject([{ chainId: 8453 }])
    expect((await bourse(['intents', 'list'], { CHAIN_ID: '8453' })).stdout).toContain('Sending is paused')
  })

  it('is that of the followed blocks where no signer has worked', async () => {
    const genesis = '0x00'
    await inTransaction(db.sql, (tx) => insertCheckpoint(tx, 10_143, genesis, { number: 0n, hash: genesis }))
    expect(await bourse(['intents', 'pause'], { CHAIN_ID: '' })).toMatchObject({ code: 0, stderr: '' })
    expect(await pauses()).toEqual([10_143n])
    await db.sql`delete from chain_checkpoints`
  })

  it.each<[string, number[], string, string]>([
    ['another one', [8453], '31337', 'CHAIN_ID is 31337, but this database is of chain 8453: leave it out'],
    ['none, of several', [1, 8453], '', 'this database is of the chains 1, 8453: set CHAIN_ID to one of them'],
    ['another one than several', [1, 8453], '31337', 'is of chain 1 or 8453'],
    ['none, of none', [], '', 'this database has followed no chain yet: set CHAIN_ID'],
  ])('is refused where the operator names %s', async (_name, chains, CHAIN_ID, message) => {
    for (const [nth, chainId] of chains.entries()) await works(chainId, nth)
    const ended = await bourse(['intents', 'pause'], { CHAIN_ID })
    expect(ended).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(message) })
    expect(await pauses()).toEqual([])
  })

  it('is the one that is named of several', async () => {
    await works(1, 1)
    await works(8453, 2)
    expect(await bourse(['intents', 'pause'], { CHAIN_ID: '8453' })).toMatchObject({ code: 0, stderr: '' })
    expect(await pauses()).toEqual([8453n])
  })
})

describe('bourse keys', () => {
  it('creates, lists, rotates and disables a key', async () => {
    const user = `0x${'Ab'.repeat(20)}`
    const more = ['--ip', '127.0.0.1', '--ip', '::1', '--user', user, '--expires', '2999-01-31T00:00:00Z']
    const created = await bourse([...CREATE, ...more, '--chain-id', '8453', '--product', 'Other'])
    expect([created.code, created.stderr]).toEqual([0, ''])
    expect(created.stdout).toContain('The secret is shown only now.')
    const key = issued(created.stdout)
    expect(await stored(key.apiKey)).toMatchObject({
      secret: key.apiSecret,
      label: 'a broker',
      ipWhitelist: ['127.0.0.1', '::1'],
      userAddress: user.toLowerCase(),
      expiresAt: new Date('2999-01-31T00:00:00Z'),
      scopes: [{ chainId: 8453, productType: 'Other', access: 'WRITABLE' }],
    })

    const rotated = await bourse(['keys', 'rotate', key.apiKey])
    expect(rotated.stdout).toContain('The old secret has stopped working.')
    const next = issued(rotated.stdout)
    expect(next.apiKey).toBe(key.apiKey)
    expect((await stored(key.apiKey)).secret).toBe(next.apiSecret)

    const disabled = await bourse(['keys', 'disable', key.apiKey], { SECRETS_KEY: '' })
    expect(disabled).toEqual({ code: 0, stdout: `API key ${key.apiKey} is disabled.\n`, stderr: '' })

    const listed = await bourse(['keys', 'list'], { SECRETS_KEY: '' })
    const line = listed.stdout.split('\n').find((row) => row.startsWith(key.apiKey))
    expect(line?.split(/ {2,}/)).toEqual([
      key.apiKey,
      'disabled',
      'WRITABLE',
      '8453',
      'Other',
      user.toLowerCase(),
      '127.0.0.1,::1',
      '2999-01-31T00:00:00.000Z',
      'a broker',
    ])
    expect(listed.stdout).not.toContain(next.apiSecret)
    const actors = await db.sql`select distinct actor from operator_audit_log where subject = ${key.apiKey}`
    expect(actors).toEqual([{ actor: expect.stringMatching(/^cli:.+/) }])
  })

  it('takes chain and product from the environment, and warns of an empty whitelist', async () => {
    const created = await bourse(CREATE, { CHAIN_ID: '10143', STOCK_PRODUCT: 'Mine' })
    expect(created.stdout).toContain('every request with it will be rejected')
    const { scopes } = await stored(issued(created.stdout).apiKey)
    expect(scopes).toEqual([{ chainId: 10143, productType: 'Mine', access: 'WRITABLE' }])
    // Keys of perpetuals work from every address.
    expect((await bourse([...CREATE, '--product', 'perp'])).stdout).not.toContain('rejected')
  })

  it('finds the database and the master key of the venue that runs on DATA_DIR', async () => {
    await writeFile(join(folder, 'database.url'), `${db.url}\n`)
    await writeFile(join(folder, 'secrets.key'), `${secretsKey}\n`)
    const created = await bourse(CREATE, { DATABASE_URL: '', SECRETS_KEY: '', CHAIN_ID: '', DATA_DIR: folder })
    const key = issued(created.stdout)
    expect((await stored(key.apiKey)).secret).toBe(key.apiSecret)
  })

  it('applies splits, and says what is missing', async () => {
    const list = await bourse(['splits', 'list'])
    expect(list).toEqual({ code: 0, stdout: 'No token was split.\n', stderr: '' })
    const args = ['splits', 'apply', '--symbol', 'AAPL', '--from', '1', '--to', '4', '--ex-date', '2030-01-02']
    const early = await bourse(args)
    expect(early).toMatchObject({ code: 1, stdout: '' })
    expect(early.stderr).toContain('chain 31337 has no token of "AAPL"; it has none')
    const token = `0x${'6'.repeat(40)}`
    await db.sql`
      insert into market_symbols (symbol, name, tradable, fractionable, overnight_tradable, fractional_eh_enabled,
        logo_url, pdf_url) values ('AAPL', 'Apple', true, true, true, true, '', '')`
    await db.sql`
      insert into stock_tokens (chain_id, token, token_index, ticker, symbol, name, tradable)
      values (31337, ${token}, 1, 'AAPL', 'aAAPL', 'Apple aStock', true)`
    const said = 'From 2030-01-02T05:00:00.000Z on one AAPL token stands for 4 shares.\n'
    expect(await bourse(args)).toEqual({ code: 0, stdout: said, stderr: '' })
    expect(await bourse(args)).toEqual({ code: 0, stdout: said, stderr: '' })
    expect((await bourse(['splits', 'list'])).stdout).toContain('shares per token 4  planned')
    expect((await bourse(['splits'])).stderr).toContain('splits apply --symbol')
    const [split] = await db.sql`select actor from token_splits`
    expect(split?.actor).toMatch(/^cli:./)
    const audit = await db.sql`select actor, subject, detail from operator_audit_log where action = 'split.apply'`
    const detail = { ticker: 'AAPL', exDate: '2030-01-02', ratio: '1 to 4', sharesPerToken: '4' }
    expect(audit).toEqual([{ actor: split?.actor, subject: `chain 31337 ${token}`, detail }])
  })

  it('encrypts anew under the newest master key', async () => {
    const both = `2:${randomBytes(32).toString('hex')},1:${secretsKey}`
    const done = await bourse(['keys', 'reencrypt'], { SECRETS_KEY: both })
    expect(done).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+ secrets encrypted anew\.\n$/) })
    const versions = await db.sql`select distinct master_key_version as version from api_keys`
    expect(versions).toEqual([{ version: 2 }])
  })

  it.each<[string, string[], Record<string, string>, string]>([
    ['no command', ['keys'], {}, 'a command is missing'],
    ['an unknown command', ['keys', 'delete'], {}, 'unknown command delete'],
    ['an unknown option', [...CREATE, '--ips', 'x'], {}, "Unknown option '--ips'"],
    ['no label', ['keys', 'create', '--access', 'WRITABLE'], {}, '--label is required'],
    ['no access', ['keys', 'create', '--label', 'x'], {}, '--access is required: READ_ONLY or WRITABLE'],
    ['a wrong access', ['keys', 'create', '--label', 'x', '--access', 'ADMIN'], {}, 'must be READ_ONLY or WRITABLE'],
    ['a range', [...CREATE, '--ip', '10.0.0.1/8'], {}, 'is neither an IP address nor a range'],
    ['a wrong user', [...CREATE, '--user', '0x1'], {}, 'user address must be 0x and 40 hex digits'],
    ['a wrong time', [...CREATE, '--expires', 'tomorrow'], {}, '--expires must be a time such as'],
    ['no day', [...CREATE, '--expires', '2030-02-31T00:00:00Z'], {}, '--expires must be a time such as'],
    ['a past time', [...CREATE, '--expires', '2001-01-01'], {}, 'expiry must be a time in the future'],
    ['a wrong chain id', [...CREATE, '--chain-id', '0x1'], {}, '--chain-id must be a decimal number'],
    ['no key', ['keys', 'disable'], {}, 'the API key is missing'],
    ['an unknown key', ['keys', 'rotate', 'nobody'], {}, 'no API key has the id nobody'],
    ['too much', ['keys', 'list', 'all'], {}, 'unexpected all'],
    ['no master key', CREATE, { SECRETS_KEY: '' }, 'SECRETS_KEY is not set'],
    ['a wrong master key', CREATE, { SECRETS_KEY: 'short' }, 'SECRETS_KEY must be 32 bytes in hex or base64'],
    ['no venue', ['keys', 'list'], { DATABASE_URL: '', DATA_DIR: '/nonexistent' }, 'no venue runs on /nonexistent'],
    ['no chain', ['keys', 'list'], { CHAIN_ID: '0' }, 'CHAIN_ID is not valid'],
    ['no database', ['keys', 'list'], { DATABASE_URL: 'postgres://127.0.0.1:1/x' }, 'the database does not answer'],
    ['no topic', ['orders'], {}, 'Usage: npm run bourse -- keys'],
  ])('says what is wrong: %s', async (_name, args, env, message) => {
    const ended = await bourse(args, env)
    expect(ended.stderr).toContain(message)
    expect([ended.code, ended.stdout]).toEqual([1, ''])
    expect(ended.stderr).not.toMatch(/\n {4}at /)
  })
})
