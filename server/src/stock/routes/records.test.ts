import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Hex } from '../../chain/types.ts'
import { WAD } from '../../lib/wad.ts'
import { ScriptedNode, serveApi } from '../testing/api.ts'
import {
  AAPL,
  ALICE,
  BOB,
  cancelRequested,
  cancelSettled,
  depositAndBuy,
  depositAndSell,
  deposited,
  type EventCall,
  limitFilled,
  placedLimit,
  randomHash,
  stockDeposited,
  stockWithdrawn,
} from '../testing/chain.ts'
import { KeeperWorld } from '../testing/keeper.ts'

// What keys have recorded, as the lists and details of orders, cash and stock show it.

let world: KeeperWorld
let api: Awaited<ReturnType<typeof serveApi>>
beforeEach(async () => {
  world = await KeeperWorld.open()
  api = await serveApi({ ...world.venue, rpc: new ScriptedNode() })
})
afterEach(async () => {
  await api.close()
  await world.drop()
})

async function data(answer: ReturnType<typeof api.get>) {
  const { code, errMsg, data: payload } = await answer
  expect([code, errMsg]).toEqual([200, ''])
  return payload
}

/** Indexes a transaction of these events and records it. */
async function recorded(path: string, ...events: EventCall[]): Promise<Hex> {
  const txHash = await world.chain.emit(...events)
  expect(await data(api.post(path, { txHash }))).toMatchObject({ txHash, status: 'confirmed' })
  return txHash
}

describe.each([
  ['deposits', 'withdrawals', 'depositOperation', 'withdrawalOperation', 'deposit', stockDeposited],
  ['withdrawals', 'deposits', 'withdrawalOperation', 'depositOperation', 'withdraw', stockWithdrawn],
] as const)('stock %s', (kind, otherKind, own, other, operationType, moved) => {
  const path = `/stock/${kind}`

  it('show what was moved, in the list and alone', async () => {
    const txHash = await recorded(`${path}/tx`, moved(WAD + WAD / 4n))
    const { total, rows } = await data(api.get(path))
    const [row] = rows
    expect([total, rows.length]).toEqual([1, 1])
    const { operationId } = row
    expect(operationId).toMatch(/^0x[0-9a-f]{64}$/)
    expect(row).toEqual({
      operationId,
      txHash,
      mappingStatus: 'confirmed',
      operationStatus: 'success',
      mapping: expect.objectContaining({ operationType, operationId, orderId: null, txHash, userAddress: ALICE }),
      [own]: {
        operationId,
        userAddress: ALICE,
        tokenAddress: AAPL,
        symbol: 'AAPL',
        status: 'success',
        amount: 1.25,
        orderId: null,
        createTxHash: txHash,
        createdAt: expect.any(Number),
        exitAt: null,
      },
      [other]: null,
    })
    expect(await data(api.get(`${path}/${operationId.toUpperCase().replace('0X', '0x')}`))).toEqual(row)
    expect(await data(api.get(`/stock/${otherKind}`))).toEqual({ total: 0, rows: [] })
  })

  it('are public by their id, but the mapping is the key’s own', async () => {
    await recorded(`${path}/tx`, moved(WAD))
    const { rows } = await data(api.get(path))
    const detail = await data(api.get(`${path}/${rows[0].operationId}`, 'other'))
    expect(detail).toMatchObject({ operationStatus: 'success', mapping: null, mappingStatus: null })
    expect(detail[own]).toEqual(rows[0][own])
    expect(await data(api.get(path, 'other'))).toEqual({ total: 0, rows: [] })
  })

  it('are processing until their transaction is indexed, and failed when it reverted', async () => {
    const [pending, failed] = [randomHash(), randomHash()]
    for (const txHash of [pending, failed]) await data(api.post(`${path}/tx`, { txHash }))
    await world.chain.block({ hash: failed, succeeded: false })
    const { rows } = await data(api.get(path))
    const statuses = new Map(rows.map((row: { txHash: Hex }) => [row.txHash, row]))
    expect(statuses.get(pending)).toMatchObject({ operationId: null, operationStatus: 'processing', [own]: null })
    expect(statuses.get(failed)).toMatchObject({ operationStatus: 'failed', mappingStatus: 'failed', [own]: null })
  })

  it('refuse what is of another kind, another wallet’s, another key’s, or not there', async () => {
    const txHash = await recorded(`${path}/tx`, moved(WAD))
    const again = await data(api.post(`${path}/tx`, { txHash }))
    expect(again).toEqual(await data(api.post(`${path}/tx`, { txHash })))
    const refusals: [Promise<unknown>, string, RegExp][] = [
      [api.post(`/stock/${otherKind}/tx`, { txHash }), 'transaction_of_other_kind', /is no stock/],
      [api.post(`/cash/${kind}/tx`, { txHash }), 'transaction_of_other_kind', /is no cash/],
      [api.post('/orders/tx', { txHash }), 'transaction_of_other_kind', /is no trade/],
      [api.post(`${path}/tx`, { txHash }, 'other'), 'transaction_of_other_key', /another API key/],
      [
        api.post(`${path}/tx`, { txHash: await world.chain.emit(moved(1n, BOB)) }),
        'transaction_of_other_user',
        /another wallet/,
      ],
      [api.post(`${path}/tx`, { txHash }, 'unbound'), 'transaction_of_other_user', /did not build/],
      [api.get(`${path}/${randomHash()}`), 'operation_not_found', /no stock .* is indexed/],
      [api.get(`/stock/${otherKind}/${again.operationId}`), 'operation_not_found', /no stock .* is indexed/],
      [api.get(`/cash/${kind}/${again.operationId}`), 'operation_not_found', /is indexed/],
      [api.get(`${path}/1`), 'request_invalid', /operationId must be an operation id/],
      [api.get(`${path}?page=x`), 'request_invalid', /page must be an integer/],
      [api.post(`${path}/tx`, { txHash: '0x1' }), 'request_invalid', /txHash must be a transaction hash/],
    ]
    for (const [answer, reason, errMsg] of refusals) {
      expect(await answer).toMatchObject({ status: 400, reason, errMsg: expect.stringMatching(errMsg) })
    }
    expect(await world.sql`select 1 from stock_claims`).toHaveLength(1)
  })

  it('are paged, newest first', async () => {
    const hashes: Hex[] = []
    for (let nth = 0; nth < 5; nth++) hashes.unshift(await recorded(`${path}/tx`, moved(BigInt(nth + 1))))
    const pages = [1, 2, 3, 4].map((page) => data(api.get(`${path}?page=${page}&limit=2`)))
    const answers = await Promise.all(pages)
    expect(answers.map(({ total }) => total)).toEqual([5, 5, 5, 5])
    expect(answers.flatMap(({ rows }) => rows.map((row: { txHash: Hex }) => row.txHash))).toEqual(hashes)
  })
})

