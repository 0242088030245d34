import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type OutboxMessage, readMessages, readSnapshot } from '../../db/outbox.ts'
import { ensureOutboxPartitions } from '../../db/outbox-partitions.ts'
import { inTransaction } from '../../db/pool.ts'
import type { Caller } from '../../http/caller.ts'
import { testVenue } from '../../http/testing.ts'
import { sleep } from '../../lib/clock.ts'
import { WAD } from '../../lib/wad.ts'
import { outboxChannel } from '../../push/key-channels.ts'
import { type Publication, publishAll, runPublisher } from '../../push/publish.ts'
import type { StockContext } from '../context.ts'
import { viewOrder } from '../orders/order-lookup.ts'
import { viewCashOperations } from '../portfolio/operation-lookup.ts'
import { insertSentClaims } from '../recording/claim-store.ts'
import { mappingScope } from '../recording/claim-types.ts'
import { listMappings } from '../recording/mapping-store.ts'
import { findOrders } from '../store.ts'
import {
  cancelRequested,
  cancelSettled,
  closed,
  deployment,
  depositAndBuy,
  deposited,
  filled,
  placed,
  placedLimit,
  ROUTER,
  randomHash,
  stockDeposited,
} from '../testing/chain.ts'
import { alice, bob, ClaimsWorld, unbound } from '../testing/claims.ts'
import { testContext } from '../testing/context.ts'
import type { KeyChannel } from './key-channels.ts'
import { hasMarks, oldestMarkSec } from './mark-store.ts'
import { stockPublication } from './publish.ts'

let world: ClaimsWorld
let context: StockContext
beforeEach(async () => {
  world = await ClaimsWorld.open()
  const venue = { sql: world.sql, deployment, clock: { nowMs: () => Date.now() }, log: pino({ level: 'silent' }) }
  context = testContext({ ...venue, rpc: undefined as never })
  await ensureOutboxPartitions(world.sql)
})
afterEach(() => world.drop())

interface Told {
  readonly event: string
  readonly key: string
  // biome-ignore lint/suspicious/noExplicitAny: what is in it is what the test looks at
  readonly data: any
}

const channelOf = ({ keyId }: Caller, channel: KeyChannel) => outboxChannel('stock', context.chainId, keyId, channel)

async function messages(caller: Caller, channel: KeyChannel): Promise<OutboxMessage[]> {
  const all = (await readMessages(world.sql, channelOf(caller, channel), 0n, 10_000)) ?? []
  expect(all.map(({ sequence }) => sequence)).toEqual(all.map((_, nth) => BigInt(nth + 1)))
  return all
}

/** Everything that was published to a key since the last look. */
const lookedAt = new Map<string, number>()
beforeEach(() => lookedAt.clear())
async function told(caller: Caller, channel: KeyChannel): Promise<Told[]> {
  await publishAll(context.venue, stockPublication(context))
  const all = await messages(caller, channel)
  const name = channelOf(caller, channel)
  const before = lookedAt.get(name) ?? 0
  lookedAt.set(name, all.length)
  return all
    .slice(before)
    .map(({ type, subject, payload }) => ({ event: type, key: subject, data: payload && JSON.parse(payload) }))
}

/** What GET shows a key of its orders. */
async function orders(caller: Caller): Promise<string[]> {
  const scope = mappingScope(context, caller, 'trade')
  const { rows } = await listMappings(world.sql, scope, { limit: 1000, offset: 0 })
  const views = rows.map(async (row) => {
    const [order] = row.operationId ? await findOrders(world.sql, context.chainId, [row.operationId]) : []
    return JSON.stringify(await viewOrder(context, order ?? null, row))
  })
  return (await Promise.all(views)).sort()
}

async function records(caller: Caller, channel: KeyChannel): Promise<string[]> {
  const snapshot = await readSnapshot(world.sql, channelOf(caller, channel), 1000)
  const folded = new Map<string, string>()
  for (const { subject, payload } of await messages(caller, channel)) {
    if (payload === null) folded.delete(subject)
    else folded.set(subject, payload)
  }
  const payloads = snapshot.records.map(({ payload }) => payload).sort()
  expect([...folded.values()].sort()).toEqual(payloads)
  return payloads
}

