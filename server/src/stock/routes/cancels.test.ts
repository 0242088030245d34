import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Rpc } from '../../chain/rpc.ts'
import type { Hex } from '../../chain/types.ts'
import { inTransaction } from '../../db/pool.ts'
import { systemClock } from '../../lib/clock.ts'
import { createLogger } from '../../lib/logger.ts'
import { WAD } from '../../lib/wad.ts'
import { cancelCalldata } from '../calldata/calldata.ts'
import { serveApi } from '../testing/api.ts'
import {
  ALICE,
  BOB,
  cancelRequested,
  cancelSettled,
  deployment,
  LONG_AGO_SEC,
  placed,
  placedLimit,
  ROUTER,
  randomHash,
  TestChain,
} from '../testing/chain.ts'
import { BUY, ClaimsWorld } from '../testing/claims.ts'

// Cancels under way, hashes that the chain never shows, and clients' own names of recorded orders.

const DAY_MS = 86_400_000

let world: ClaimsWorld
let api: Awaited<ReturnType<typeof serveApi>>
beforeEach(async () => {
  // Two days after what is recorded now.
  TestChain.startSec = Math.floor(Date.now() / 1000) + 172_800
  world = await ClaimsWorld.open()
  const call = async (_method: string, [hash]: readonly Hex[] = []) => world.node.get(hash as Hex) ?? null
  const rpc = { call } as unknown as Rpc
  api = await serveApi({ sql: world.sql, deployment, clock: systemClock, log: createLogger('silent'), rpc })
})
afterEach(async () => {
  TestChain.startSec = LONG_AGO_SEC
  await api.close()
  await world.drop()
})

const ok = async (answer: ReturnType<typeof api.get>) => {
  const { code, errMsg, data } = await answer
  expect([code, errMsg]).toEqual([200, ''])
  return data
}
const record = (txHash: Hex, more = {}) => api.post('/orders/tx', { txHash, ...more })
const askCancel = (orderId: Hex) => api.remove(`/orders/${orderId}/calldata`)

async function resting(): Promise<{ orderId: Hex; hash: Hex }> {
  const orderId = randomHash()
  const hash = await world.chain.emit(placedLimit({ orderId, quantity: WAD, price: 9n * WAD }))
  await ok(record(hash))
  return { orderId, hash }
}

describe('a cancel that waits', () => {
  it('keeps out a second one and leads to itself, until the node has dropped it', async () => {
    const { orderId } = await resting()
    expect(await ok(askCancel(orderId))).toMatchObject({ method: 'cancelLimitOrder' })
    const cancel = world.submit(ALICE, cancelCalldata(ROUTER, orderId).data)
    const { id } = await ok(record(cancel))
    const refused = await askCancel(orderId)
    expect(refused).toMatchObject({ code: 10_002, reason: 'cancel_already_requested', data: { id, txHash: cancel } })
    expect(refused.errMsg).toContain(`GET /api/v1/orders/tx/${cancel} shows it`)
    world.node.delete(cancel)
    expect(await ok(askCancel(orderId))).toMatchObject({ method: 'cancelLimitOrder' })
  })

  it('of a stranger keeps nobody out', async () => {
    const { orderId } = await resting()
    const data = cancelCalldata(ROUTER, orderId).data
    const strange = world.submit(BOB, data)
    await world.record({ keyId: 'bob', access: 'WRITABLE', userAddress: BOB }, strange)
    expect(await ok(askCancel(orderId))).toMatchObject({ method: 'cancelLimitOrder' })
  })

  it('shows its own transaction and state by its hash, and the order’s beside it', async () => {
    const { orderId, hash } = await resting()
    const data = cancelCalldata(ROUTER, orderId).data
    const cancel = world.submit(ALICE, data)
    await ok(record(cancel))
    const byHash = () => ok(api.get(`/orders/tx/${cancel}`))
    const waiting = { txHash: cancel, status: 'pending', statusReason: null }
    expect(await byHash()).toMatchObject({
      orderId,
      txHash: cancel,
      mappingStatus: 'pending',
      orderStatus: 'New',
      cancellation: waiting,
      openOrder: { createTxHash: hash, status: 'open' },
    })
    await world.index(cancel, [cancelRequested(orderId)], data)
    const shown = { txHash: cancel, status: 'confirmed', statusReason: null }
    expect(await byHash()).toMatchObject({ orderId, txHash: cancel, mappingStatus: 'confirmed', cancellation: shown })
    expect(await ok(api.get(`/orders/${orderId}`))).toMatchObject({ txHash: hash, cancellation: shown })
    expect(await askCancel(orderId)).toMatchObject({ reason: 'cancel_already_requested', data: { txHash: cancel } })
    await world.chain.emit(...cancelSettled(orderId, 'canceled'))
    expect(await byHash()).toMatchObject({ txHash: cancel, orderStatus: 'Canceled', cancellation: shown })
  })

  it('that reverted has failed, and its order is as it was', async () => {
    const { orderId } = await resting()
    const data = cancelCalldata(ROUTER, orderId).data
    const cancel = world.submit(ALICE, data)
    await ok(record(cancel))
    await world.index(cancel, [], data, false)
    expect(await ok(api.get(`/orders/tx/${cancel}`))).toMatchObject({
      orderId,
      txHash: cancel,
      mappingStatus: 'failed',
      orderStatus: 'New',
      cancellation: { txHash: cancel, status: 'failed', statusReason: 'the transaction reverted' },
    })
    expect(await ok(askCancel(orderId))).toMatchObject({ method: 'cancelLimitOrder' })
  })
})

