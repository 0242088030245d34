import { expect } from 'vitest'
import type { Hex } from '../../chain/types.ts'
import { WAD } from '../../lib/wad.ts'
import type { ApiAnswer, serveApi } from './api.ts'
import { AAPL, ALICE, type EventCall, placedLimit, randomHash, USDC } from './chain.ts'
import { type KeeperWorld, START_MS } from './keeper.ts'

// Sound bodies of what a build takes, and what the tests of builds do with them.

export const deadline = START_MS / 1000 + 600
export const market = { stockAddress: AAPL, type: 'Market', deadline }
export const marketBuy = { ...market, side: 'Buy', notional: '100' }
export const marketSell = { ...market, side: 'Sell', quantity: '1.25' }
export const limitTerms = { type: 'Limit', quantity: '2', price: '180.50', timeInForce: 'DAY' }
export const limitBuy = { stockAddress: AAPL, deadline, side: 'Buy', ...limitTerms }
export const limitSell = { ...limitBuy, side: 'Sell' }
export const cashDeposit = { depositTokenAddress: USDC, depositAmount: '500' }
export const moved = { userAddress: ALICE, tokenAddress: AAPL, tokenAmount: '1.5' }

export function expectRefused(answer: ApiAnswer, code: number, reason: string, message: string | RegExp): void {
  expect([answer.status, answer.code, answer.reason]).toEqual([400, code, reason])
  expect(answer.errMsg).toMatch(message)
  if (typeof message === 'string') expect(answer.errMsg).toBe(message)
}

/** Where orders are put on chain and recorded. */
export interface OrderDesk {
  readonly world: KeeperWorld
  readonly api: Awaited<ReturnType<typeof serveApi>>
}

/** Puts an order on chain that a key has recorded. */
export async function recordOrder(desk: OrderDesk, ...events: EventCall[]): Promise<void> {
  await recordOperation(desk, '/orders/tx', ...events)
}

export async function recordLimitOrder(desk: OrderDesk): Promise<Hex> {
  const orderId = randomHash()
  await recordOrder(desk, placedLimit({ orderId, quantity: 2n * WAD, price: 180n * WAD }))
  return orderId
}

/** Puts an operation on chain and records it where operations of its kind are. Answers its transaction's hash. */
export async function recordOperation({ world, api }: OrderDesk, path: string, ...events: EventCall[]): Promise<Hex> {
  const txHash = await world.chain.emit(...events)
  expect(await api.post(path, { txHash })).toMatchObject({ code: 200 })
  return txHash
}
