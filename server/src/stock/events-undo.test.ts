import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Sql } from '../db/pool.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { WAD } from '../lib/wad.ts'
import { stockEvents } from './events.ts'
import {
  ALICE,
  BOB,
  cancelRequested,
  cancelSettled,
  closed,
  depositAndBuy,
  depositAndSell,
  depositQueued,
  depositSettled,
  type EventCall,
  filled,
  limitFilled,
  listed,
  MSFT,
  placed,
  placedLimit,
  published,
  randomHash,
  setUp,
  stockDeposited,
  stockWithdrawn,
  TestChain,
  USDC,
  withdrawalQueued,
} from './testing/chain.ts'

let database: TestDatabase
let sql: Sql
let chain: TestChain
beforeEach(async () => {
  database = await testDatabase()
  sql = database.sql
  chain = await TestChain.open(sql)
})
afterEach(() => database.drop())

const isEqual = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

async function dump(): Promise<Record<string, unknown[]>> {
  const rows: Record<string, unknown[]> = {}
  for (const table of stockEvents.tables) {
    rows[table] = [...(await sql.unsafe(`select to_jsonb(t)::text as row from ${table} t order by 1`))]
  }
  return rows
}

it('every change is undone when its block is reorganised away, whatever it was', async () => {
  await chain.emit(...setUp())
  const ids = [randomHash(), randomHash(), randomHash(), randomHash()] as const
  const limits = [randomHash(), randomHash(), randomHash(), randomHash()] as const
  const steps: EventCall[][] = [
    [placed({ orderId: ids[0], amount: 100n * WAD }), placed({ orderId: ids[1], amount: -WAD })],
    [depositQueued(ids[2], 9n), withdrawalQueued(ids[3], 3n), ['CreditBufferWadUpdated', { newAmountWad: 1n }]],
    [filled({ orderId: ids[0], quantity: WAD, price: WAD, fees: [1n, 1n] }), ['FeedReset', { priceId: randomHash() }]],
    [
      [
        'PricePublished',
        {
          priceId: ids[0],
          roundId: 1n,
          price: 5n,
          bestBid: 0n,
          bestAsk: 0n,
          feedUpdateTimestamp: 5n,
          publishedAt: 5n,
          session: 2,
        },
      ],
    ],
    [filled({ orderId: ids[0], quantity: WAD, price: WAD }), closed(ids[0], 'filled'), closed(ids[1], 'takenBack')],
    [
      depositSettled(ids[2], 9n),
      ['WithdrawalTakenBack', { opId: ids[3], user: ALICE, token: USDC, amountWad: 3n * WAD }],
    ],
    [
      ['FeedReset', { priceId: ids[0] }],
      ['WithdrawBufferUpdated', { token: USDC, newAmount: 1n }],
    ],
    [['TokenSupportUpdated', { token: USDC, supported: false, symbol: 'X', decimals: 6 }], ...listed(ALICE, 'NEW', 3)],
    [published('AAPL', 5n), stockDeposited(9n * WAD), stockDeposited(1n, BOB, MSFT)],
    [
      placedLimit({ orderId: limits[0], quantity: 4n * WAD, price: WAD }),
      placedLimit({ orderId: limits[1], quantity: -4n * WAD, price: WAD }),
    ],
    [cancelRequested(limits[0]), limitFilled({ orderId: limits[1], quantity: -WAD, price: WAD, fees: [1n, 1n] })],
    [limitFilled({ orderId: limits[0], quantity: WAD, price: WAD }), ...cancelSettled(limits[0], 'canceled', WAD)],
    [cancelRequested(limits[1]), ...cancelSettled(limits[1], 'expired', WAD, 3)],
    [...depositAndBuy(randomHash(), limits[2]), ...depositAndSell(limits[3])],
    [['StockPauseUpdated', { token: MSFT, depositPaused: true, withdrawPaused: true }], stockWithdrawn(WAD)],
    [stockWithdrawn(1n, BOB, MSFT), stockDeposited(1n, BOB, MSFT)],
  ]
  const states = [await dump()]
  for (const events of steps) {
    await chain.emit(...events)
    states.push(await dump())
  }
  for (const table of stockEvents.tables) {
    const changes = states.filter((state, index) => index > 0 && !isEqual(state[table], states[index - 1]?.[table]))
    expect(changes.length, table).toBeGreaterThan(0)
  }
  for (let depth = steps.length; depth > 0; depth--) {
    await chain.undo(1)
    expect(await dump()).toEqual(states[depth - 1])
  }
  for (const events of steps) await chain.emit(...events)
  const known = (rows: Record<string, unknown[]>) => Object.values(rows).map((table) => table.length)
  expect(known(await dump())).toEqual(known(states[steps.length] as Record<string, unknown[]>))
  await chain.undo(steps.length)
  expect(await dump()).toEqual(states[0])
})

it('writes outside of a block are refused by the database', async () => {
  await expect(sql`insert into stock_settings (chain_id) values (1)`).rejects.toThrow('only while a block is applied')
})
