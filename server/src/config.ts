import { readFileSync } from 'node:fs'
import Type from 'typebox'
import { parseMasterKeys } from './auth/secrets.ts'
import { DEVELOPMENT_CHAIN } from './chain/profiles.ts'
import type { SignerNeed } from './chain/send/signer.ts'
import { signerVariables } from './chain/send/signer-variables.ts'
import { delegationSigners, delegationVariables } from './delegation/variables.ts'
import type { StreamLimits } from './http/stream-source.ts'
import { browserSettings, browserVariables, streamLimits, streamVariables } from './http/variables.ts'
import {
  defineVariables,
  type Environment,
  notValid,
  propertiesOf,
  readVariables,
  secret,
  secretNames,
  type Values,
  type ValuesOf,
  type VariablePart,
  withSecretFiles,
} from './lib/variables.ts'
import { marketVariables } from './market/variables.ts'
import { type PushSettings, pushSettings, pushVariables } from './push/variables.ts'
import { products, type VenueProduct } from './roles/products.ts'

const roles = ['api', 'indexer', 'keeper', 'relayer'] as const
export type Role = (typeof roles)[number]

const url = (scheme: string, description: string) =>
  Type.Optional(Type.String({ pattern: `^${scheme}://.+`, description }))

/** What the process itself reads: where it listens, what it stands on, what it does. */
const processVariables = defineVariables({
  properties: {
    PORT: Type.Integer({ minimum: 0, maximum: 65_535, default: 8080, description: 'a port; 0 takes any free one' }),
    HOST: Type.String({ default: '127.0.0.1', description: 'the address to listen on' }),
    HEALTH_PORT: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 65_535,
        description: 'a port for /livez, /readyz, /status and /metrics alone; 0 takes any free one',
      }),
    ),
    HEALTH_HOST: Type.String({ default: '127.0.0.1', description: 'the address on which HEALTH_PORT listens' }),
    DRAIN_NOTICE_MS: Type.Integer({
      minimum: 0,
      maximum: 60_000,
      default: 500,
      description:
        'milliseconds between the 503 of /readyz and the last connection that the API accepts, at most 60000',
    }),
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
    DATABASE_URL: secret(
      url('postgres(ql)?', 'postgres://user:password@host:port/database; an embedded server when unset'),
    ),
    DATABASE_CONNECTIONS: Type.Integer({
      minimum: 4,
      maximum: 500,
      default: 12,
      description: 'a number of connections from 4 to 500, of this process to its database',
    }),
    REDIS_URL: secret(url('rediss?', 'redis://host:port; in-process stores when unset')),
    CHAIN_RPC_URL: secret(url('https?', 'the http(s) address of a JSON-RPC node; an embedded chain when unset')),
    CHAIN_ID: Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      default: DEVELOPMENT_CHAIN,
      description: 'a chain id',
    }),
    DEPLOYMENT_FILE: Type.Optional(
      Type.String({ minLength: 1, description: 'a deployment file; contracts/deployments/<CHAIN_ID>.json when unset' }),
    ),
    TLS_CERT: Type.Optional(Type.String({ minLength: 1, description: 'a PEM file' })),
    TLS_KEY: Type.Optional(Type.String({ minLength: 1, description: 'a PEM file' })),
    TRUSTED_PROXIES: Type.String({ default: '', description: 'comma-separated addresses or CIDR ranges' }),
    SECRETS_KEY: secret(
      Type.Optional(
        Type.String({
          minLength: 1,
          description: '32 bytes in hex or base64 that encrypt API secrets at rest, or several as 2:<bytes>,1:<bytes>',
        }),
      ),
    ),
    LOG_LEVEL: Type.Union(
      (['fatal', 'error', 'warn', 'info', 'debug', 'silent'] as const).map((level) => Type.Literal(level)),
      { default: 'warn', description: 'one of fatal, error, warn, info, debug, silent' },
    ),
  },
})
type ProcessValues = ValuesOf<typeof processVariables>

/** Every signer of a venue with these products. */
export const signersOf = (list: readonly VenueProduct[]): readonly SignerNeed[] => [
  ...delegationSigners,
  ...list.flatMap(({ signers }) => signers),
]

