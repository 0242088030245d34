import { parseArgs } from 'node:util'
import type { Sql } from '../db/pool.ts'
import type { Access } from '../http/caller.ts'
import { isDate } from '../lib/dates.ts'
import { AppError } from '../lib/errors.ts'
import { createKey, disableKey, type IssuedKey, type KeyInfo, listKeys, reencryptKeys, rotateKey } from './keys.ts'
import { authReasons } from './reasons.ts'
import type { MasterKeys } from './secrets.ts'

export const KEYS_USAGE = `Usage: npm run bourse -- keys <command>

  keys create --label <text> --access READ_ONLY|WRITABLE --ip <address or range> [--ip …]
              [--user <0x wallet>] [--expires <ISO 8601 time>] [--chain-id <number>] [--product <name>]
                        issues a key and shows its secret, this once; a range is one such as 10.0.0.0/8 or 2001:db8::/32
  keys list             shows all keys, without secrets
  keys disable <key>    ends a key for good
  keys rotate <key>     gives a key a new secret; the old one stops working at once
  keys reencrypt        encrypts all secrets under the newest version in SECRETS_KEY
`

export interface KeyCommandContext {
  readonly sql: Sql
  /** Called only by the commands that touch a secret. */
  readonly masterKeys: () => Promise<MasterKeys>
  readonly defaults: { readonly chainId: number; readonly productType: string }
  /** Products whose keys work from every address. */
  readonly fromAnywhere: readonly string[]
  /** Who acts, for the audit log. */
  readonly actor: string
}

/** Runs `keys <args>` and answers what to print. Throws an `AppError` whose message says what is wrong. */
export async function keyCommand(args: readonly string[], context: KeyCommandContext): Promise<string> {
  const [command, ...rest] = args
  const { sql, actor } = context
  switch (command) {
    case 'create':
      return create(rest, context)
    case 'list':
      nothingMore(rest)
      return keyTable(await listKeys(sql))
    case 'disable': {
      const apiKey = onlyKey(rest)
      await disableKey(sql, apiKey, actor)
      return `API key ${apiKey} is disabled.\n`
    }
    case 'rotate': {
      const issued = await rotateKey(sql, await context.masterKeys(), onlyKey(rest), actor)
      return `${shown(issued)}The old secret has stopped working.\n`
    }
    case 'reencrypt': {
      nothingMore(rest)
      const count = await reencryptKeys(sql, await context.masterKeys(), actor)
      return `${count} secrets encrypted anew.\n`
    }
    default:
      throw invalid(`${command === undefined ? 'a command is missing' : `unknown command ${command}`}\n\n${KEYS_USAGE}`)
  }
}

async function create(args: readonly string[], context: KeyCommandContext): Promise<string> {
  const options = parseCreate(args)
  if (options.label === undefined) throw invalid('--label is required: say whose key it is')
  if (options.access === undefined) throw invalid('--access is required: READ_ONLY or WRITABLE')
  const productType = options.product ?? context.defaults.productType
  const issued = await createKey(
    context.sql,
    await context.masterKeys(),
    {
      label: options.label,
      access: options.access as Access,
      chainId: options['chain-id'] === undefined ? context.defaults.chainId : positiveInteger(options['chain-id']),
      productType,
      ipWhitelist: options.ip ?? [],
      userAddress: options.user ?? null,
      expiresAt: options.expires === undefined ? null : time(options.expires),
    },
    context.actor,
  )
  const isOpen = options.ip !== undefined || context.fromAnywhere.includes(productType)
  const warning = isOpen ? '' : 'The key has no --ip, so every request with it will be rejected.\n'
  return `${shown(issued)}${warning}`
}

function parseCreate(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        label: { type: 'string' },
        access: { type: 'string' },
        ip: { type: 'string', multiple: true },
        user: { type: 'string' },
        expires: { type: 'string' },
        'chain-id': { type: 'string' },
        product: { type: 'string' },
      },
    }).values
  } catch (cause) {
    throw invalid(`${cause instanceof Error ? cause.message : 'the options cannot be read'}\n\n${KEYS_USAGE}`)
  }
}

function onlyKey(args: readonly string[]): string {
  const [apiKey, ...rest] = args
  if (apiKey === undefined) throw invalid('the API key is missing; see: npm run bourse -- keys list')
  nothingMore(rest)
  return apiKey
}

function nothingMore(args: readonly string[]): void {
  if (args.length > 0) throw invalid(`unexpected ${args.join(' ')}\n\n${KEYS_USAGE}`)
}

function positiveInteger(text: string): number {
  if (!/^[1-9]\d{0,15}$/.test(text)) throw invalid(`--chain-id must be a decimal number, got ${text}`)
  return Number(text)
}

function time(text: string): Date {
  const date = new Date(text)
  const isIso = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/.test(text)
  // A day that its month does not have would be one of the next month.
  if (!isIso || !isDate(text.slice(0, 10)) || Number.isNaN(date.getTime())) {
    throw invalid(`--expires must be a time such as 2030-01-31T00:00:00Z, got ${text}`)
  }
  return date
}

function shown({ apiKey, apiSecret }: IssuedKey): string {
  return `API key:    ${apiKey}\nAPI secret: ${apiSecret}\nThe secret is shown only now. Store it safely.\n`
}

function keyTable(keys: readonly KeyInfo[]): string {
  if (keys.length === 0) return 'There are no API keys.\n'
  const header = ['API KEY', 'STATE', 'ACCESS', 'CHAIN', 'PRODUCT', 'USER', 'ADDRESSES', 'EXPIRES', 'LABEL']
  const rows = [header, ...keys.flatMap(keyLines)]
  const widths = header.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
  const line = (row: string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')
  return `${rows.map((row) => line(row).trimEnd()).join('\n')}\n`
}

/** One line for each scope. */
function keyLines(key: KeyInfo): string[][] {
  const expires = key.expiresAt?.toISOString() ?? 'never'
  return key.scopes.map((scope) => [
    key.apiKey,
    key.state,
    scope.access,
    String(scope.chainId),
    scope.productType,
    key.userAddress ?? '-',
    key.ipWhitelist.join(',') || 'none',
    expires,
    key.label,
  ])
}

const invalid = (message: string): AppError => new AppError(authReasons.key_input_invalid, message)