describe('an order with a deposit', () => {
  it('of cash names it, and it is among the cash deposits', async () => {
    const [depositOpId, orderId] = [randomHash(), randomHash()]
    const txHash = await recorded('/orders/tx', ...depositAndBuy(depositOpId, orderId))
    await recorded('/cash/deposits/tx', deposited(randomHash(), 3n))
    const { rows: orders } = await data(api.get('/orders'))
    expect(orders).toMatchObject([{ orderId, openOrder: { depositOperationId: depositOpId } }])
    const { total, rows } = await data(api.get('/cash/deposits'))
    expect([total, rows.length]).toEqual([2, 2])
    expect(rows[1]).toMatchObject({
      operationId: depositOpId,
      txHash,
      operationStatus: 'success',
      mapping: { operationType: 'deposit', operationId: depositOpId, orderId: null, txHash },
      depositOperation: { orderId, amount: 5 },
    })
    expect(await data(api.get(`/cash/deposits/${depositOpId}`))).toEqual(rows[1])
    expect(rows[0].depositOperation.orderId).toBeNull()
  })

  it('of stock names it, and it is among the stock deposits', async () => {
    const orderId = randomHash()
    const txHash = await recorded('/orders/tx', ...depositAndSell(orderId))
    const { total, rows } = await data(api.get('/stock/deposits'))
    expect([total, rows.length]).toEqual([1, 1])
    const [{ operationId }] = rows
    expect(rows[0]).toMatchObject({ txHash, depositOperation: { orderId, amount: 2 }, mapping: { orderId: null } })
    expect(await data(api.get(`/stock/deposits/${operationId}`))).toEqual(rows[0])
    const order = await data(api.get(`/orders/${orderId}`))
    expect(order.openOrder).toMatchObject({ depositOperationId: operationId, type: 'Limit', side: 'Sell', price: 9 })
  })

  it('is recorded with the orders alone', async () => {
    for (const [path, events] of [
      ['/cash/deposits/tx', depositAndBuy(randomHash(), randomHash())],
      ['/stock/deposits/tx', depositAndSell(randomHash())],
    ] as const) {
      const txHash = await world.chain.emit(...events)
      expect(await api.post(path, { txHash })).toMatchObject({ reason: 'transaction_of_other_kind' })
    }
  })
})

