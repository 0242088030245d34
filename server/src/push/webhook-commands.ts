import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { type MasterKeys, openSecret, sealSecret } from '../auth/secrets.ts'
import { insertAudit } from '../db/audit.ts'
import { loadHeads, oldestSequence, readMessages } from '../db/outbox.ts'
import { inTransaction, type Sql } from '../db/pool.ts'
import { AppError } from '../lib/errors.ts'
import { newId } from '../lib/ids.ts'
import { secretOwner } from './deliver.ts'
import { channelLabel, channelLabels, channelName, type KeyChannels, outboxChannel, ownerOf } from './key-channels.ts'
import { pushReasons } from './reasons.ts'
import type { WebhookTargets } from './variables.ts'
import {
  activateWebhook,
  deleteWebhook,
  findWebhook,
  findWebhookKey,
  insertWebhook,
  listCursors,
  listWebhooks,
  lockWebhook,
  replaceWebhookSecret,
  setCursor,
  type WebhookKey,
  type WebhookRow,
} from './webhook-store.ts'
import { requireDelivery, webhookUrl } from './webhook-target.ts'

/** How the commands are used, where products have these channels. */
export const webhooksUsage = (channels: readonly KeyChannels[]): string => `Usage: npm run bourse -- webhooks <command>

  webhooks add --key <API key> --url <URL>
                        tells the URL from now on what the key's channels tell; shows the secret that signs it, this once
  webhooks list         shows all webhooks, how far they have got and what went wrong
  webhooks remove <id>  ends a webhook for good
  webhooks enable <id>  tries a webhook again, now, that was disabled or waits for its next attempt
  webhooks rotate <id>  gives a webhook a new secret, shown this once, with which it goes on where it stands; the old one is in no use any more
  webhooks replay <id> --channel ${namesOf(channels).join('|')} --from <sequence>
                        delivers the channel's events again, beginning with that sequence
  webhooks reencrypt    encrypts all secrets under the newest version in SECRETS_KEY
`

const namesOf = (channels: readonly KeyChannels[]): readonly string[] => [...channelLabels(channels).keys()]

export interface WebhookCommandContext {
  readonly sql: Sql
  readonly chainId: number
  /** The channels of every product: a webhook is told of all that its key has. */
  readonly channels: readonly KeyChannels[]
  /** Called only by the commands that touch a secret. */
  readonly masterKeys: () => Promise<MasterKeys>
  readonly targets: WebhookTargets
  /** Who acts, for the audit log. */
  readonly actor: string
}

/** Runs `webhooks <args>` and answers what to print. Throws an `AppError` whose message says what is wrong. */
export async function webhookCommand(args: readonly string[], context: WebhookCommandContext): Promise<string> {
  const [command, ...rest] = args
  switch (command) {
    case 'add':
      return add(rest, context)
    case 'list':
      only(rest, 0, context)
      return table(context)
    case 'remove':
      return remove(rest, context)
    case 'enable':
      return enable(rest, context)
    case 'rotate':
      return rotate(rest, context)
    case 'replay':
      return replay(rest, context)
    case 'reencrypt':
      only(rest, 0, context)
      return reencrypt(context)
    default:
      throw invalid(
        `${command === undefined ? 'a command is missing' : `unknown command ${command}`}\n\n${webhooksUsage(context.channels)}`,
      )
  }
}

async function add(args: readonly string[], context: WebhookCommandContext): Promise<string> {
  const { sql, chainId, actor } = context
  const { key, url: text } = options(args, ['key', 'url'], context)
  if (key === undefined) throw invalid('--key is required: whose channels are to be told')
  if (text === undefined) throw invalid('--url is required: where events are to be posted')
  const { href } = webhookUrl(text, context.targets)
  const reader = await findWebhookKey(sql, chainId, key)
  if (!reader?.isActive) throw invalid(`there is no active API key ${key}; see: npm run bourse -- keys list`)
  const webhookId = newId()
  const { secret, sealed } = await newSecret(webhookId, context)
  await inTransaction(sql, async (tx) => {
    const channels = context.channels.flatMap((one) => channelsOf(one, chainId, reader))
    await insertWebhook(tx, { webhookId, chainId, apiKeyId: key, url: href, ...sealed }, channels)
    await insertAudit(tx, { actor, action: 'webhook.add', subject: webhookId, detail: { apiKey: key, url: href } })
  })
  return shown(webhookId, secret)
}

