import { createHmac, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createKey } from '../auth/keys.ts'
import { type MasterKeys, openSecret, parseMasterKeys, sealSecret } from '../auth/secrets.ts'
import { appendMessages } from '../db/outbox.ts'
import { ensureOutboxPartitions } from '../db/outbox-partitions.ts'
import { inTransaction, type Sql } from '../db/pool.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { testVenue } from '../http/testing.ts'
import { AppError } from '../lib/errors.ts'
import { runWebhooks, secretOwner } from './deliver.ts'
import { type KeyChannels, outboxChannel } from './key-channels.ts'
import { webhookServices } from './services.ts'
import { streamCommand } from './stream-commands.ts'
import type { WebhookTargets } from './variables.ts'
import { webhookCommand } from './webhook-commands.ts'
import { findWebhook, replaceWebhookSecret, type WebhookRow } from './webhook-store.ts'
import { WebhookSender } from './webhook-target.ts'

const CHAIN_ID = 31_337
const CHANNELS = [{ product: 'shop', names: ['orders', 'cash', 'stock'] }]
const [OLD_KEY, NEW_KEY] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')]

let database: TestDatabase
let sql: Sql
let masterKeys: MasterKeys
let apiKey: string
let orders: string
/** What the receiver answers, and the sequences it was sent. */
let status: number
let attempts: number[]
/** The newest request, as whoever has the secret checks it. */
let signed: { readonly text: string; readonly signature: string }
const server = createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request) body += chunk
  attempts.push((JSON.parse(body) as { sequence: number }).sequence)
  const { 'x-webhook-timestamp': timestamp, 'x-webhook-signature': signature } = request.headers
  signed = { text: `${timestamp}.${body}`, signature: String(signature) }
  response.writeHead(status, status === 101 ? { connection: 'Upgrade', upgrade: 'other' } : {}).end()
})
let url: string
/** As WEBHOOK_TARGETS says to the command line. */
let targets: WebhookTargets

beforeEach(async () => {
  database = await testDatabase()
  sql = database.sql
  masterKeys = parseMasterKeys(`1:${OLD_KEY}`)
  const key = { label: 'a', access: 'READ_ONLY', chainId: CHAIN_ID, productType: 'Bourse', ipWhitelist: [] } as const
  apiKey = (await createKey(sql, masterKeys, { ...key, userAddress: null, expiresAt: null }, 'test')).apiKey
  orders = outboxChannel('shop', CHAIN_ID, apiKey, 'orders')
  await ensureOutboxPartitions(sql)
  ;[status, attempts, targets] = [200, [], 'any']
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
})
afterEach(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  await database.drop()
})

const command = (...args: string[]) => commandOf(CHANNELS, ...args)
const commandOf = (channels: readonly KeyChannels[], ...args: string[]) =>
  webhookCommand(args, {
    sql,
    chainId: CHAIN_ID,
    channels,
    masterKeys: async () => masterKeys,
    targets,
    actor: 'test',
  })

async function add(): Promise<string> {
  return /Webhook: +(\S+)/.exec(await command('add', '--key', apiKey, '--url', url))?.[1] ?? ''
}

const tell = (...subjects: string[]) => tellIn(orders, ...subjects)
const tellIn = (channel: string, ...subjects: string[]) =>
  inTransaction(sql, (tx) =>
    appendMessages(
      tx,
      subjects.map((subject) => {
        return { channel, type: 'order.updated', version: 1, subject, payload: '{}', sortAt: new Date() }
      }),
    ),
  )

/** Delivers, in several processes if need be, until the webhook is as expected. */
async function deliver(
  webhookId: string,
  accept: (webhook: WebhookRow) => boolean | Promise<boolean>,
  { giveUpMs = 3_600_000, processes = 1 } = {},
): Promise<WebhookRow> {
  const abort = new AbortController()
  const senders = Array.from({ length: processes }, () => new WebhookSender('any'))
  const venue = testVenue({ sql, clock: { nowMs: () => Date.now() } })
  const pace = { timeoutMs: 10_000, firstDelayMs: 20, maxDelayMs: 200, giveUpMs }
  const running = senders.map((sender) => runWebhooks(venue, { masterKeys, sender, ...pace }, abort.signal))
  try {
    await expect
      .poll(async () => accept((await findWebhook(sql, CHAIN_ID, webhookId)) as WebhookRow), { timeout: 240_000 })
      .toBe(true)
  } finally {
    abort.abort()
    await Promise.all(running)
    for (const sender of senders) sender.close()
  }
  return (await findWebhook(sql, CHAIN_ID, webhookId)) as WebhookRow
}

