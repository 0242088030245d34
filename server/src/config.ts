import Type, { type Static } from 'typebox'
import { Value } from 'typebox/value'
import { parseMasterKeys } from './auth/secrets.ts'
import { brokerProblems, brokerVariables } from './broker-config.ts'
import { DEFAULT_GAS_PER_DAY } from './delegation/submit.ts'
import { DEFAULT_STREAM_LIMITS, type StreamLimits } from './http/stream-source.ts'
import { type BufferTarget, type BufferTargets, DEFAULT_BUFFER_TARGETS } from './stock/keeper/refill-buffers.ts'
import { DEFAULT_STREAM_SETTINGS, type StreamSettings } from './stock/services.ts'
import type { WebhookTargets } from './stock/webhooks/target.ts'

const roles = ['api', 'indexer', 'keeper', 'relayer'] as const
export type Role = (typeof roles)[number]

const privateKey = (description: string) => Type.Optional(Type.String({ pattern: '^0x[0-9a-fA-F]{64}$', description }))
const bufferPercent = (buffer: string, { refillBelowPercent, targetPercent }: BufferTarget) =>
  Type.String({
    pattern: '^(100|[1-9]?[0-9]):(100|[1-9]?[0-9])$',
    default: `${refillBelowPercent}:${targetPercent}`,
    description: `two percentages of the capacity such as ${refillBelowPercent}:${targetPercent}, the first not above the second: below the first ${buffer} is refilled up to the second`,
  })
const positive = (value: number, maximum: number, description: string) =>
  Type.Integer({ minimum: 1, maximum, default: value, description: `${description}; 1 to ${maximum}` })
const url = (scheme: string, description: string) =>
  Type.Optional(Type.String({ pattern: `^${scheme}://.+`, description }))

