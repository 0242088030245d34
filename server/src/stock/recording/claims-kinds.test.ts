import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Hex } from '../../chain/types.ts'
import { WAD } from '../../lib/wad.ts'
import {
  cancelCalldata,
  depositAndOrderCalldata,
  depositCalldata,
  withdrawStockCalldata,
} from '../calldata/calldata.ts'
import { stockOperationId } from '../indexing/stock-operation-id.ts'
import {
  AAPL,
  ALICE,
  BOB,
  CHAIN_ID,
  cancelRequested,
  depositAndBuy,
  depositAndSell,
  deposited,
  placed,
  placedLimit,
  ROUTER,
  randomHash,
  stockDeposited,
  USDC,
} from '../testing/chain.ts'
import { alice, alice2, bob, ClaimsWorld, scopeOf, unbound } from '../testing/claims.ts'
import { listMappings } from './mapping-store.ts'

let world: ClaimsWorld
beforeEach(async () => {
  world = await ClaimsWorld.open()
})
afterEach(() => world.drop())

const DEPOSIT = depositCalldata(ROUTER, USDC, 5n).data

describe('moves of stock', () => {
  it('are recorded by their own endpoints alone', async () => {
    const hash = await world.chain.emit(stockDeposited(WAD))
    for (const type of ['trade', 'deposit', 'withdraw', 'stock_withdraw'] as const) {
      expect(await world.record(alice, hash, type)).toBe('transaction_of_other_kind')
    }
    expect(await world.record(alice, hash, 'stock_deposit')).toBe('recorded')
    expect(await world.record(bob, hash, 'stock_deposit')).toBe('transaction_of_other_user')
    const id = stockOperationId({ chainId: CHAIN_ID, transactionHash: hash, indexInTransaction: 0 })
    expect(await world.mappings(alice, hash, 'stock_deposit')).toEqual([['confirmed', id]])
    expect(await world.list(alice, 'stock_deposit')).toEqual([1, [id]])
    expect(await world.list(alice, 'deposit')).toEqual([0, []])
  })

  it('are told from cash by what the transaction calls, before they are indexed', async () => {
    const out = world.submit(ALICE, withdrawStockCalldata(ROUTER, AAPL, 1n).data)
    expect(await world.record(alice, out, 'withdraw')).toBe('transaction_of_other_kind')
    expect(await world.record(alice, out, 'stock_withdraw')).toBe('recorded')
    expect(await world.record(alice, world.submit(ALICE, DEPOSIT), 'stock_deposit')).toBe('transaction_of_other_kind')
    expect(await world.mappings(alice, out, 'stock_withdraw')).toEqual([['pending', null]])
  })

  it('several of one transaction are several records', async () => {
    const hash = await world.chain.emit(stockDeposited(1n), stockDeposited(2n, BOB), stockDeposited(3n))
    await world.record(alice, hash, 'stock_deposit')
    const [total, ids] = await world.list(alice, 'stock_deposit')
    expect([total, (ids as Hex[]).length]).toEqual([2, 2])
  })
})