describe('delivery', () => {
  it('begins with what comes after the webhook was added, and is one process’s at a time', async () => {
    await tell('a', 'b')
    const webhookId = await add()
    const subjects = Array.from({ length: 120 }, (_, nth) => `s${nth}`)
    await tell(...subjects)
    await deliver(webhookId, () => attempts.length >= 120, { processes: 3 })
    expect(attempts).toEqual(subjects.map((_, nth) => nth + 3))
  })

  it('waits longer after each failure, and is given up after the time for that, until it is enabled', async () => {
    const webhookId = await add()
    await tell('a', 'b')
    status = 503
    const failing = await deliver(webhookId, ({ failuresInARow }) => failuresInARow >= 4)
    expect(failing).toMatchObject({ state: 'active', lastError: 'the receiver answered HTTP 503' })
    expect(await command('list')).toMatch(
      /active[\s\S]*failures in a row[\s\S]*HTTP 503[\s\S]*next attempt[\s\S]*orders +0 of 2/,
    )
    const disabled = await deliver(webhookId, ({ state }) => state === 'disabled', { giveUpMs: 1 })
    expect(disabled.lastError).toMatch(/^disabled after \d+ failures, the last: the receiver answered HTTP 503$/)
    expect(new Set(attempts)).toEqual(new Set([1]))
    status = 200
    attempts.length = 0
    await command('enable', webhookId)
    const served = await deliver(webhookId, () => attempts.length === 2)
    expect([attempts, served.failuresInARow, served.lastError]).toEqual([[1, 2], 0, null])
  })

  it('goes on after a receiver that spoke another protocol', async () => {
    const webhookId = await add()
    await tell('a', 'b')
    status = 101
    const failing = await deliver(webhookId, ({ failuresInARow }) => failuresInARow >= 2)
    expect(failing).toMatchObject({ state: 'active', lastError: 'the receiver answered HTTP 101' })
    status = 200
    attempts.length = 0
    await deliver(webhookId, async () => (await command('list')).includes('orders  2 of 2'))
    expect(attempts).toEqual([1, 2])
  })

  it('goes on with what comes next when the channels were numbered anew, and in those that had told nothing', async () => {
    const webhookId = await add()
    await tell('a', 'b')
    await streamCommand(['renumber'], { sql, actor: 'test' })
    await tell('c')
    await tellIn(outboxChannel('shop', CHAIN_ID, apiKey, 'cash'), 'x')
    const { state } = await deliver(webhookId, () => attempts.length >= 4)
    const high = 1_000_000_000
    expect([state, attempts.sort((a, b) => a - b)]).toEqual(['active', [1, high + 1, high + 2, high + 3]])
  })

  it('stops at a gap instead of hiding it', async () => {
    const webhookId = await add()
    await tell('a', 'b', 'c')
    await sql`delete from outbox where sequence = 1`
    const { lastError } = await deliver(webhookId, ({ state }) => state === 'disabled')
    expect(lastError).toContain('of orders the event after 0 is no longer kept')
    await command('replay', webhookId, '--channel', 'orders', '--from', '2')
    await deliver(webhookId, () => attempts.length === 2)
    expect(attempts).toEqual([2, 3])
  })

  it('keeps its place when a replay is asked for from what is no longer kept', async () => {
    const webhookId = await add()
    await tell('a', 'b', 'c')
    await deliver(webhookId, async () => (await command('list')).includes('orders  3 of 3'))
    const before = await command('list')
    const refusal = (from: string) => command('replay', webhookId, '--channel', 'orders', '--from', from)
    await sql`delete from outbox where sequence < 3`
    await expect(refusal('2')).rejects.toThrow(
      '--from 2 is no longer kept: the oldest sequence of orders that is, is 3',
    )
    await sql`delete from outbox`
    await expect(refusal('3')).rejects.toThrow('--from 3 is no longer kept: nothing of orders is')
    expect(await command('list')).toBe(before)
    await tell('d')
    await deliver(webhookId, () => attempts.length === 4)
    expect(attempts).toEqual([1, 2, 3, 4])
  })

  it('rests while the key is disabled', async () => {
    const webhookId = await add()
    await tell('a')
    await sql`update api_keys set state = 'disabled'`
    const other = await createKey(
      sql,
      masterKeys,
      {
        label: 'b',
        access: 'READ_ONLY',
        chainId: CHAIN_ID,
        productType: 'Bourse',
        ipWhitelist: [],
        userAddress: null,
        expiresAt: null,
      },
      'test',
    )
    const channel = outboxChannel('shop', CHAIN_ID, other.apiKey, 'cash')
    const text = await command('add', '--key', other.apiKey, '--url', url)
    await inTransaction(sql, (tx) =>
      appendMessages(tx, [{ channel, type: 'x', version: 1, subject: 's', payload: '{}', sortAt: new Date() }]),
    )
    await deliver(/Webhook: +(\S+)/.exec(text)?.[1] ?? '', ({ lastDeliveredAt }) => lastDeliveredAt !== null)
    expect(attempts.length).toBe(1)
    expect((await findWebhook(sql, CHAIN_ID, webhookId))?.lastDeliveredAt).toBeNull()
  })

  it('tells a webhook of a session what the session sees: the records of the key whose history it shares', async () => {
    const session = { label: 's', access: 'READ_ONLY', chainId: CHAIN_ID, productType: 'Bourse' } as const
    const rest = { ipWhitelist: [], userAddress: null, expiresAt: null }
    const { apiKey: later } = await createKey(sql, masterKeys, { ...session, ...rest }, 'test')
    await sql`update api_keys set history_key = ${apiKey} where api_key = ${later}`
    const text = await command('add', '--key', later, '--url', url)
    await tell('a')
    await deliver(/Webhook: +(\S+)/.exec(text)?.[1] ?? '', () => attempts.length === 1)
    expect(attempts).toEqual([1])
  })

  it('survives a new master key', async () => {
    const webhookId = await add()
    masterKeys = parseMasterKeys(`2:${NEW_KEY},1:${OLD_KEY}`)
    expect(await command('reencrypt')).toBe('1 secrets encrypted anew.\n')
    expect(await command('reencrypt')).toBe('0 secrets encrypted anew.\n')
    masterKeys = parseMasterKeys(`2:${NEW_KEY}`)
    await tell('a')
    await deliver(webhookId, () => attempts.length === 1)
    expect(attempts).toEqual([1])
  })

  it('keeps the secret of a rotation that comes between', async () => {
    const webhookId = await add()
    masterKeys = parseMasterKeys(`2:${NEW_KEY},1:${OLD_KEY}`)
    const { sealed, masterKeyVersion } = sealSecret(masterKeys, secretOwner(webhookId), 'rotated')
    const reencrypting = await inTransaction(sql, async (tx) => {
      await replaceWebhookSecret(tx, webhookId, sealed, masterKeyVersion)
      const text = command('reencrypt')
      const waits = () =>
        sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      await expect.poll(async () => (await waits()).count, { timeout: 240_000 }).toBeGreaterThan(0)
      return { text }
    })
    expect(await reencrypting.text).toBe('0 secrets encrypted anew.\n')
    const stored = (await findWebhook(sql, CHAIN_ID, webhookId)) as WebhookRow
    const kept = { masterKeyVersion: stored.masterKeyVersion, sealed: stored.secretSealed }
    expect(openSecret(masterKeys, secretOwner(webhookId), kept)).toBe('rotated')
  })

  it('goes on where it stands under a new secret, and leaves no trace of that one', async () => {
    const webhookId = await add()
    await tell('a', 'b')
    await deliver(webhookId, async () => (await command('list')).includes('orders  2 of 2'))
    const [, rotatedId, secret = ''] = /Webhook: +(\S+)\nSecret: +(\S+)/.exec(await command('rotate', webhookId)) ?? []
    expect(rotatedId).toBe(webhookId)
    await tell('c')
    await deliver(webhookId, () => attempts.length === 3)
    expect(attempts).toEqual([1, 2, 3])
    expect(signed.signature).toBe(createHmac('sha256', secret).update(signed.text).digest('hex'))
    const audit = await sql`select action, detail from operator_audit_log where subject = ${webhookId} order by id`
    expect(audit.map(({ action }) => action)).toEqual(['webhook.add', 'webhook.rotate'])
    expect(JSON.stringify(audit)).not.toContain(secret)
  })
})