describe('what a key is told of its orders', () => {
  it('is every state, from the record to the end, once', async () => {
    const orderId = randomHash()
    const hash = world.submit(alice.userAddress as `0x${string}`, '0x')
    await world.sql`insert into stock_claims (claim_id, chain_id, api_key_id, tx_hash, operation_type, user_address)
      values (gen_random_uuid(), ${context.chainId}, ${alice.keyId}, ${hash}, 'trade', ${alice.userAddress})`
    expect(await told(alice, 'orders')).toMatchObject([{ event: 'order.updated', data: { orderStatus: 'Init' } }])
    await world.index(hash, [placed({ orderId, amount: 100n * WAD })])
    expect(await told(alice, 'orders')).toMatchObject([{ data: { orderId, orderStatus: 'Pending', fills: [] } }])
    await world.chain.emit(filled({ orderId, quantity: WAD, price: 40n * WAD }))
    expect(await told(alice, 'orders')).toMatchObject([
      { data: { orderStatus: 'Partial filled', fills: [{ quantity: 1, price: 40 }] } },
    ])
    await world.chain.emit(filled({ orderId, quantity: WAD, price: 60n * WAD }), closed(orderId, 'filled'))
    const [end, ...more] = await told(alice, 'orders')
    expect(end).toMatchObject({ data: { orderStatus: 'Filled', historyOrder: { filledQuantity: 2 } } })
    expect(more).toEqual([])
    // Nothing that a key does not see is news.
    await world.chain.emit(['CreditBufferWadUpdated', { newAmountWad: 5n }])
    expect(await told(alice, 'orders')).toEqual([])
    expect(await told(bob, 'orders')).toEqual([])
    expect(await records(alice, 'orders')).toEqual(await orders(alice))
  })

  it('is corrected after a reorganisation: by more messages, none is taken back', async () => {
    const { hash, orderId } = await world.order(alice.userAddress as `0x${string}`)
    await world.record(alice, hash)
    await world.chain.emit(filled({ orderId, quantity: WAD, price: WAD }), closed(orderId, 'filled'))
    expect((await told(alice, 'orders')).at(-1)?.data.orderStatus).toBe('Filled')
    const before = await messages(alice, 'orders')

    await world.chain.undo(1)
    expect(await told(alice, 'orders')).toMatchObject([{ event: 'order.updated', data: { orderStatus: 'Pending' } }])
    await world.chain.undo(1)
    expect(await told(alice, 'orders')).toMatchObject([{ data: { orderStatus: 'Init', orderId: null } }])
    // Mined again, with another end.
    await world.index(hash, [placed({ orderId, amount: WAD })])
    await world.chain.emit(closed(orderId, 'rejected', WAD, 1))
    expect((await told(alice, 'orders')).at(-1)?.data.orderStatus).toBe('Rejected')

    const after = await messages(alice, 'orders')
    expect(after.slice(0, before.length)).toEqual(before)
    expect(await records(alice, 'orders')).toEqual(await orders(alice))
  })

  it('tells a cancellation with the order, and the deposit of the same step in its own channel', async () => {
    const user = alice.userAddress as `0x${string}`
    const [limit, bought, deposit] = [randomHash(), randomHash(), randomHash()]
    const [hash, step] = [world.submit(user, '0x'), world.submit(user, '0x')]
    await world.index(hash, [placedLimit({ orderId: limit, quantity: WAD, price: WAD })])
    await world.record(alice, hash)
    await told(alice, 'orders')
    await world.chain.emit(cancelRequested(limit))
    expect(await told(alice, 'orders')).toMatchObject([{ data: { openOrder: { status: 'canceling' } } }])
    await world.chain.emit(...cancelSettled(limit, 'canceled'))
    expect(await told(alice, 'orders')).toMatchObject([{ data: { orderStatus: 'Canceled' } }])

    await world.index(step, depositAndBuy(deposit, bought))
    await world.record(alice, step)
    expect(await told(alice, 'orders')).toMatchObject([
      { data: { orderId: bought, openOrder: { depositOperationId: deposit } } },
    ])
    expect(await told(alice, 'cash')).toMatchObject([
      { event: 'cash_operation.updated', data: { operationId: deposit, operationStatus: 'success' } },
    ])
    await world.chain.undo(1)
    expect(await told(alice, 'cash')).toMatchObject([{ event: 'cash_operation.removed', data: null }])
    expect(await records(alice, 'cash')).toEqual([])
  })

  it('has a record for each operation of a transaction, and takes back those that a reorganisation ends', async () => {
    const user = alice.userAddress as `0x${string}`
    const ids = [randomHash(), randomHash(), randomHash()] as const
    const hash = world.submit(user, '0x')
    await world.index(
      hash,
      ids.map((orderId) => placed({ orderId, amount: WAD })),
    )
    await world.record(alice, hash)
    const [first, second, third] = await told(alice, 'orders')
    expect([first, second, third].map((one) => one?.data.orderId)).toEqual(ids)
    expect([second?.key, third?.key]).toEqual([`${first?.key}/1`, `${first?.key}/2`])
    await world.chain.undo(1)
    expect((await told(alice, 'orders')).map(({ event, key }) => [event, key])).toEqual([
      ['order.updated', first?.key],
      ['order.removed', second?.key],
      ['order.removed', third?.key],
    ])
    expect((await records(alice, 'orders')).length).toBe(1)
  })

  it('tells a key that another has the better claim', async () => {
    const user = alice.userAddress as `0x${string}`
    const hash = world.submit(user, '0x')
    await world.build(unbound, '0x')
    await world.index(hash, [placed({ orderId: randomHash(), amount: WAD })], '0x')
    expect(await world.record(unbound, hash)).toBe('recorded')
    expect(await told(unbound, 'orders')).toMatchObject([{ data: { mappingStatus: 'confirmed' } }])
    expect(await world.record(alice, hash)).toBe('recorded')
    expect(await told(unbound, 'orders')).toMatchObject([{ data: { mappingStatus: 'failed' } }])
    expect(await told(alice, 'orders')).toMatchObject([{ data: { mappingStatus: 'confirmed' } }])
  })

  it('tells of a transaction that reverted, and of stock that was moved', async () => {
    const user = alice.userAddress as `0x${string}`
    const [reverted, moved] = [world.submit(user, '0x'), world.submit(user, '0x')]
    await world.index(moved, [stockDeposited(2n * WAD)])
    await world.record(alice, moved, 'stock_deposit')
    expect(await told(alice, 'stock')).toMatchObject([
      { event: 'stock_operation.updated', data: { operationStatus: 'success' } },
    ])
    await world.sql`insert into stock_claims (claim_id, chain_id, api_key_id, tx_hash, operation_type, user_address)
      values (gen_random_uuid(), ${context.chainId}, ${alice.keyId}, ${reverted}, 'trade', ${user})`
    await world.index(reverted, [], '0x', false)
    expect((await told(alice, 'orders')).at(-1)).toMatchObject({ data: { orderStatus: 'Failed' } })
  })

  it('follows what the venue sends itself: to its hash, its block, and its end when it is never mined', async () => {
    const user = alice.userAddress as `0x${string}`
    const send = (name: string, nonce: number) =>
      inTransaction(world.sql, async (tx) => {
        const [intent] = await tx<{ id: bigint }[]>`
          insert into tx_intents (chain_id, purpose, dedupe_key, to_address, data, value_wei)
          values (${context.chainId}, 'submit', ${name}, ${ROUTER}, '0x', 0) returning id`
        const intentId = intent?.id ?? 0n
        const kept = { id: randomUUID(), claimTypes: ['trade'] as const, clientOrderId: name, cancelOrderId: null }
        await insertSentClaims(tx, context.chainId, [{ kept, intentId, apiKeyId: alice.keyId, user }])
        return { intentId: String(intentId), hash: randomHash(), nonce }
      })
    const sign = ({ intentId, hash, nonce }: Awaited<ReturnType<typeof send>>) =>
      inTransaction(world.sql, async (tx) => {
        await tx`update tx_intents set state = 'signed', signer = 's', nonce = ${nonce} where id = ${intentId}`
        await tx`
          insert into tx_attempts (chain_id, intent_id, hash, signer, nonce, raw_tx, gas_limit, max_fee_wei,
            max_priority_fee_wei, head_number)
          values (${context.chainId}, ${intentId}, ${hash}, 's', ${nonce}, '0x', 1, 1, 1, 1)`
      })

    const [mined, lost] = [await send('mined', 1), await send('lost', 2)]
    expect((await told(alice, 'orders')).map(({ data }) => [data.mapping.clientOrderId, data.txHash])).toEqual([
      ['mined', null],
      ['lost', null],
    ])
    await sign(mined)
    await sign(lost)
    expect((await told(alice, 'orders')).map(({ data }) => data.txHash)).toEqual([mined.hash, lost.hash])
    await world.index(mined.hash, [placed({ orderId: randomHash(), amount: WAD })])
    expect(await told(alice, 'orders')).toMatchObject([{ data: { mappingStatus: 'confirmed', txHash: mined.hash } }])
    await world.sql`update tx_intents set state = 'failed', problem = 'p' where id = ${lost.intentId}`
    expect(await told(alice, 'orders')).toMatchObject([{ data: { orderStatus: 'Failed', txHash: lost.hash } }])
    expect(await records(alice, 'orders')).toEqual(await orders(alice))
  })
})

