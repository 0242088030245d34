import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Hex } from '../../chain/types.ts'
import { testDatabase } from '../../db/testing.ts'
import { AAPL, ALICE, BOB, MSFT } from '../testing/chain.ts'

const FOLDER = join(import.meta.dirname, '..', '..', 'db', 'migrations')
const file = (name: string) => readFileSync(join(FOLDER, name), 'utf8')
const POSITIONS = '056.do.stock-operations.sql'

it('a database from before positions gets them, with a cost where nothing was sold', async () => {
  const { sql, drop } = await testDatabase()
  await sql.unsafe('drop schema public cascade; create schema public;').simple()
  for (const name of readdirSync(FOLDER).sort()) if (name < POSITIONS) await sql.unsafe(file(name)).simple()
  let nth = 0
  async function traded(user: Hex, token: Hex, side: 'Buy' | 'Sell', quantity: string, price: string): Promise<void> {
    const orderId = `0x${String(++nth).padStart(64, '0')}`
    await sql`
      insert into stock_orders (chain_id, order_id, user_address, token, side, amount_wad, locked_wad, deadline_sec,
        exit_at_sec, status, create_tx_hash, index_in_tx, nth_in_tx, block_number, created_at_sec)
      values (1, ${orderId}, ${user}, ${token}, ${side}, 1, 1, 1, 1, 'filled', ${orderId}, 0, 0, 1, 1)`
    await sql`
      insert into stock_fills (chain_id, tx_hash, index_in_tx, order_id, quantity_wad, price_wad, notional_wad,
        third_party_fee_wad, protocol_fee_wad, settled_at_sec)
      values (1, ${orderId}, 0, ${orderId}, ${quantity}, ${price}, 1, 1, 1, 1)`
  }
  await traded(ALICE, AAPL, 'Buy', '2000000000000000000', '100000000000000000001')
  await traded(ALICE, AAPL, 'Buy', '3', '5')
  await traded(ALICE, MSFT, 'Buy', '7', '5')
  await traded(ALICE, MSFT, 'Sell', '3', '5')
  await traded(BOB, AAPL, 'Buy', '7', '5')
  await traded(BOB, AAPL, 'Sell', '7', '5')
  await sql.unsafe(file(POSITIONS)).simple()
  const positions = await sql`
    select user_address, token, quantity_wad, cost_e36 from stock_positions order by user_address, token`
  expect(positions.map((row) => Object.values(row))).toEqual([
    [ALICE, AAPL, 2_000_000_000_000_000_003n, 2_000_000_000_000_000_000n * 100_000_000_000_000_000_001n + 15n],
    [ALICE, MSFT, 4n, null],
    [BOB, AAPL, 0n, 0n],
  ])
  const [order] = await sql`select order_type, limit_price_wad, cancel_requested from stock_orders limit 1`
  expect(order).toEqual({ order_type: 'Market', limit_price_wad: null, cancel_requested: false })
  await drop()
})