describe('an order with a deposit', () => {
  const cash = (user = ALICE) => {
    const [depositOpId, orderId] = [randomHash(), randomHash()]
    return { depositOpId, orderId, events: depositAndBuy(depositOpId, orderId, user) }
  }

  it('is a trade, and gives its key the deposit too', async () => {
    const { depositOpId, orderId, events } = cash()
    const hash = await world.chain.emit(...events)
    expect(await world.record(alice, hash, 'deposit')).toBe('transaction_of_other_kind')
    expect(await world.record(alice, hash)).toBe('recorded')
    expect(await world.list(alice, 'trade')).toEqual([1, [orderId]])
    expect(await world.list(alice, 'deposit')).toEqual([1, [depositOpId]])
    expect(await world.mappings(alice, hash, 'deposit')).toEqual([['confirmed', depositOpId]])
    expect(await world.list(alice, 'stock_deposit')).toEqual([0, []])
  })

  it('with stock has its deposit among the stock deposits', async () => {
    const orderId = randomHash()
    const hash = await world.chain.emit(...depositAndSell(orderId))
    expect(await world.record(alice, hash, 'stock_deposit')).toBe('transaction_of_other_kind')
    await world.record(alice, hash)
    const id = stockOperationId({ chainId: CHAIN_ID, transactionHash: hash, indexInTransaction: 0 })
    expect([await world.list(alice, 'trade'), await world.list(alice, 'stock_deposit')]).toEqual([
      [1, [orderId]],
      [1, [id]],
    ])
    expect(await world.list(alice, 'deposit')).toEqual([0, []])
  })

  it('has it also when nothing was known of the transaction as it was recorded', async () => {
    const [hash, plain] = [randomHash(), randomHash()]
    const { depositOpId, orderId, events } = cash()
    expect([await world.record(alice, hash), await world.record(alice, plain)]).toEqual(['recorded', 'recorded'])
    expect(await world.list(alice, 'trade')).toEqual([2, [null, null]])
    expect(await world.list(alice, 'deposit')).toEqual([0, []])
    expect(await world.mappings(alice, hash, 'deposit')).toEqual([])
    await world.index(hash, events)
    await world.index(plain, [placed({ orderId: randomHash(), amount: WAD })])
    expect(await world.mappings(alice, hash)).toEqual([['confirmed', orderId]])
    expect(await world.list(alice, 'deposit')).toEqual([1, [depositOpId]])
    await world.chain.undo(2)
    expect(await world.list(alice, 'deposit')).toEqual([0, []])
  })

  it('is told by what the transaction calls, before it is indexed', async () => {
    const terms = { type: 'Market', side: 'Buy', notionalWad: WAD } as const
    const { data } = depositAndOrderCalldata(ROUTER, AAPL, terms, { token: USDC, amountRaw: 5n }, 2_000_000_000)
    const hash = world.submit(ALICE, data)
    expect(await world.record(alice, hash, 'deposit')).toBe('transaction_of_other_kind')
    expect(await world.record(alice, hash)).toBe('recorded')
    const { depositOpId, events } = cash()
    await world.index(hash, events, data)
    expect(await world.list(alice, 'deposit')).toEqual([1, [depositOpId]])
  })

  it('keeps its deposit out of other keys’ lists, whatever they claimed before', async () => {
    const hash = randomHash()
    expect([await world.record(bob, hash, 'deposit'), await world.record(alice, hash, 'deposit')]).toEqual([
      'recorded',
      'recorded',
    ])
    const { depositOpId, events } = cash()
    await world.index(hash, events)
    expect(await world.record(alice2, hash)).toBe('recorded')
    expect(await world.list(alice2, 'deposit')).toEqual([1, [depositOpId]])
    expect(await world.mappings(alice, hash, 'deposit')).toEqual([['failed', null]])
    expect(await world.mappings(bob, hash, 'deposit')).toEqual([['failed', null]])
  })

  it('shares a list with plain deposits, newest first, and counts each once', async () => {
    const expected: Hex[] = []
    for (let nth = 0; nth < 6; nth++) {
      const opId = randomHash()
      expected.unshift(opId)
      const inStep = nth % 2 === 0
      const events = inStep ? depositAndBuy(opId, randomHash()) : [deposited(opId, 1n)]
      const hash = await world.chain.emit(...events)
      await world.record(alice, hash, inStep ? 'trade' : 'deposit')
    }
    const both = randomHash()
    const [inStep, plain] = [randomHash(), randomHash()]
    await world.chain.block({ hash: both, events: [...depositAndBuy(inStep, randomHash()), deposited(plain, 2n)] })
    await world.record(alice, both)
    await world.record(alice, both, 'deposit')
    expect(await world.list(alice, 'deposit')).toEqual([8, [plain, inStep, ...expected]])
    const page = (offset: number) => listMappings(world.sql, scopeOf(alice, 'deposit'), { limit: 3, offset })
    const pages = await Promise.all([page(0), page(3), page(6)])
    const paged = pages.flatMap(({ rows }) => rows.map((row) => row.operationId))
    expect(paged).toEqual([plain, inStep, ...expected])
  })
})