describe('a command', () => {
  it.each([
    [[], 'a command is missing'],
    [['sing'], 'unknown command sing'],
    [['add', '--url', 'https://example.com'], '--key is required'],
    [['add', '--key', 'x'], '--url is required'],
    [['add', '--key', 'x', '--url', 'https://example.com'], 'there is no active API key x'],
    [['add', '--key', 'x', '--url', 'ftp://example.com'], 'must be a URL such as'],
    [['add', '--key', 'x', '--url', 'https://a:b@example.com'], 'no user name'],
    [['add', '--key', 'x', '--colour', 'red'], 'colour'],
    [['list', 'all'], 'unexpected all'],
    [['remove'], 'the id of the webhook is missing'],
    [['rotate', 'x'], 'no webhook has the id x'],
    [['remove', 'x'], 'no webhook has the id x'],
    [['enable', '00000000-0000-4000-8000-000000000000'], 'no webhook has the id'],
    [['replay', 'x', '--channel', 'trades', '--from', '1'], '--channel must be one of orders, cash, stock'],
    [['replay', 'x', '--channel', 'orders', '--from', '0'], '--from must be a sequence'],
  ])('%j is refused, and changes nothing', async (args, message) => {
    const refusal = await command(...args).catch((error) => error)
    expect(refusal).toBeInstanceOf(AppError)
    expect(refusal.message).toContain(message)
    expect(await sql`select from webhooks`).toHaveLength(0)
  })

  it('cannot replay what has not happened, and leaves a trace of what it did, without the secret', async () => {
    const text = await command('add', '--key', apiKey, '--url', url)
    const [, webhookId = '', secret = ''] = /Webhook: +(\S+)\nSecret: +(\S+)/.exec(text) ?? []
    await expect(command('replay', webhookId, '--channel', 'orders', '--from', '1')).rejects.toThrow(
      'newest sequence of orders is 0',
    )
    await command('remove', webhookId)
    expect(await command('list')).toBe('There are no webhooks.\n')
    const audit = await sql`select action, detail from operator_audit_log where subject = ${webhookId} order by id`
    expect(audit.map(({ action }) => action)).toEqual(['webhook.add', 'webhook.remove'])
    expect(JSON.stringify(audit)).not.toContain(secret)
  })
})