/** Every variable the venue reads, with what it accepts (design 6). Nothing else in the environment changes it. */
export const variables = Type.Object({
  PORT: Type.Integer({ minimum: 0, maximum: 65_535, default: 8080, description: 'a port; 0 takes any free one' }),
  HOST: Type.String({ default: '127.0.0.1', description: 'the address to listen on' }),
  DATA_DIR: Type.String({
    minLength: 1,
    default: '.data',
    description: 'a folder for all that the embedded parts keep',
  }),
  ROLES: Type.String({
    pattern: `^(${roles.join('|')})(,(${roles.join('|')}))*$`,
    default: roles.join(','),
    description: `a comma-separated list of ${roles.join(', ')}`,
  }),
  DATABASE_URL: url('postgres(ql)?', 'postgres://user:password@host:port/database; an embedded server when unset'),
  REDIS_URL: url('rediss?', 'redis://host:port; in-process stores when unset'),
  CHAIN_RPC_URL: url('https?', 'the http(s) address of a JSON-RPC node; an embedded chain when unset'),
  CHAIN_ID: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, default: 31_337, description: 'a chain id' }),
  DEPLOYMENT_FILE: Type.Optional(
    Type.String({ minLength: 1, description: 'a deployment file; contracts/deployments/<CHAIN_ID>.json when unset' }),
  ),
  STOCK_PREFIX: Type.String({
    pattern: '^(/[A-Za-z0-9_-]+)*$',
    default: '/stock',
    description: 'a path such as /stock',
  }),
  STOCK_PRODUCT: Type.String({
    pattern: '^[A-Za-z0-9_-]+$',
    default: 'Bourse',
    description: 'the exact value of x-api-p',
  }),
  TLS_CERT: Type.Optional(Type.String({ minLength: 1, description: 'a PEM file' })),
  TLS_KEY: Type.Optional(Type.String({ minLength: 1, description: 'a PEM file' })),
  TRUSTED_PROXIES: Type.String({ default: '', description: 'comma-separated addresses or CIDR ranges' }),
  SECRETS_KEY: Type.Optional(
    Type.String({
      minLength: 1,
      description: '32 bytes in hex or base64 that encrypt API secrets at rest, or several as 2:<bytes>,1:<bytes>',
    }),
  ),
  SIGNER_SETTLE_KEY: privateKey('the private key (0x and 64 hex digits) that settles orders and cash'),
  SIGNER_ORACLE_KEY: privateKey('the private key (0x and 64 hex digits) that publishes oracle prices'),
  SIGNER_SUBMIT_KEYS: Type.Optional(
    Type.String({
      pattern: '^0x[0-9a-fA-F]{64}(,0x[0-9a-fA-F]{64})*$',
      description: 'private keys (0x and 64 hex digits), comma-separated, that submit for users with One Click',
    }),
  ),
  SUBMIT_GAS_PER_DAY: Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    default: Number(DEFAULT_GAS_PER_DAY),
    description: 'gas that the One Click sends of one API key may use within 24 hours',
  }),
  SIGNER_CONFIGURE_KEY: privateKey('the private key (0x and 64 hex digits) that applies splits to stock tokens'),
  CREDIT_BUFFER_PERCENT: bufferPercent('the credit buffer', DEFAULT_BUFFER_TARGETS.credit),
  WITHDRAW_BUFFER_PERCENT: bufferPercent('a withdrawal buffer', DEFAULT_BUFFER_TARGETS.withdraw),
  MARKET_SEED: Type.String({ minLength: 1, default: 'bourse', description: 'the seed of the simulated market' }),
  MARKET_RECORDED_FILES: Type.Optional(
    Type.String({
      pattern: '^[A-Z.]+=[^,]+(,[A-Z.]+=[^,]+)*$',
      description: 'SYMBOL=path to a CSV of daily bars, comma-separated',
    }),
  ),
  MARKET_HOURS: Type.Union([Type.Literal('always'), Type.Literal('calendar')], {
    default: 'always',
    description: 'always (the simulated market never closes) or calendar (it keeps the hours of the US stock market)',
  }),
  MARKET_CORPORATE_ACTIONS: Type.Optional(
    Type.String({ minLength: 1, description: 'a CSV file of splits, dividends and spin-offs' }),
  ),
  ...brokerVariables,
  STREAM_CONNECTIONS_PER_KEY: positive(
    DEFAULT_STREAM_LIMITS.connectionsPerKey,
    10_000,
    'how many WebSocket connections an API key may have to one process',
  ),
  STREAM_CHANNELS_PER_CONNECTION: positive(
    DEFAULT_STREAM_LIMITS.channelsPerConnection,
    10_000,
    'how many channels one WebSocket connection may follow',
  ),
  STREAM_BUFFER_BYTES: positive(
    DEFAULT_STREAM_LIMITS.bufferBytes,
    1024 ** 3,
    'bytes that may wait to be read by one WebSocket connection before it is cut',
  ),
  STREAM_HEARTBEAT_SEC: positive(
    DEFAULT_STREAM_LIMITS.heartbeatMs / 1000,
    3600,
    'seconds between two heartbeats of a WebSocket connection',
  ),
  OUTBOX_RETENTION_DAYS: positive(
    DEFAULT_STREAM_SETTINGS.outboxRetentionDays,
    3650,
    'days for which messages can be resumed from and replayed; more than WEBHOOK_GIVE_UP_HOURS',
  ),
  WEBHOOK_TARGETS: Type.Optional(
    Type.Union([Type.Literal('public'), Type.Literal('any')], {
      description: 'public (only https addresses of the public internet) or any',
    }),
  ),
  WEBHOOK_GIVE_UP_HOURS: positive(
    DEFAULT_STREAM_SETTINGS.webhookGiveUpHours,
    24 * 3650,
    'hours after which a webhook that keeps failing is disabled',
  ),
  LOG_LEVEL: Type.Union(
    (['fatal', 'error', 'warn', 'info', 'debug', 'silent'] as const).map((level) => Type.Literal(level)),
    { default: 'warn', description: 'one of fatal, error, warn, info, debug, silent' },
  ),
})

export type Variables = Static<typeof variables>

/** The venue's configuration, after every variable was checked. */
export interface Config
  extends Omit<Variables, 'ROLES' | 'TRUSTED_PROXIES' | 'CREDIT_BUFFER_PERCENT' | 'WITHDRAW_BUFFER_PERCENT'> {
  readonly roles: ReadonlySet<Role>
  readonly trustedProxies: readonly string[]
  readonly buffers: BufferTargets
  readonly streamLimits: StreamLimits
  readonly streams: StreamSettings
}

/** A variable that stops the start; the message names it, its value's shape and what would be right. */
export class ConfigError extends Error {}

