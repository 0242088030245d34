import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { ConfigError, loadConfig, readSecretFiles, secretVariables } from './config.ts'

const KEY = `0x${'1'.repeat(64)}`

describe('loadConfig', () => {
  it('has a default for everything the embedded venue needs', () => {
    const config = loadConfig({})
    expect(config).toMatchObject({ PORT: 8080, HOST: '127.0.0.1', DATA_DIR: '.data', CHAIN_ID: 31_337 })
    expect(config).toMatchObject({ STOCK_PREFIX: '/stock', STOCK_PRODUCT: 'Bourse', trustedProxies: [] })
    expect([...config.roles]).toEqual(['api', 'indexer', 'keeper', 'relayer'])
    expect(config.DATABASE_URL).toBeUndefined()
  })

  it('reads what is set', () => {
    const config = loadConfig({ PORT: '9000', ROLES: 'api,keeper', TRUSTED_PROXIES: '10.0.0.0/8, ::1', UNRELATED: 'x' })
    expect(config.PORT).toBe(9000)
    expect([...config.roles]).toEqual(['api', 'keeper'])
    expect(config.trustedProxies).toEqual(['10.0.0.0/8', '::1'])
  })

  it.each([
    ['PORT', 'eighty'],
    ['PORT', '70000'],
    ['PORT', '80.5'],
    ['ROLES', 'api,cook'],
    ['DATABASE_URL', 'mysql://host/db'],
    ['REDIS_URL', 'host:6379'],
    ['CHAIN_RPC_URL', 'ws://node'],
    ['CHAIN_ID', '0'],
    ['STOCK_PREFIX', 'stock'],
    ['SECRETS_KEY', 'abc'],
    ['SIGNER_SETTLE_KEY', '0x12'],
    ['MARKET_HOURS', 'weekdays'],
    ['STREAM_BUFFER_BYTES', '0'],
    ['STREAM_HEARTBEAT_SEC', 'often'],
    ['WEBHOOK_TARGETS', 'private'],
    ['BROKER', 'paper'],
    ['ALPACA_SECRET_KEY', 'two words'],
    ['ALPACA_SYMBOLS', 'AAPL, MSFT'],
    ['ALPACA_FEED', 'boats'],
    ['ALPACA_TRADING_URL', 'http://paper-api.alpaca.markets'],
    ['ALPACA_DATA_URL', 'https://user:secret@data.alpaca.markets'],
    ['ALPACA_STREAM_URL', 'https://stream.data.alpaca.markets'],
    ['LOG_LEVEL', 'loud'],
  ])('stops on a bad %s (%s), names it and keeps its value to itself', (name, value) => {
    const load = () => loadConfig({ [name]: value })
    expect(load).toThrow(ConfigError)
    expect(load).toThrow(new RegExp(`^${name} is not valid: it must be `, 'm'))
  })

  it('delivers webhooks anywhere on the development chain alone, unless told', () => {
    const targets = (environment: Record<string, string>) => loadConfig(environment).push.webhookTargets
    expect(targets({})).toBe('any')
    expect(targets({ WEBHOOK_TARGETS: 'public' })).toBe('public')
    expect(targets({ CHAIN_ID: '1' })).toBe('public')
    // A local chain by the id of a public one has no laxer rules than that.
    expect(targets({ CHAIN_ID: '20250903' })).toBe('public')
    expect(targets({ CHAIN_ID: '1', WEBHOOK_TARGETS: 'any' })).toBe('any')
    expect(targets({ WEBHOOK_TARGETS: 'none' })).toBe('none')
  })

  it('keeps messages for longer than it tries to deliver them', () => {
    const load = (days: string, hours: string) => () =>
      loadConfig({ OUTBOX_RETENTION_DAYS: days, WEBHOOK_GIVE_UP_HOURS: hours })
    expect(load('2', '48')).toThrow(/OUTBOX_RETENTION_DAYS must be longer/)
    expect(load('2', '47')().push).toMatchObject({ outboxRetentionDays: 2, webhookGiveUpHours: 47 })
  })

  it('lets a relayer hold the keys that submit alone, and on a development chain beside the others', () => {
    const relayer = { CHAIN_RPC_URL: 'http://h', DATABASE_URL: 'postgres://h/d', ROLES: 'relayer' }
    expect(loadConfig({ ...relayer, CHAIN_ID: '8453', SIGNER_SUBMIT_KEYS: KEY }).roles).toContain('relayer')
    const both = { SIGNER_SETTLE_KEY: KEY, SIGNER_ORACLE_KEY: KEY, SIGNER_SUBMIT_KEYS: KEY }
    expect(loadConfig({ ...relayer, ...both }).roles).toContain('relayer')
    for (const CHAIN_ID of ['8453', '20250903']) {
      expect(() => loadConfig({ ...relayer, ...both, CHAIN_ID })).toThrow(ConfigError)
    }
  })

  it('names every bad variable at once', () => {
    expect(() => loadConfig({ PORT: 'x', CHAIN_ID: 'y' })).toThrow(/PORT[\s\S]*CHAIN_ID/)
  })

  it.each([
    [{ DATABASE_URL: 'postgres://h/d' }, /SECRETS_KEY must be set/],
    [
      { CHAIN_RPC_URL: 'http://h' },
      /SIGNER_SETTLE_KEY must be set[\s\S]*SIGNER_ORACLE_KEY must be set[\s\S]*DATABASE_URL must be set/,
    ],
    [
      { CHAIN_ID: '8453', SIGNER_SETTLE_KEY: KEY, SIGNER_SUBMIT_KEYS: KEY },
      /SIGNER_SUBMIT_KEYS must not be in one process with SIGNER_SETTLE_KEY/,
    ],
    [{ TLS_CERT: 'cert.pem' }, /TLS_KEY must be set/],
    [{ TLS_KEY: 'key.pem' }, /TLS_CERT must be set/],
  ])('refuses the half of a pair: %j', (environment, message) => {
    expect(() => loadConfig(environment)).toThrow(message)
  })

  describe('a secret in a file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'bourse-secrets-'))
    afterAll(() => rmSync(folder, { recursive: true }))
    const file = (name: string, text: string) => {
      writeFileSync(join(folder, name), text)
      return join(folder, name)
    }

    it('takes the place of its variable, whichever it is', () => {
      const path = file('any', ' the secret\n')
      expect([...secretVariables()].sort()).toEqual([
        'ALPACA_KEY_ID',
        'ALPACA_SECRET_KEY',
        'CHAIN_RPC_URL',
        'DATABASE_URL',
        'DEPLOYER_KEY',
        'REDIS_URL',
        'SECRETS_KEY',
        'SIGNER_CONFIGURE_KEY',
        'SIGNER_ORACLE_KEY',
        'SIGNER_PERP_FEED_KEY',
        'SIGNER_PERP_KEEPER_KEY',
        'SIGNER_SETTLE_KEY',
        'SIGNER_SUBMIT_KEYS',
      ])
      for (const name of secretVariables()) {
        expect(readSecretFiles({ [`${name}_FILE`]: path, PORT: '1' })).toEqual({ [name]: 'the secret', PORT: '1' })
      }
    })

    it('is checked as the variable is, and not shown', () => {
      const load = () => loadConfig({ SIGNER_SETTLE_KEY_FILE: file('bad', '0x12') })
      expect(load).toThrow(/^SIGNER_SETTLE_KEY is not valid: it must be (?!.*0x12)/)
      expect(loadConfig({ SIGNER_SETTLE_KEY_FILE: file('good', `${KEY}\n`) }).values.SIGNER_SETTLE_KEY).toBe(KEY)
    })

    it.each([
      [{ SECRETS_KEY: 'x', SECRETS_KEY_FILE: '/dev/null' }, /SECRETS_KEY and SECRETS_KEY_FILE are both set/],
      [{ SECRETS_KEY_FILE: '/dev/null' }, /^SECRETS_KEY_FILE names an empty file$/],
      [{ REDIS_URL_FILE: '/nowhere/redis' }, /^REDIS_URL_FILE names a file that cannot be read \(ENOENT\)$/],
    ])('is refused for %j', (environment, message) => {
      expect(() => loadConfig(environment)).toThrow(ConfigError)
      expect(() => loadConfig(environment)).toThrow(message)
    })

    it('is only for secrets', () => {
      expect(loadConfig({ PORT_FILE: '/nowhere', DEPLOYMENT_FILE: 'd.json' })).toMatchObject({ PORT: 8080 })
    })
  })

  describe('with BROKER=alpaca', () => {
    const alpaca = { BROKER: 'alpaca', ALPACA_KEY_ID: 'PK1', ALPACA_SECRET_KEY: 's', ALPACA_SYMBOLS: 'AAPL,BRK.B' }

    it('trades on paper unless told otherwise', () => {
      expect(loadConfig({ ...alpaca, MARKET_HOURS: 'calendar' })).toMatchObject({
        ALPACA_TRADING_URL: 'https://paper-api.alpaca.markets',
        ALPACA_FEED: 'iex',
      })
    })

    it.each([
      [{ ...alpaca, MARKET_HOURS: 'always' }, /^MARKET_HOURS must be calendar with BROKER=alpaca$/],
      [{ ...alpaca }, /^MARKET_HOURS must be calendar/],
      [
        { BROKER: 'alpaca', MARKET_HOURS: 'calendar' },
        /ALPACA_KEY_ID must[\s\S]*ALPACA_SECRET_KEY must[\s\S]*ALPACA_SYMBOLS must/,
      ],
      [{ ...alpaca, MARKET_HOURS: 'calendar', MARKET_SEED: 'bourse' }, /^MARKET_SEED does not apply/],
      [{ ...alpaca, MARKET_HOURS: 'calendar', MARKET_RECORDED_FILES: 'SPX=a.csv' }, /^MARKET_RECORDED_FILES does not/],
      [
        { ...alpaca, MARKET_HOURS: 'calendar', MARKET_CORPORATE_ACTIONS: 'a.csv' },
        /^MARKET_CORPORATE_ACTIONS does not/,
      ],
    ])('refuses %j', (environment, message) => {
      expect(() => loadConfig(environment)).toThrow(message)
    })

    it('gives the key only to who asks the broker', () => {
      const external = { CHAIN_RPC_URL: 'http://h', DATABASE_URL: 'postgres://h/d', MARKET_HOURS: 'calendar' }
      const load = (ROLES: string) => () => loadConfig({ BROKER: 'alpaca', ...external, ROLES })
      expect(load('indexer')().BROKER).toBe('alpaca')
      expect(load('indexer,keeper')).toThrow(/ALPACA_SECRET_KEY must be set/)
    })
  })
})