describe('where no webhook is told', () => {
  const settings = (webhookTargets: WebhookTargets) => {
    return { outboxRetentionDays: 7, webhookTargets, webhookGiveUpHours: 72 }
  }
  const serviceNames = () => webhookServices(masterKeys, settings(targets)).map(({ name }) => name)

  it('nothing delivers, and what would be for nothing is refused and changes nothing', async () => {
    const webhookId = await add()
    expect(serviceNames()).toEqual(['webhooks'])
    await tell('a')
    targets = 'none'
    expect(serviceNames()).toEqual([])
    const before = await findWebhook(sql, CHAIN_ID, webhookId)
    for (const args of [
      ['add', '--key', apiKey, '--url', url],
      ['enable', webhookId],
      ['replay', webhookId, '--channel', 'orders', '--from', '1'],
    ]) {
      await expect(command(...args)).rejects.toThrow('no webhook is told here (WEBHOOK_TARGETS=none)')
    }
    expect(await sql`select from webhooks`).toHaveLength(1)
    expect(await findWebhook(sql, CHAIN_ID, webhookId)).toEqual(before)
    expect(await command('list')).toContain(webhookId)
    expect(await command('remove', webhookId)).toContain('is removed')
  })
})

describe('a webhook of a key that has channels of two products', () => {
  const BOTH = [...CHANNELS, { product: 'bank', names: ['orders'] }]

  it('is told of both, each with its own sequence, and replays the one that is named', async () => {
    const text = await commandOf(BOTH, 'add', '--key', apiKey, '--url', url)
    const webhookId = /Webhook: +(\S+)/.exec(text)?.[1] ?? ''
    await tell('a', 'b')
    await tellIn(outboxChannel('bank', CHAIN_ID, apiKey, 'orders'), 'loan')
    // What was posted is noted a moment later.
    await deliver(webhookId, async () =>
      /bank:orders 1 of 1[\s\S]*shop:orders 2 of 2/.test(await commandOf(BOTH, 'list')),
    )
    expect(attempts.toSorted()).toEqual([1, 1, 2])
    attempts.length = 0
    await expect(commandOf(BOTH, 'replay', webhookId, '--channel', 'orders', '--from', '1')).rejects.toThrow(
      '--channel must be one of shop:orders, cash, stock, bank:orders',
    )
    await commandOf(BOTH, 'replay', webhookId, '--channel', 'shop:orders', '--from', '2')
    await deliver(webhookId, () => attempts.length === 1)
    expect(attempts).toEqual([2])
  })

  it('that is older than a product is told of its channel once that is replayed', async () => {
    const webhookId = await add()
    await tellIn(outboxChannel('bank', CHAIN_ID, apiKey, 'orders'), 'loan')
    await commandOf(BOTH, 'replay', webhookId, '--channel', 'bank:orders', '--from', '1')
    // What was posted is noted a moment later.
    await deliver(webhookId, async () => (await commandOf(BOTH, 'list')).includes('bank:orders 1 of 1'))
    expect(attempts).toEqual([1])
  })
})

