import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from './client.ts'
import { Trader } from './trader.ts'
import { type RunningVenue, startVenue } from './venue.ts'
import { type Behaviour, WebhookReceiver } from './webhook-receiver.ts'

let venue: RunningVenue
let trader: Trader
let apiKey: string
let receiver: WebhookReceiver
let webhookId: string
const receivers: WebhookReceiver[] = []

beforeAll(async () => {
  venue = await startVenue()
  const { address } = venue.accounts[1] ?? { address: '' }
  const key = await venue.createKey({ access: 'WRITABLE', user: address })
  apiKey = key.apiKey
  trader = new Trader(venue, venue.client.as(key), 1)
  await trader.fund(100_000n)
  receiver = await startReceiver()
  webhookId = await add(receiver)
})
afterAll(async () => {
  await venue?.stop()
  for (const one of receivers) await one.close()
})

async function startReceiver(): Promise<WebhookReceiver> {
  const one = await WebhookReceiver.start()
  receivers.push(one)
  return one
}

async function add(one: WebhookReceiver): Promise<string> {
  const text = await venue.command('webhooks', 'add', '--key', apiKey, '--url', one.url)
  one.secret = /Secret: +(\S+)/.exec(text)?.[1] ?? ''
  return /Webhook: +(\S+)/.exec(text)?.[1] ?? ''
}

const ofChannel = (one: WebhookReceiver, channel: string) => one.taken.filter((event) => event.channel === channel)
const until = (accept: () => boolean) =>
  eventually(
    async () => ({ ok: accept(), taken: receiver.taken.length, attempts: receiver.attempts.slice(-5) }),
    ({ ok }) => ok,
  )

describe('a webhook', () => {
  it('is told in order, signed, what GET shows; also when the receiver fails in every way', async () => {
    const failures: Behaviour[] = [500, 302, 'drop', 404, 503]
    receiver.script = [...failures]
    await trader.cash('deposits', '5000')
    const hashes: `0x${string}`[] = []
    for (let nth = 0; nth < 3; nth++) hashes.push(await trader.placeLimit('Buy', '1', '1'))
    const orders = await Promise.all(
      hashes.map((hash) =>
        eventually(
          () => trader.order(hash),
          ({ orderStatus }) => orderStatus === 'New',
        ),
      ),
    )
    await until(() =>
      orders.every(({ orderId }) =>
        receiver.taken.some(({ data }) => data?.orderId === orderId && data.orderStatus === 'New'),
      ),
    )
    await until(() => ofChannel(receiver, 'cash').some(({ data }) => data.operationStatus === 'success'))
    expect(receiver.problems).toEqual([])
    expect(receiver.elsewhere).toEqual([])
    for (const channel of ['orders', 'cash']) {
      const sequences = ofChannel(receiver, channel).map(({ sequence }) => sequence)
      expect(sequences).toEqual(sequences.map((_, nth) => nth + 1))
    }
    expect(receiver.taken[0]).toMatchObject({ apiKey, chainId: 31_337, version: 1 })
    // The first event was tried until it was taken, under the same id, and nothing came before it.
    const [first] = receiver.attempts
    expect(receiver.attempts.slice(0, 6)).toEqual([...failures, 'take'].map((behaviour) => [first?.[0], behaviour]))
    for (const { orderId } of orders) {
      const told = ofChannel(receiver, 'orders').filter(({ data }) => data.orderId === orderId)
      expect(told.at(-1)?.data).toEqual(await trader.client.data(trader.client.get(`/api/v1/orders/${orderId}`)))
    }
    // What was taken is noted after the receiver has answered.
    await eventually(
      () => venue.command('webhooks', 'list'),
      (list) => new RegExp(`${webhookId}  active[\\s\\S]*orders +(\\d+) of \\1 delivered`).test(list),
    )
  })

  it('that does not answer is waited for, and holds no other up', async () => {
    const other = await startReceiver()
    await add(other)
    receiver.always = 'hang'
    const before = receiver.attempts.length
    const hash = await trader.placeLimit('Buy', '1', '1')
    await until(() => other.taken.some(({ data }) => data?.txHash === hash && data.orderStatus === 'New'))
    await until(() => receiver.attempts.length > before)
    // After its time-out it is tried again.
    await until(() => receiver.attempts.length > before + 1)
    expect(await venue.command('webhooks', 'list')).toContain('no answer within 10000 ms')
    receiver.always = 'take'
    await venue.command('webhooks', 'enable', webhookId)
    await until(() => receiver.taken.some(({ data }) => data?.txHash === hash && data.orderStatus === 'New'))
    expect([...receiver.problems, ...other.problems]).toEqual([])
  })

  it('is told again from where an operator says, with the same ids', async () => {
    const before = ofChannel(receiver, 'orders')
    const sequences = new Set(before.map(({ sequence }) => sequence))
    receiver.taken.length = 0
    const replay = await venue.command('webhooks', 'replay', webhookId, '--channel', 'stock:orders', '--from', '2')
    expect(replay).toContain('from 2 to')
    await until(() => ofChannel(receiver, 'orders').length >= sequences.size - 1)
    const again = ofChannel(receiver, 'orders')
    expect(again.map(({ sequence }) => sequence)).toEqual(again.map((_, nth) => nth + 2))
    for (const event of again) expect(before).toContainEqual(event)
    expect(receiver.problems).toEqual([])
  })

  it('ends when it is removed', async () => {
    await venue.command('webhooks', 'remove', webhookId)
    const count = receiver.attempts.length
    const other = await startReceiver()
    await add(other)
    const hash = await trader.placeLimit('Buy', '1', '1')
    await until(() => other.taken.some(({ data }) => data?.txHash === hash))
    expect(receiver.attempts.length).toBe(count)
    expect(await venue.command('webhooks', 'list')).not.toContain(webhookId)
  })
})