describe('a hash that the chain never shows', () => {
  const age = (ms: number) =>
    inTransaction(world.sql, async (sql) => {
      await sql`create temp table moved on commit drop as select * from stock_claims`
      await sql`delete from stock_claims`
      await sql`update moved set created_at = ${new Date(Date.now() - ms)}`
      await sql`insert into stock_claims select * from moved`
    })

  it('expires after a day and says so; what is mined after all counts', async () => {
    const hash = randomHash()
    await ok(record(hash))
    await ok(api.post('/cash/deposits/tx', { txHash: hash }))
    await age(DAY_MS - 60_000)
    expect(await ok(api.get(`/orders/tx/${hash}`))).toMatchObject({ mappingStatus: 'pending', orderStatus: 'Init' })
    await age(DAY_MS + 60_000)
    const statusReason = 'the chain has not shown this hash within 24 hours of its record'
    expect(await ok(api.get(`/orders/tx/${hash}`))).toMatchObject({
      mappingStatus: 'expired',
      orderStatus: 'Expired',
      mapping: { status: 'expired', statusReason },
    })
    expect((await ok(api.get('/cash/deposits'))).rows).toMatchObject([
      { operationStatus: 'failed', mappingStatus: 'expired' },
    ])
    const orderId = randomHash()
    await world.index(hash, [placed({ orderId, amount: WAD })])
    expect(await ok(api.get(`/orders/tx/${hash}`))).toMatchObject({ orderId, mappingStatus: 'confirmed' })
  })

  it('does not expire while the index is behind', async () => {
    const hash = randomHash()
    await ok(record(hash))
    await age(DAY_MS + 60_000)
    await world.sql`update blocks set timestamp_sec = timestamp_sec - 1000000`
    expect(await ok(api.get(`/orders/tx/${hash}`))).toMatchObject({ mappingStatus: 'pending' })
  })
})

describe('a clientOrderId of a recorded order', () => {
  it('finds it, is kept by a repeat, and names one order', async () => {
    const [first, second] = [world.submit(ALICE, BUY), world.submit(ALICE, BUY)]
    const named = { clientOrderId: 'mine-1' }
    expect(await ok(record(first, named))).toMatchObject({ clientOrderId: 'mine-1' })
    expect(await ok(record(first, named))).toMatchObject({ clientOrderId: 'mine-1' })
    expect(await record(second, named)).toMatchObject({ code: 10_002, reason: 'client_order_id_taken' })
    expect((await ok(api.get('/orders?clientOrderId=mine-1'))).rows).toMatchObject([{ txHash: first }])
    expect((await ok(api.get('/orders'))).total).toBe(1)
  })

  it('is refused for a transaction that places none', async () => {
    const cancel = world.submit(ALICE, cancelCalldata(ROUTER, randomHash()).data)
    expect(await record(cancel, { clientOrderId: 'x' })).toMatchObject({ code: 10_000, reason: 'field_not_applicable' })
  })
})
