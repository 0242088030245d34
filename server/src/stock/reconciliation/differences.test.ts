import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WAD } from '../../lib/wad.ts'
import { insertOrders } from '../../market/broker-store.ts'
import { AAPL, ALICE, CHAIN_ID, filled, STOCK } from '../testing/chain.ts'
import { PRICE8, Scene } from './testing-scene.ts'

let scene: Scene
beforeEach(async () => {
  scene = await Scene.open()
})
afterEach(() => scene.drop())

describe('a difference is found and named:', () => {
  it('a foreign mint, a foreign burn', async () => {
    scene.contracts.supplyWad.set(AAPL, 8n * WAD)
    expect(await scene.differences()).toEqual([`AAPL supply foreign_mint ${3n * WAD}`])
    scene.contracts.supplyWad.set(AAPL, 5n * WAD - 1n)
    expect(await scene.differences()).toEqual(['AAPL supply foreign_burn -1'])
  })

  it('a foreign execution at the broker, of a stock of ours and of another', async () => {
    for (const symbol of ['AAPL', 'GME']) {
      const order = {
        clientOrderId: `by hand ${symbol}`,
        symbol,
        type: 'market',
        side: 'sell',
        expiresAtMs: null,
      } as const
      await scene.world.broker.submit({ ...order, quantityWad: 2n * WAD })
      scene.world.broker.fill(`by hand ${symbol}`, 2n * WAD, PRICE8)
    }
    const expected = [`AAPL position foreign_position ${-2n * WAD}`, `GME position foreign_position ${-2n * WAD}`]
    expect(await scene.differences()).toEqual(expected)
    expect((await scene.lines()).find(({ cause }) => cause === 'foreign_position')?.details).toEqual([
      'execution e1 of order by hand AAPL',
    ])
    await scene.world.trade()
    expect(await scene.differences()).toEqual(expected)
  })

  it('an open order at the broker that is not ours, and one of ours that it does not know', async () => {
    const order = { clientOrderId: 'by hand', symbol: 'AAPL', type: 'market', side: 'sell', expiresAtMs: null } as const
    await scene.world.broker.submit({ ...order, quantityWad: WAD })
    expect(await scene.differences()).toEqual(['orders at_broker foreign_order 1'])
    scene.world.broker.end('by hand', 'canceled')
    await insertOrders(scene.world.sql, CHAIN_ID, 'scripted', [{ ...order, clientOrderId: 'gone', quantityWad: WAD }])
    await scene.world.sql`update broker_orders set status = 'accepted' where client_order_id = 'gone'`
    expect(await scene.differences()).toEqual(['orders at_broker lost_order 1'])
    expect((await scene.lines()).find(({ cause }) => cause === 'lost_order')?.details).toEqual([
      'gone is not known to the broker',
    ])
  })

  it('a lost execution', async () => {
    await scene.lose('hedge_ledger')
    await scene.lose('execution_settlements')
    await scene.lose('broker_executions')
    expect(await scene.differences()).toEqual([
      `AAPL position lost_execution ${5n * WAD}`,
      `AAPL settlement lost_execution ${5n * WAD}`,
    ])
  })

  it('a lost fill', async () => {
    await scene.lose('stock_fills')
    const found = await scene.differences()
    expect(found.filter((one) => one.startsWith('AAPL'))).toEqual([
      `AAPL settlement lost_fill ${-5n * WAD}`,
      `AAPL supply lost_fill ${5n * WAD}`,
      `AAPL holdings lost_fill ${5n * WAD}`,
    ])
    expect(found).toContain(`mUSD owed cash_books ${-1001n * WAD - WAD / 10n}`)
    expect(found).toContain('cash balances user_books 1')
  })

  it('a settlement of what the broker never executed', async () => {
    const fill = { orderId: scene.restingId, quantity: WAD, price: 100n * WAD }
    await scene.world.chain.emit(filled(fill))
    expect(await scene.differences()).toContain(`AAPL settlement foreign_settlement ${WAD}`)
  })

  it('a lost position', async () => {
    await scene.lose('stock_positions')
    expect(await scene.differences()).toEqual([
      `AAPL holdings lost_position ${-4n * WAD}`,
      'stock balances user_books 1',
    ])
    expect((await scene.lines()).find(({ cause }) => cause === 'user_books')?.details).toEqual([
      `${ALICE} has 0 AAPL here and ${4n * WAD} on chain`,
    ])
  })

  it('a lost order, a lost deposit', async () => {
    await scene.lose('stock_orders', `order_id = '${scene.restingId}'`)
    expect(await scene.differences()).toEqual(['orders placed lost_order 1', 'cash balances user_books 1'])
    await scene.lose('cash_operations', `kind = 'deposit' and status = 'queued'`)
    expect(await scene.differences()).toEqual(
      expect.arrayContaining(['mUSD operations lost_cash_operation 1', 'USDC queued_deposits cash_books 300000000']),
    )
  })

  it('an order that is closed on chain and open here', async () => {
    scene.contracts.orders.set(scene.restingId, { status: 5, lockedWad: 100n * WAD + (11n * WAD) / 100n })
    expect(await scene.differences()).toEqual(['orders on_chain order_books 1'])
  })

  it('stock that is missing at the exchange', async () => {
    scene.contracts.heldWad.set(`${AAPL} ${STOCK}`, 4n * WAD - 1n)
    expect(await scene.differences()).toEqual(['AAPL custody missing_stock -1'])
  })

  it('buffers out of step', async () => {
    scene.contracts.creditBufferWad -= 1n
    scene.contracts.withdrawBufferRaw += 2n
    expect(await scene.differences()).toEqual([
      'mUSD credit_buffer buffer_books -1',
      'USDC withdraw_buffer buffer_books 2',
    ])
  })
})