/** Reads and checks the environment. Throws `ConfigError` with one line for each bad variable. */
export function loadConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const names = Object.keys(variables.properties) as (keyof Variables)[]
  const given = names.flatMap((name) => (environment[name] ? [[name, read(name, environment[name])] as const] : []))
  const values = Value.Default(variables, Object.fromEntries(given)) as Variables
  const problems = names
    .filter((name) => !Value.Check(variables.properties[name], values[name]) && values[name] !== undefined)
    .map((name) => `${name} is not valid: it must be ${wanted(name)}`)
  problems.push(...combinations(values), ...brokerProblems(values, new Set(given.map(([name]) => name))))
  if (problems.length > 0) throw new ConfigError(problems.join('\n'))
  const { ROLES, TRUSTED_PROXIES, CREDIT_BUFFER_PERCENT, WITHDRAW_BUFFER_PERCENT, ...rest } = values
  return {
    ...rest,
    roles: new Set(ROLES.split(',') as Role[]),
    trustedProxies: TRUSTED_PROXIES.split(',')
      .map((entry) => entry.trim())
      .filter(Boolean),
    streamLimits: {
      connectionsPerKey: rest.STREAM_CONNECTIONS_PER_KEY,
      channelsPerConnection: rest.STREAM_CHANNELS_PER_CONNECTION,
      bufferBytes: rest.STREAM_BUFFER_BYTES,
      heartbeatMs: rest.STREAM_HEARTBEAT_SEC * 1000,
    },
    streams: {
      outboxRetentionDays: rest.OUTBOX_RETENTION_DAYS,
      webhookTargets: webhookTargets(rest.WEBHOOK_TARGETS, rest.CHAIN_ID),
      webhookGiveUpHours: rest.WEBHOOK_GIVE_UP_HOURS,
    },
    buffers: { credit: bufferTarget(CREDIT_BUFFER_PERCENT), withdraw: bufferTarget(WITHDRAW_BUFFER_PERCENT) },
  }
}

const DEVELOPMENT_CHAIN = 31_337

/** WEBHOOK_TARGETS, else what suits the chain: a development venue delivers anywhere, any other to the public internet. */
export function webhookTargets(given: string | undefined, chainId: number): WebhookTargets {
  if (given === 'any' || given === 'public') return given
  return given === undefined && chainId === DEVELOPMENT_CHAIN ? 'any' : 'public'
}

function bufferTarget(text: string): BufferTarget {
  const [refillBelowPercent = 0, targetPercent = 0] = text.split(':').map(Number)
  return { refillBelowPercent, targetPercent }
}

/** Digits become an integer where one is wanted; anything else stays text and fails the check instead of being bent. */
function read(name: keyof Variables, text: string): string | number {
  return 'type' in variables.properties[name] && variables.properties[name].type === 'integer' && /^\d+$/.test(text)
    ? Number(text)
    : text
}

const wanted = (name: keyof Variables) => (variables.properties[name] as { description?: string }).description

/** Rules between variables: what a part needs when it is not the embedded one. */
function combinations(values: Variables): string[] {
  const selected = values.ROLES.split(',')
  const external = values.CHAIN_RPC_URL !== undefined
  const problems: string[] = []
  const need = (condition: boolean, name: keyof Variables, why: string) => {
    if (condition && values[name] === undefined) problems.push(`${name} must be set ${why}`)
  }
  need(
    values.DATABASE_URL !== undefined && selected.includes('api'),
    'SECRETS_KEY',
    'for the role api on a DATABASE_URL',
  )
  need(external && selected.includes('relayer'), 'SIGNER_SETTLE_KEY', 'for the role relayer on a CHAIN_RPC_URL')
  need(external && selected.includes('relayer'), 'SIGNER_ORACLE_KEY', 'for the role relayer on a CHAIN_RPC_URL')
  need(values.TLS_CERT !== undefined, 'TLS_KEY', 'together with TLS_CERT')
  need(values.TLS_KEY !== undefined, 'TLS_CERT', 'together with TLS_KEY')
  if (values.SECRETS_KEY !== undefined && !opensMasterKeys(values.SECRETS_KEY)) {
    problems.push(`SECRETS_KEY is not valid: it must be ${wanted('SECRETS_KEY')}`)
  }
  for (const name of ['CREDIT_BUFFER_PERCENT', 'WITHDRAW_BUFFER_PERCENT'] as const) {
    const { refillBelowPercent, targetPercent } = bufferTarget(values[name])
    if (refillBelowPercent > targetPercent) problems.push(`${name} is not valid: it must be ${wanted(name)}`)
  }
  if (values.OUTBOX_RETENTION_DAYS * 24 <= values.WEBHOOK_GIVE_UP_HOURS) {
    problems.push(
      'OUTBOX_RETENTION_DAYS must be longer than WEBHOOK_GIVE_UP_HOURS: a webhook needs what it has not had',
    )
  }
  if (external && values.DATABASE_URL === undefined) {
    problems.push(
      'DATABASE_URL must be set together with CHAIN_RPC_URL: the embedded database belongs to the embedded chain',
    )
  }
  return problems
}

function opensMasterKeys(text: string): boolean {
  try {
    parseMasterKeys(text)
    return true
  } catch {
    return false
  }
}