describe('a cancellation', () => {
  const CANCEL = cancelCalldata(ROUTER, randomHash()).data
  const rested = async (user = ALICE) => {
    const orderId = randomHash()
    const hash = await world.chain.emit(placedLimit({ orderId, user, quantity: WAD, price: WAD }))
    return { orderId, hash }
  }

  it('is recorded where orders are and leads to its order, which stays one record', async () => {
    const { orderId, hash } = await rested()
    await world.record(alice, hash)
    const cancel = world.submit(ALICE, CANCEL)
    expect(await world.record(alice, cancel, 'deposit')).toBe('transaction_of_other_kind')
    expect([await world.record(alice, cancel), await world.record(alice, cancel)]).toEqual(['recorded', 'recorded'])
    expect(await world.mappings(alice, cancel)).toEqual([['pending', null]])
    await world.index(cancel, [cancelRequested(orderId)], CANCEL)
    expect(await world.mappings(alice, cancel)).toEqual([['confirmed', orderId]])
    expect(await world.list(alice, 'trade')).toEqual([1, [orderId]])
    expect(await world.record(bob, cancel)).toBe('transaction_of_other_user')
    expect(await world.record(alice2, cancel)).toBe('transaction_of_other_key')
  })

  it('that failed is a failed mapping', async () => {
    const cancel = world.submit(ALICE, CANCEL)
    await world.index(cancel, [], CANCEL, false)
    expect(await world.record(alice, cancel)).toBe('recorded')
    expect(await world.mappings(alice, cancel)).toEqual([['failed', null]])
  })

  it('that was recorded before anything was known of it leads to its order too', async () => {
    const { orderId } = await rested()
    const cancel = randomHash()
    expect(await world.record(alice, cancel)).toBe('recorded')
    await world.index(cancel, [cancelRequested(orderId)], CANCEL)
    expect(await world.mappings(alice, cancel)).toEqual([['confirmed', orderId]])
    expect(await world.record(alice2, cancel)).toBe('transaction_of_other_key')
  })

  it('of several orders at once counts as one record when it was recorded unseen', async () => {
    const [one, two] = [await rested(), await rested()]
    const cancel = randomHash()
    await world.record(alice, cancel)
    await world.index(cancel, [cancelRequested(one.orderId), cancelRequested(two.orderId)], CANCEL)
    expect(await world.list(alice, 'trade')).toEqual([1, [one.orderId]])
  })

  it('beside a placing in one transaction does not hide the placed order', async () => {
    const { orderId } = await rested()
    const placedId = randomHash()
    const hash = await world.chain.emit(
      cancelRequested(orderId),
      placedLimit({ orderId: placedId, quantity: WAD, price: WAD }),
    )
    expect(await world.record(alice, hash)).toBe('recorded')
    expect(await world.mappings(alice, hash)).toEqual([['confirmed', placedId]])
    expect(await world.list(alice, 'trade')).toEqual([1, [placedId]])
  })

  it('gives an unbound key its order only for calldata that it built', async () => {
    const { orderId } = await rested()
    const cancel = world.submit(ALICE, CANCEL)
    expect(await world.record(unbound, cancel)).toBe('transaction_of_other_user')
    await world.build(unbound, CANCEL)
    expect(await world.record(unbound, cancel)).toBe('recorded')
    await world.index(cancel, [cancelRequested(orderId)], CANCEL)
    expect(await world.mappings(unbound, cancel)).toEqual([['confirmed', orderId]])
    expect(await world.record(alice, cancel)).toBe('recorded')
    expect(await world.mappings(unbound, cancel)).toEqual([['failed', null]])
  })
})