const partsOf = (list: readonly VenueProduct[]): readonly VariablePart[] => [
  signerVariables(signersOf(list)),
  { ...processVariables, problems: (values) => combinations(values as ProcessValues) },
  streamVariables,
  browserVariables,
  pushVariables,
  delegationVariables,
  marketVariables,
  ...list.map((product) => product.variables),
]

/** Every variable the venue reads, with what it accepts. Nothing else in the environment changes it. */
export const variables = Type.Object(propertiesOf(partsOf(products)))

/** The venue's configuration, after every variable was checked. */
export interface Config
  extends Omit<ProcessValues, 'ROLES' | 'TRUSTED_PROXIES'>,
    ValuesOf<typeof delegationVariables>,
    ValuesOf<typeof marketVariables> {
  readonly roles: ReadonlySet<Role>
  readonly trustedProxies: readonly string[]
  /** Origins of pages that are the venue's own beside those of its host. */
  readonly origins: readonly string[]
  readonly sessionMs: number
  readonly streamLimits: StreamLimits
  readonly push: PushSettings
  /** Every variable's value, those of the products too. */
  readonly values: Values
}

/** A variable that stops the start; the message names it, its value's shape and what would be right. */
export class ConfigError extends Error {}

/** The key that pays for a deployment: of the command line alone. */
const COMMAND_SECRETS = ['DEPLOYER_KEY']

/** The names of all secrets, each of which may come from a file that `<NAME>_FILE` names. */
export const secretVariables = (list: readonly VenueProduct[] = products): readonly string[] => [
  ...secretNames(partsOf(list)),
  ...COMMAND_SECRETS,
]

/** The environment with the secrets that stand in files. Throws `ConfigError` with one line for each bad file. */
export function readSecretFiles(environment: Environment, list: readonly VenueProduct[] = products): Environment {
  const read = withSecretFiles(secretVariables(list), environment, (path) => readFileSync(path, 'utf8'))
  if (read.problems.length > 0) throw new ConfigError(read.problems.join('\n'))
  return read.environment
}

/** Reads and checks the environment. Throws `ConfigError` with one line for each bad variable. */
export function loadConfig(environment: Environment, list: readonly VenueProduct[] = products): Config {
  const { values, problems } = readVariables(partsOf(list), readSecretFiles(environment, list))
  if (problems.length > 0) throw new ConfigError(problems.join('\n'))
  const checked = values as ProcessValues &
    ValuesOf<typeof streamVariables> &
    ValuesOf<typeof delegationVariables> &
    ValuesOf<typeof marketVariables>
  return {
    ...checked,
    values,
    roles: new Set(checked.ROLES.split(',') as Role[]),
    trustedProxies: checked.TRUSTED_PROXIES.split(',')
      .map((entry) => entry.trim())
      .filter(Boolean),
    streamLimits: streamLimits(checked),
    ...browserSettings(values),
    push: pushSettings(values),
  }
}

/**
 * The values alone, for commands: a command needs less than a process that serves, so rules between variables are not checked.
 * Throws `ConfigError` with one line for each variable whose own value is bad.
 */
export function loadValues(environment: Environment, list: readonly VenueProduct[] = products): Values {
  const parts = partsOf(list).map(({ properties }) => ({ properties }))
  const { values, problems } = readVariables(parts, readSecretFiles(environment, list))
  if (problems.length > 0) throw new ConfigError(problems.join('\n'))
  return values
}

/** Rules between variables: what a part needs when it is not the embedded one. */
function combinations(values: ProcessValues): string[] {
  const problems: string[] = []
  const need = (condition: boolean, name: keyof ProcessValues, why: string) => {
    if (condition && values[name] === undefined) problems.push(`${name} must be set ${why}`)
  }
  const servesApi = String(values.ROLES).split(',').includes('api')
  need(values.DATABASE_URL !== undefined && servesApi, 'SECRETS_KEY', 'for the role api on a DATABASE_URL')
  need(values.TLS_CERT !== undefined, 'TLS_KEY', 'together with TLS_CERT')
  need(values.TLS_KEY !== undefined, 'TLS_CERT', 'together with TLS_KEY')
  if (values.SECRETS_KEY !== undefined && !opensMasterKeys(values.SECRETS_KEY)) {
    problems.push(notValid('SECRETS_KEY', processVariables.properties.SECRETS_KEY))
  }
  if (values.CHAIN_RPC_URL !== undefined && values.DATABASE_URL === undefined) {
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