describe('publishing', () => {
  it('loses nothing when keys record, the indexer applies and undoes, and several publish, all at once', async () => {
    const user = alice.userAddress as `0x${string}`
    const abort = new AbortController()
    const publishers = [1, 2, 3].map(async () => {
      while (!abort.signal.aborted) await publishAll(context.venue, stockPublication(context), abort.signal)
    })
    const recorded: Promise<unknown>[] = []
    for (let round = 0; round < 40; round++) {
      const [hash, cash] = [world.submit(user, '0x'), world.submit(user, '0x')]
      const claims = [
        { hash, type: 'trade' },
        { hash: cash, type: 'deposit' },
      ].map(({ hash: tx, type }) => {
        return world.sql`insert into stock_claims (claim_id, chain_id, api_key_id, tx_hash, operation_type, user_address)
          values (gen_random_uuid(), ${context.chainId}, ${alice.keyId}, ${tx}, ${type}, ${user})`
      })
      recorded.push(...claims)
      await world.chain.block(
        { hash, events: [placed({ orderId: randomHash(), amount: WAD })] },
        { hash: cash, events: [deposited(randomHash(), 5n)] },
      )
      if (round % 4 === 3) await world.chain.undo(1 + (round % 3))
    }
    await Promise.all(recorded)
    abort.abort()
    await Promise.all(publishers)
    await publishAll(context.venue, stockPublication(context))
    expect(await world.sql`select from stock_stream_marks`).toHaveLength(0)
    const shown = await records(alice, 'orders')
    expect(shown).toEqual(await orders(alice))
    expect(shown.length).toBe(40)
    const scope = mappingScope(context, alice, 'deposit')
    const { rows } = await listMappings(world.sql, scope, { limit: 100, offset: 0 })
    const views = (await viewCashOperations(context, rows)).map((view) => JSON.stringify(view))
    expect(await records(alice, 'cash')).toEqual(views.sort())
  })

  it('begins with what was recorded before there was an outbox', async () => {
    const { hash } = await world.order(alice.userAddress as `0x${string}`)
    await world.record(alice, hash)
    await world.sql`delete from stock_stream_marks`
    expect(await told(alice, 'orders')).toEqual([])
    // As migration 071 does.
    await world.sql`insert into stock_stream_marks (chain_id, claim_id) select chain_id, claim_id from stock_claims`
    expect((await told(alice, 'orders')).length).toBe(1)
    expect(await records(alice, 'orders')).toEqual(await orders(alice))
  })
})

