import { readFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { KEYS_USAGE, keyCommand } from './auth/key-commands.ts'
import { type MasterKeys, parseMasterKeys } from './auth/secrets.ts'
import { chainForCommand } from './chain/database-chain.ts'
import { DEPLOY_USAGE, deployCommand } from './chain/deploy/deploy-command.ts'
import { INTENTS_USAGE, intentCommand } from './chain/send/intent-commands.ts'
import { loadValues, readSecretFiles } from './config.ts'
import { createPool, type Sql } from './db/pool.ts'
import type { Command, CommandContext } from './http/product.ts'
import { systemClock } from './lib/clock.ts'
import { AppError } from './lib/errors.ts'
import type { Environment } from './lib/variables.ts'
import { STREAMS_USAGE, streamCommand } from './push/stream-commands.ts'
import { pushSettings } from './push/variables.ts'
import { webhookCommand, webhooksUsage } from './push/webhook-commands.ts'
import { RECONCILE_USAGE, reconcileCommand } from './reconciliation/reconcile-command.ts'
import { keyChannels, products, reconciledProducts, type VenueProduct } from './roles/products.ts'

const HELP = ['--help', '-h', 'help']

/** The usage of each topic. */
const usagesOf = (products: readonly VenueProduct[]): ReadonlyMap<string, string> =>
  new Map([
    ['keys', KEYS_USAGE],
    ['webhooks', webhooksUsage(keyChannels(products))],
    ['streams', STREAMS_USAGE],
    ['reconcile', RECONCILE_USAGE],
    ['intents', INTENTS_USAGE],
    ...products.flatMap(({ commands }) => commands.map(({ topic, usage }) => [topic, usage] as const)),
    ['deploy', DEPLOY_USAGE],
  ])

/** Exit code 0, or 1 with the reason on stderr, unless the command has one of its own. */
async function main(products: readonly VenueProduct[], args: readonly string[], env: Environment): Promise<number> {
  const [topic, ...rest] = args
  const usages = usagesOf(products)
  const usage = helpOf(usages, topic, rest)
  if (usage !== null) {
    process.stdout.write(usage)
    return 0
  }
  if (topic === 'deploy') {
    const deployments = products.flatMap(({ deployment }) => deployment ?? [])
    const progress = (text: string) => void process.stderr.write(`  ${text}\n`)
    process.stdout.write(await deployCommand(rest, { products: deployments, env, progress }))
    return 0
  }
  const command = commandOf(products, topic)
  if (!command) {
    process.stderr.write(allOf(usages))
    return 1
  }
  const values = loadValues(env, products)
  const dataDir = String(values.DATA_DIR)
  const url = await databaseUrl(env, dataDir)
  const sql = createPool({ url, maxConnections: 1, applicationName: 'bourse cli' })
  try {
    const chainId = await chainOf(sql, env, Number(values.CHAIN_ID))
    const context = {
      sql,
      chainId,
      actor: `cli:${userInfo().username}`,
      clock: systemClock,
      values: { ...values, CHAIN_ID: chainId },
      masterKeys: () => masterKeys(env, dataDir),
    }
    const done = await command(rest, context)
    process.stdout.write(typeof done === 'string' ? done : done.text)
    return typeof done === 'string' ? 0 : done.exitCode
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** What to print when help is asked for, of a topic or of all; null when it is not. Needs no venue. */
function helpOf(
  usages: ReadonlyMap<string, string>,
  topic: string | undefined,
  rest: readonly string[],
): string | null {
  if (topic === undefined || HELP.includes(topic)) return usages.get(rest[0] ?? '') ?? allOf(usages)
  const [command] = rest
  const asked = command !== undefined && (HELP.includes(command) || rest.includes('--help') || rest.includes('-h'))
  return asked ? (usages.get(topic) ?? null) : null
}

const allOf = (usages: ReadonlyMap<string, string>): string => [...usages.values()].join('\n')

interface VenueCommandContext extends CommandContext {
  readonly masterKeys: () => Promise<MasterKeys>
}
type Run = (args: readonly string[], context: VenueCommandContext) => ReturnType<Command['run']>

/** The commands of the venue itself, and of its products. */
function commandOf(products: readonly VenueProduct[], topic: string | undefined): Run | undefined {
  if (topic === 'keys') {
    return (args, context) => {
      const productType = products[0]?.keyScope(context.values) ?? ''
      const open = products.filter(({ keysFromAnywhere }) => keysFromAnywhere === true)
      const fromAnywhere = open.map(({ keyScope }) => keyScope(context.values))
      return keyCommand(args, { ...context, defaults: { chainId: context.chainId, productType }, fromAnywhere })
    }
  }
  if (topic === 'webhooks') {
    return (args, context) => {
      const targets = pushSettings(context.values).webhookTargets
      return webhookCommand(args, { ...context, channels: keyChannels(products), targets })
    }
  }
  if (topic === 'streams') return streamCommand
  if (topic === 'intents') return intentCommand
  if (topic === 'reconcile') {
    return (args, { sql, chainId }) => reconcileCommand(args, { sql, chainId, products: reconciledProducts(products) })
  }
  return products.flatMap(({ commands }) => commands).find((command) => command.topic === topic)?.run
}

/** The chain of a command. The default of CHAIN_ID is the embedded chain's: it says nothing of a database that is given by URL. */
function chainOf(sql: Sql, env: Environment, configured: number): Promise<number> {
  return chainForCommand(sql, env.CHAIN_ID ? configured : undefined, env.DATABASE_URL ? undefined : configured)
}

/** DATABASE_URL, else the database of the embedded venue that runs on DATA_DIR. */
async function databaseUrl(env: Environment, dataDir: string): Promise<string> {
  if (env.DATABASE_URL) return env.DATABASE_URL
  const recorded = await readIfThere(join(dataDir, 'database.url'))
  if (recorded !== null) return recorded
  throw new Error(
    `no venue runs on ${dataDir}: start one (npm start), set DATA_DIR, or set DATABASE_URL and CHAIN_ID as its processes have them`,
  )
}

/** SECRETS_KEY, else the key that the embedded venue keeps in DATA_DIR. */
async function masterKeys(env: Environment, dataDir: string): Promise<MasterKeys> {
  const text = env.SECRETS_KEY || (env.DATABASE_URL ? null : await readIfThere(join(dataDir, 'secrets.key')))
  if (text === null) throw new Error('SECRETS_KEY is not set: API secrets are encrypted under it')
  return parseMasterKeys(text)
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return (await readFile(path, 'utf8')).trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

function explain(error: unknown): string {
  if (error instanceof AppError) return error.message
  const { code, message } = error as { code?: string; message?: string }
  if (code === 'ECONNREFUSED') return `the database does not answer (${message}): is the venue running?`
  if (code === '42P01') return 'this database has no Bourse tables: start the venue on it once'
  return message ?? String(error)
}

/** The operator's command line of a venue with these products. */
export async function runCommandLine(products: readonly VenueProduct[]): Promise<void> {
  try {
    process.exitCode = await main(products, process.argv.slice(2), readSecretFiles(process.env, products))
  } catch (error) {
    process.stderr.write(`${explain(error)}\n`)
    process.exitCode = 1
  }
}

if (import.meta.main) await runCommandLine(products)