describe('a limit order', () => {
  const terms = { quantity: 2n * WAD, price: 180n * WAD + WAD / 2n }
  async function place(quantity = terms.quantity): Promise<Hex> {
    const orderId = randomHash()
    await recorded('/orders/tx', placedLimit({ orderId, ...terms, quantity }))
    return orderId
  }
  const detail = (orderId: Hex, key?: string) => data(api.get(`/orders/${orderId}`, key))

  it('goes from Init through New, canceling and a part filled to Canceled, the same in detail, list and by hash', async () => {
    const [orderId, txHash, cancelTxHash] = [randomHash(), randomHash(), randomHash()]
    await data(api.post('/orders/tx', { txHash }))
    const byHash = () => data(api.get(`/orders/tx/${txHash}`))
    expect(await byHash()).toMatchObject({ orderStatus: 'Init', mappingStatus: 'pending', orderId: null, fills: [] })

    await world.chain.block({ hash: txHash, events: [placedLimit({ orderId, ...terms })] })
    const resting = {
      type: 'Limit',
      side: 'Buy',
      quantity: 2,
      notional: null,
      price: 180.5,
      timeInForce: 'DAY',
      filledQuantity: 0,
      cancelRequested: false,
      cancelTxHash: null,
      deadline: 2_000_000_000,
    }
    expect(await byHash()).toMatchObject({ orderStatus: 'New', openOrder: { ...resting, status: 'open' } })

    await world.chain.block({ hash: cancelTxHash, events: [cancelRequested(orderId)] })
    const canceling = { cancelRequested: true, cancelTxHash }
    expect(await byHash()).toMatchObject({ orderStatus: 'New', openOrder: { status: 'canceling', ...canceling } })

    const partTxHash = await world.chain.emit(
      limitFilled({ orderId, quantity: WAD / 2n, price: 180n * WAD, fees: [WAD / 10n, WAD / 100n] }),
    )
    expect(await byHash()).toMatchObject({ orderStatus: 'Partial filled', openOrder: { filledQuantity: 0.5 } })

    const settleTxHash = await world.chain.emit(...cancelSettled(orderId, 'canceled', 270n * WAD))
    const ended = await byHash()
    expect(ended).toMatchObject({
      orderStatus: 'Canceled',
      openOrder: null,
      historyOrder: {
        ...canceling,
        status: 'Canceled',
        price: 180.5,
        quantity: 2,
        filledQuantity: 0.5,
        avgFillPrice: 180,
        filledNotional: 90,
        thirdPartyFee: 0.1,
        protocolFee: 0.01,
        feeAmount: 0.11,
        settleTxHash,
        reason: null,
      },
    })
    expect(await detail(orderId)).toEqual(ended)
    const { fills, ...listed } = ended
    expect(await data(api.get('/orders'))).toEqual({ total: 1, rows: [listed] })
    const amounts = { quantity: 0.5, price: 180, notional: 90, thirdPartyFee: 0.1, protocolFee: 0.01 }
    expect(fills).toEqual([{ ...amounts, txHash: partTxHash, settledAt: expect.any(Number) }])
    expect(await detail(orderId, 'other')).toEqual({ ...ended, mapping: null, mappingStatus: null })
    expect(await data(api.get('/orders', 'other'))).toEqual({ total: 0, rows: [] })
  })

  it('whose placing reverted is Failed', async () => {
    const txHash = randomHash()
    await data(api.post('/orders/tx', { txHash }))
    await world.chain.block({ hash: txHash, succeeded: false })
    expect(await data(api.get(`/orders/tx/${txHash}`))).toMatchObject({ orderStatus: 'Failed', orderId: null })
  })

  it.each([
    ['expired', 'Expired', 3, /expired/],
    ['rejected', 'Rejected', 1, /rejected/],
    ['partiallyFilled', 'Canceled', 2, /ended the order/],
    ['partiallyFilled', 'Filled', 5, /finer than the broker trades/],
    ['partiallyFilled', 'Filled', 0, /finer than the broker trades/],
  ] as const)('that the broker ends as %s is %s, and says why', async (status, orderStatus, code, reason) => {
    const orderId = await place(-WAD)
    await world.chain.emit(...cancelSettled(orderId, status, WAD, code))
    expect(await detail(orderId)).toMatchObject({
      orderStatus,
      historyOrder: {
        status: orderStatus,
        side: 'Sell',
        quantity: 1,
        cancelRequested: false,
        cancelTxHash: null,
        reason: expect.stringMatching(reason),
      },
    })
  })

  it('that is filled in parts has sums and an average', async () => {
    const orderId = await place()
    await world.chain.emit(limitFilled({ orderId, quantity: WAD, price: 180n * WAD }))
    await world.chain.emit(limitFilled({ orderId, quantity: WAD, price: 170n * WAD }))
    const { openOrder, fills } = await detail(orderId)
    expect(fills.map((fill: { price: number }) => fill.price)).toEqual([180, 170])
    expect(openOrder).toMatchObject({ filledQuantity: 2, avgFillPrice: 175, status: 'open' })
  })

  it('is found by its cancellation’s hash once that is recorded, and listed once', async () => {
    const orderId = await place()
    const cancel = await world.chain.emit(cancelRequested(orderId))
    expect(await api.get(`/orders/tx/${cancel}`)).toMatchObject({ reason: 'transaction_not_recorded' })
    const mapping = await data(api.post('/orders/tx', { txHash: cancel }))
    expect(mapping).toMatchObject({ operationType: 'trade', orderId, operationId: null, txHash: cancel })
    const order = await data(api.get(`/orders/tx/${cancel}`))
    expect(order).toMatchObject({ orderId, mapping, openOrder: { status: 'canceling' } })
    const { total, rows } = await data(api.get('/orders'))
    expect([total, rows.length, rows[0].mapping.txHash]).toEqual([1, 1, order.openOrder.createTxHash])
    expect([order.txHash, order.cancellation.txHash]).toEqual([cancel, cancel])
  })
})