async function newSecret(webhookId: string, { masterKeys }: WebhookCommandContext) {
  const secret = randomBytes(32).toString('hex')
  return { secret, sealed: sealSecret(await masterKeys(), secretOwner(webhookId), secret) }
}

const shown = (webhookId: string, secret: string): string =>
  `Webhook: ${webhookId}\nSecret:  ${secret}\nThe secret is shown only now. Store it safely.\n`

async function remove(args: readonly string[], context: WebhookCommandContext): Promise<string> {
  const webhook = await named(args, context)
  await change(context, 'webhook.remove', webhook, (tx) => deleteWebhook(tx, webhook.webhookId))
  return `Webhook ${webhook.webhookId} is removed.\n`
}

async function enable(args: readonly string[], context: WebhookCommandContext): Promise<string> {
  requireDelivery(context.targets)
  const webhook = await named(args, context)
  await change(context, 'webhook.enable', webhook, (tx) => activateWebhook(tx, webhook.webhookId))
  return `Webhook ${webhook.webhookId} is enabled.\n`
}

async function rotate(args: readonly string[], context: WebhookCommandContext): Promise<string> {
  const webhook = await named(args, context)
  const { secret, sealed } = await newSecret(webhook.webhookId, context)
  await change(context, 'webhook.rotate', webhook, (tx) =>
    replaceWebhookSecret(tx, webhook.webhookId, sealed.sealed, sealed.masterKeyVersion),
  )
  return shown(webhook.webhookId, secret)
}

async function replay(args: readonly string[], context: WebhookCommandContext): Promise<string> {
  requireDelivery(context.targets)
  const [id, ...rest] = args
  const { channel: label = '', from } = options(rest, ['channel', 'from'], context)
  const channel = channelLabels(context.channels).get(label)
  if (!channel) throw invalid(`--channel must be one of ${namesOf(context.channels).join(', ')}`)
  if (from === undefined || !/^[1-9]\d{0,14}$/.test(from)) throw invalid('--from must be a sequence, 1 or more')
  const webhook = await named(id === undefined ? [] : [id], context)
  const name = await outboxNameOf(channel, webhook, context)
  const head = (await loadHeads(context.sql, [name])).get(name) ?? 0n
  if (BigInt(from) > head)
    throw invalid(`--from ${from} has not been reached: the newest sequence of ${label} is ${head}`)
  await requireKept(context.sql, name, BigInt(from), label)
  await change(context, 'webhook.replay', webhook, async (tx) => {
    await setCursor(tx, webhook.webhookId, name, BigInt(from) - 1n)
    await activateWebhook(tx, webhook.webhookId)
  })
  return `Webhook ${webhook.webhookId} is told ${label} from ${from} to ${head} again.\n`
}

/** Throws where a webhook that was set to a sequence would be stopped at once, its place lost. */
async function requireKept(sql: Sql, channel: string, from: bigint, label: string): Promise<void> {
  if ((await readMessages(sql, channel, from - 1n, 1)) !== null) return
  const oldest = await oldestSequence(sql, channel)
  const kept = oldest === null ? `nothing of ${label} is` : `the oldest sequence of ${label} that is, is ${oldest}`
  throw invalid(`--from ${from} is no longer kept: ${kept}`)
}

/** Names in the outbox of the channels of a product that a key sees: none of a wallet's without a scope for the product. */
function channelsOf(channels: KeyChannels, chainId: number, key: WebhookKey): readonly string[] {
  const { product, names, walletScope } = channels
  const owner = walletScope === undefined || key.productTypes.includes(walletScope) ? ownerOf(channels, key) : null
  return owner === null ? [] : names.map((name) => outboxChannel(product, chainId, owner, name))
}

async function outboxNameOf(
  { product, name }: { readonly product: string; readonly name: string },
  { apiKeyId }: WebhookRow,
  { sql, chainId, channels }: WebhookCommandContext,
): Promise<string> {
  const key = await findWebhookKey(sql, chainId, apiKeyId)
  const ofProduct = channels.filter((one) => one.product === product)
  const seen = key ? ofProduct.flatMap((one) => channelsOf(one, chainId, key)) : []
  const found = seen.find((channel) => channelName(channel) === name)
  if (found === undefined) throw invalid(`the API key ${apiKeyId} is told nothing of ${product}:${name}`)
  return found
}

