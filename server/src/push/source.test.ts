import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { appendMessages, type NewMessage, OUTBOX_HINT } from '../db/outbox.ts'
import { ensureOutboxPartitions } from '../db/outbox-partitions.ts'
import { inTransaction } from '../db/pool.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import type { Caller } from '../http/caller.ts'
import { type Feed, PushSource } from './source.ts'

const CHAIN_ID = 31_337
const caller = (keyId: string): Caller => ({ keyId, access: 'READ_ONLY', userAddress: null })

/** A feed whose sequence is the length of its parameter. */
class LengthFeed implements Feed {
  readonly form = 'length:{text}'
  readonly hint = 'lengths'
  readonly asked: (readonly (readonly string[])[])[] = []
  readonly released: string[] = []

  async resolve([text, ...more]: readonly string[]): Promise<readonly string[] | null> {
    return text && more.length === 0 ? [text.toUpperCase()] : null
  }
  async heads(channels: readonly (readonly string[])[]): Promise<readonly bigint[]> {
    this.asked.push(channels)
    return channels.map(([text = '']) => BigInt(text.length))
  }
  async snapshot([text = '']: readonly string[]) {
    return { sequence: BigInt(text.length), dataJson: JSON.stringify(text) }
  }
  async deltas(_parameters: readonly string[], after: bigint) {
    return after > 0n ? [] : null
  }
  release([text = '']: readonly string[]): void {
    this.released.push(text)
  }
}

let database: TestDatabase
let feed: LengthFeed
let source: PushSource
beforeEach(async () => {
  database = await testDatabase()
  await ensureOutboxPartitions(database.sql)
  feed = new LengthFeed()
  source = open('shop')
})
afterEach(() => database.drop())

const open = (product: string) =>
  new PushSource(database.sql, CHAIN_ID, {
    keyChannels: { product, names: ['orders', 'cash'] },
    feeds: new Map([['length', feed]]),
  })

const tell = (channel: string, ...subjects: string[]) =>
  inTransaction(database.sql, (tx) =>
    appendMessages(
      tx,
      subjects.map(
        (subject): NewMessage => ({
          channel,
          type: 'order.updated',
          version: 1,
          subject,
          payload: `"${subject}"`,
          sortAt: new Date(),
        }),
      ),
    ),
  )

describe('the channels of a product', () => {
  it('are each key’s own, and the feeds in the spelling of the venue', async () => {
    expect(await source.resolve('orders', caller('a'))).toBe('shop:31337:a:orders')
    expect(await source.resolve('orders', caller('b'))).toBe('shop:31337:b:orders')
    expect(await source.resolve('length:abc', caller('a'))).toBe('length:ABC')
    expect(source.hints).toEqual([OUTBOX_HINT, 'lengths'])
  })

  it.each([
    ...['', ':', 'order', 'orders:', 'orders:x', 'length', 'length:', 'length:a:b', 'lengths:a', 'constructor:a'],
    'shop:31337:b:orders',
  ])('has no %j, and the message lists those that there are', async (name) => {
    await expect(source.resolve(name, caller('a'))).rejects.toMatchObject({
      reason: { name: 'channel_unknown' },
      message: `there is no channel ${name}: channels are orders, cash and length:{text}`,
    })
  })

  it('are read from the outbox or from their feed, the heads of each at once', async () => {
    const [own, other] = [await source.resolve('orders', caller('a')), await source.resolve('cash', caller('a'))]
    await tell(own, 'one', 'two')
    expect(await source.heads(['length:AB', own, 'length:ABC', other])).toEqual(
      new Map([
        ...([['length:AB', 2n] as const, ['length:ABC', 3n] as const] as const),
        ...([[own, 2n] as const, [other, 0n] as const] as const),
      ]),
    )
    expect(feed.asked).toEqual([[['AB'], ['ABC']]])
    expect(await source.snapshot('length:AB')).toEqual({ sequence: 2n, dataJson: '"AB"' })
    expect(await source.snapshot(own)).toMatchObject({ sequence: 2n, total: 2 })
    expect((await source.deltas(own, 1n))?.map(({ key, previous, sequence }) => [key, previous, sequence])).toEqual([
      ['two', 1n, 2n],
    ])
    expect(await source.deltas(own, 3n)).toBeNull()
    expect(await source.deltas('length:AB', 0n)).toBeNull()
    source.release('length:AB')
    source.release(own)
    expect(feed.released).toEqual(['AB'])
  })

  it('never mistakes one product’s channel for a feed', () => {
    expect(() => open('length')).toThrow('must not be called length')
  })
})

describe('a product whose channels are the wallet’s', () => {
  const keyChannels = { product: 'bank', names: ['loans'], walletScope: 'bank' }
  const bank = () => new PushSource(database.sql, CHAIN_ID, { keyChannels, feeds: new Map() })
  const bound = (keyId: string, digit: string): Caller => ({ ...caller(keyId), userAddress: `0x${digit.repeat(40)}` })

  it('gives all keys of a wallet the same, and those of another another', async () => {
    const channel = await bank().resolve('loans', bound('one', 'a'))
    expect(await bank().resolve('loans', bound('two', 'a'))).toBe(channel)
    expect(await bank().resolve('loans', bound('one', 'b'))).not.toBe(channel)
  })

  it('refuses a key without a wallet, and whoever did not sign', async () => {
    await expect(bank().resolve('loans', caller('one'))).rejects.toThrow('bound to no wallet')
    await expect(bank().resolve('loans', null)).rejects.toThrow('loans is private')
  })
})