describe('a transaction that many keys claim', () => {
  const hash = randomHash()
  const wallet = (nth: number) => `0x${nth.toString(16).padStart(40, '0')}` as const

  /** The keys `from` to `to`, each of a wallet of its own, claim the hash. */
  const claim = (from: number, to: number) => world.sql`
    insert into stock_claims (claim_id, chain_id, api_key_id, tx_hash, operation_type, user_address)
    select gen_random_uuid(), ${context.chainId}, 'stranger-' || nth, ${hash}, 'trade', '0x' || lpad(to_hex(nth), 40, '0')
    from generate_series(${from}::int, ${to}::int) nth`

  /** Publishes, `most` transactions at most, and gives the keys of the claims that each has told. */
  async function keysToldBy(most = Number.POSITIVE_INFINITY): Promise<string[][]> {
    const publication = stockPublication(context)
    const enough = new AbortController()
    const told: string[][] = []
    const watched: Publication = {
      product: publication.product,
      hint: publication.hint,
      hasChanges: publication.hasChanges,
      async takeChanges(tx, isQuick) {
        const taken = await publication.takeChanges(tx, isQuick)
        told.push(taken.subjects.map(({ owner }) => owner))
        if (told.length >= most) enough.abort()
        return taken
      },
    }
    await publishAll(context.venue, watched, enough.signal)
    return told
  }

  /** How many keys are shown each status of their claim. */
  async function statuses(): Promise<Record<string, number>> {
    const rows = await world.sql<{ status: string; count: number }[]>`
      select payload::jsonb ->> 'mappingStatus' as status, count(*)::int from outbox_records
      where channel like '%stranger-%' group by 1`
    return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
  }

  it('is told in parts, and one more claim of a stranger tells nobody else', async () => {
    await claim(1, 1000)
    const parts = await keysToldBy()
    expect(Math.max(...parts.map((keys) => keys.length))).toBeLessThanOrEqual(200)
    expect(await statuses()).toEqual({ pending: 1000 })
    await claim(1001, 1001)
    expect(await keysToldBy()).toEqual([['stranger-1001']])
  })

  it('holds up nobody when it is mined, and all of its keys are told', async () => {
    await claim(1, 1000)
    await keysToldBy()
    const orderId = randomHash()
    await world.index(hash, [placed({ orderId, user: wallet(900), amount: 100n * WAD })])
    await world.sql`update stock_stream_marks set marked_at = now() - interval '1 hour'`
    const own = await world.order(alice.userAddress as `0x${string}`)
    await world.record(alice, own.hash)
    const [first] = await keysToldBy(1)
    expect(first).toContain('alice')
    expect(first).toHaveLength(200)
    // The others are as old as the change that they wait to be told of.
    expect(await oldestMarkSec(world.sql, context.chainId)).toBeGreaterThan(3000)

    // What changes while they wait comes before them; those that wait and change once more wait once.
    await world.chain.emit(
      ...[orderId, own.orderId].map((id) => filled({ orderId: id, quantity: WAD, price: WAD / 2n })),
    )
    const [next] = await keysToldBy(1)
    expect(next).toContain('alice')
    expect(next?.length).toBeLessThanOrEqual(200)
    expect(await world.sql`select from stock_stream_marks`).toHaveLength(801)
    const rest = await keysToldBy()
    expect(rest.map((keys) => keys.length)).toEqual([200, 200, 200, 200, 1])
    expect(await statuses()).toEqual({ confirmed: 1, failed: 999 })
    expect(await records(alice, 'orders')).toEqual(await orders(alice))
  })
})

it('a publisher that has told all takes changes only once there are some', async () => {
  const publication = stockPublication(context)
  let taken = 0
  const counted: Publication = {
    ...publication,
    takeChanges: (tx, isQuick) => {
      taken++
      return publication.takeChanges(tx, isQuick)
    },
  }
  const stop = new AbortController()
  const publisher = runPublisher(testVenue(context.venue), counted, 7, stop.signal)
  await world.sql`insert into stock_claims (claim_id, chain_id, api_key_id, tx_hash, operation_type, user_address)
    values (gen_random_uuid(), ${context.chainId}, ${alice.keyId}, ${randomHash()}, 'trade', ${alice.userAddress})`
  await vi.waitFor(async () => expect(await messages(alice, 'orders')).toHaveLength(1), 20_000)
  // A hint that came while the change was told is looked after once more, and no other comes of it.
  await sleep(300)
  const before = taken
  await sleep(1500)
  expect([taken - before, await hasMarks(world.sql, context.chainId)]).toEqual([0, false])
  stop.abort()
  await publisher
})