/** Encrypts every secret anew that is not under the newest master key. */
async function reencrypt(context: WebhookCommandContext): Promise<string> {
  const masterKeys = await context.masterKeys()
  const webhooks = await listWebhooks(context.sql, context.chainId)
  let count = 0
  for (const { webhookId, masterKeyVersion } of webhooks) {
    if (masterKeyVersion === masterKeys.currentVersion) continue
    if (await reencryptOne(webhookId, masterKeys, context)) count++
  }
  return `${count} secrets encrypted anew.\n`
}

/** False when the webhook has a secret under the newest master key, or is gone. */
function reencryptOne(
  webhookId: string,
  masterKeys: MasterKeys,
  { sql, actor }: WebhookCommandContext,
): Promise<boolean> {
  const owner = secretOwner(webhookId)
  return inTransaction(sql, async (tx) => {
    // Read again under the lock: the webhook may have been rotated or removed since.
    const current = await lockWebhook(tx, webhookId)
    if (!current || current.masterKeyVersion === masterKeys.currentVersion) return false
    const { masterKeyVersion, secretSealed: sealed } = current
    const anew = sealSecret(masterKeys, owner, openSecret(masterKeys, owner, { masterKeyVersion, sealed }))
    await replaceWebhookSecret(tx, webhookId, anew.sealed, anew.masterKeyVersion)
    await insertAudit(tx, { actor, action: 'webhook.reencrypt', subject: webhookId, detail: {} })
    return true
  })
}

async function change(
  { sql, actor }: WebhookCommandContext,
  action: string,
  { webhookId, apiKeyId, url }: WebhookRow,
  work: (tx: Parameters<typeof deleteWebhook>[0]) => Promise<void>,
): Promise<void> {
  await inTransaction(sql, async (tx) => {
    await work(tx)
    await insertAudit(tx, { actor, action, subject: webhookId, detail: { apiKey: apiKeyId, url } })
  })
}

async function named(args: readonly string[], context: WebhookCommandContext): Promise<WebhookRow> {
  const { sql, chainId } = context
  const [id, ...rest] = args
  if (id === undefined) throw invalid('the id of the webhook is missing; see: npm run bourse -- webhooks list')
  only(rest, 0, context)
  const isId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)
  const webhook = isId ? await findWebhook(sql, chainId, id) : null
  if (!webhook) throw new AppError(pushReasons.webhook_unknown, `no webhook has the id ${id}`)
  return webhook
}

async function table({ sql, chainId, channels }: WebhookCommandContext): Promise<string> {
  const webhooks = await listWebhooks(sql, chainId)
  if (webhooks.length === 0) return 'There are no webhooks.\n'
  const blocks = await Promise.all(
    webhooks.map(async (webhook) => {
      const cursors = await listCursors(sql, webhook.webhookId)
      return `${describe(webhook)}${cursors
        .map(({ channel, deliveredSequence, head }) => {
          return `  ${channelLabel(channels, channel).padEnd(7)} ${deliveredSequence} of ${head} delivered\n`
        })
        .join('')}`
    }),
  )
  return blocks.join('\n')
}

function describe(webhook: WebhookRow): string {
  const { webhookId, state, apiKeyId, url, failuresInARow, nextAttemptAt, lastDeliveredAt, lastError } = webhook
  const waits = state === 'active' && failuresInARow > 0
  return [
    `${webhookId}  ${state}  key ${apiKeyId}`,
    `  ${url}`,
    `  last delivery ${lastDeliveredAt?.toISOString() ?? 'never'}`,
    ...(failuresInARow > 0 ? [`  ${failuresInARow} failures in a row`] : []),
    ...(lastError === null ? [] : [`  ${lastError}`]),
    ...(waits ? [`  next attempt ${nextAttemptAt.toISOString()}`] : []),
    '',
  ].join('\n')
}

function options<Name extends string>(
  args: readonly string[],
  names: readonly Name[],
  { channels }: WebhookCommandContext,
): { [name in Name]?: string } {
  try {
    const accepted = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]))
    return parseArgs({ args: [...args], options: accepted }).values as { [name in Name]?: string }
  } catch (cause) {
    throw invalid(
      `${cause instanceof Error ? cause.message : 'the options cannot be read'}\n\n${webhooksUsage(channels)}`,
    )
  }
}

function only(args: readonly string[], count: number, { channels }: WebhookCommandContext): void {
  if (args.length > count) throw invalid(`unexpected ${args.slice(count).join(' ')}\n\n${webhooksUsage(channels)}`)
}

const invalid = (message: string): AppError => new AppError(pushReasons.webhook_invalid, message)
