import { readFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { KEYS_USAGE, keyCommand } from './auth/key-commands.ts'
import { type MasterKeys, parseMasterKeys } from './auth/secrets.ts'
import { DEPLOY_USAGE, deployCommand } from './chain/deploy/deploy-command.ts'
import { webhookTargets } from './config.ts'
import { createPool, type Sql } from './db/pool.ts'
import { systemClock } from './lib/clock.ts'
import { AppError } from './lib/errors.ts'
import { SPLITS_USAGE, splitCommand } from './stock/keeper/split-commands.ts'
import { RECONCILE_USAGE, reconcileCommand } from './stock/reconciliation/reconcile-command.ts'
import { WEBHOOKS_USAGE, webhookCommand } from './stock/webhooks/commands.ts'

/** The operator's command line. Exit code 0, or 1 with the reason on stderr; `reconcile` has a 2 of its own. */
async function main(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const [topic, ...rest] = args
  if (topic === 'deploy') {
    const progress = (text: string) => void process.stderr.write(`  ${text}\n`)
    process.stdout.write(await deployCommand(rest, { env, progress }))
    return 0
  }
  if (topic !== 'keys' && topic !== 'splits' && topic !== 'webhooks' && topic !== 'reconcile') {
    process.stderr.write(`${KEYS_USAGE}\n${WEBHOOKS_USAGE}\n${SPLITS_USAGE}\n${RECONCILE_USAGE}\n${DEPLOY_USAGE}`)
    return topic === undefined || topic === 'help' || topic === '--help' ? 0 : 1
  }
  const dataDir = env.DATA_DIR || '.data'
  const url = await databaseUrl(env, dataDir)
  const sql = createPool({ url, maxConnections: 1, applicationName: 'bourse cli' })
  try {
    const chainId = Number(env.CHAIN_ID || 31337)
    const actor = `cli:${userInfo().username}`
    const context = { sql, chainId, actor, masterKeys: () => masterKeys(env, dataDir) }
    const { text, exitCode } =
      topic === 'reconcile'
        ? await reconcileCommand(rest, context)
        : { text: await run(topic, rest, context, env), exitCode: 0 }
    process.stdout.write(text)
    return exitCode
  } finally {
    await sql.end({ timeout: 5 })
  }
}

interface CommandContext {
  readonly sql: Sql
  readonly chainId: number
  readonly actor: string
  readonly masterKeys: () => Promise<MasterKeys>
}

function run(
  topic: 'keys' | 'splits' | 'webhooks',
  args: readonly string[],
  context: CommandContext,
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const { chainId } = context
  if (topic === 'splits') return splitCommand(args, { ...context, clock: systemClock })
  if (topic === 'webhooks') {
    return webhookCommand(args, { ...context, targets: webhookTargets(env.WEBHOOK_TARGETS || undefined, chainId) })
  }
  return keyCommand(args, { ...context, defaults: { chainId, productType: env.STOCK_PRODUCT || 'Bourse' } })
}

/** DATABASE_URL, else the database of the embedded venue that runs on DATA_DIR. */
async function databaseUrl(env: NodeJS.ProcessEnv, dataDir: string): Promise<string> {
  if (env.DATABASE_URL) return env.DATABASE_URL
  const recorded = await readIfThere(join(dataDir, 'database.url'))
  if (recorded !== null) return recorded
  throw new Error(`no venue runs on ${dataDir}: start one (npm start), set DATA_DIR, or set DATABASE_URL`)
}

/** SECRETS_KEY, else the key that the embedded venue keeps in DATA_DIR. */
async function masterKeys(env: NodeJS.ProcessEnv, dataDir: string): Promise<MasterKeys> {
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

try {
  process.exitCode = await main(process.argv.slice(2), process.env)
} catch (error) {
  process.stderr.write(`${explain(error)}\n`)
  process.exitCode = 1
}