describe('a webhook of a key whose wallet has channels', () => {
  const WALLET = `0x${'ab'.repeat(20)}` as const
  const WITH_WALLET = [...CHANNELS, { product: 'bank', names: ['loans'], walletScope: 'bank' }]
  const keyFor = async (productType: string) => {
    const key = { label: 'w', access: 'READ_ONLY', chainId: CHAIN_ID, productType, ipWhitelist: [] } as const
    return (await createKey(sql, masterKeys, { ...key, userAddress: WALLET, expiresAt: null }, 'test')).apiKey
  }
  const addFor = async (key: string) => {
    const text = await commandOf(WITH_WALLET, 'add', '--key', key, '--url', url)
    return /Webhook: +(\S+)/.exec(text)?.[1] ?? ''
  }

  it('is told of the wallet’s, and replays them', async () => {
    const webhookId = await addFor(await keyFor('bank'))
    await tellIn(outboxChannel('bank', CHAIN_ID, WALLET, 'loans'), 'a', 'b')
    await deliver(webhookId, () => attempts.length === 2)
    await commandOf(WITH_WALLET, 'replay', webhookId, '--channel', 'loans', '--from', '2')
    await deliver(webhookId, () => attempts.length === 3)
    expect(attempts).toEqual([1, 2, 2])
  })

  it('is told nothing of them where the key has no scope for the product, or no wallet', async () => {
    const others = [await addFor(await keyFor('Bourse')), await addFor(apiKey)]
    const webhookId = await addFor(await keyFor('bank'))
    await tellIn(outboxChannel('bank', CHAIN_ID, WALLET, 'loans'), 'a')
    await deliver(webhookId, () => attempts.length === 1)
    for (const other of others) {
      await expect(commandOf(WITH_WALLET, 'replay', other, '--channel', 'loans', '--from', '1')).rejects.toThrow(
        'is told nothing of bank:loans',
      )
    }
    const cursors = await sql`select webhook_id as id from webhook_cursors where channel like 'bank:%'`
    expect(cursors.map(({ id }) => id)).toEqual([webhookId])
  })
})
