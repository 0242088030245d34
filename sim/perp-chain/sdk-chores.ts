/** What the SDK encodes but does not simulate: filling, cancelling, moving money in and out, reading the order book. */
import { contractCallEncoder as encoder } from '@synfutures/perpv3-ts/frontend'
import { expect } from 'vitest'
import { PERP_EXPIRY } from '../perp-model/amm.ts'
import type { Turn } from './sdk-turn.ts'

/** Fills one of the trader's orders that are wholly taken; the filled size joins the position. */
export async function fill({ venue, trader, instrument, label }: Turn): Promise<boolean> {
  const { orders, ordersTaken, position } = (await venue.snapshot(instrument, trader)).portfolio
  const taken = orders.find((order, i) => ordersTaken[i] === order.size)
  if (!taken) return false
  const param = { nonce: BigInt(taken.nonce), tick: taken.tick, target: trader }
  const pair = { instrumentAddress: venue.addressOf(instrument), expiry: PERP_EXPIRY }
  const sent = await venue.send(trader, encoder.encodeFillLimitOrder({ ...pair, ...param }))
  // A part that was taken and left unclaimed by a cancellation before may be short of this order.
  if (!sent.ok) {
    expect(sent.error, label).toBe('OrderNotFullyTaken')
    return false
  }
  const after = (await venue.snapshot(instrument, trader)).portfolio
  expect(after.orders.length, label).toBe(orders.length - 1)
  expect(after.position.size, `${label}: filled`).toBe(position.size + taken.size)
  return true
}

/** Cancels up to all of the trader's orders; `ordersTaken` told what of each joins the position. */
export async function cancel({ venue, random, trader, instrument, user, label }: Turn): Promise<boolean> {
  const { orders, ordersTaken, position } = (await venue.snapshot(instrument, trader)).portfolio
  if (orders.length === 0) return false
  const count = random.int(1, orders.length)
  const ticks = orders.slice(0, count).map(({ tick }) => tick)
  const pair = { instrumentAddress: venue.addressOf(instrument), expiry: PERP_EXPIRY, userSetting: user }
  const sent = await venue.send(trader, encoder.encodeCancelOrder({ ...pair, ticks }))
  if (!sent.ok) {
    expect(sent.error, label).toBe('PositionBankrupt')
    return false
  }
  const after = (await venue.snapshot(instrument, trader)).portfolio
  const joined = ordersTaken.slice(0, count).reduce((sum, size) => sum + size, 0n)
  expect(after.orders.map(({ tick }) => tick).toSorted(), label).toEqual(
    orders
      .slice(count)
      .map(({ tick }) => tick)
      .toSorted(),
  )
  expect(after.position.size, `${label}: cancelled`).toBe(position.size + joined)
  return true
}

/** Brings some of the wallet into the reserve and takes half of it out again. */
export async function moveMoney({ venue, random, trader, instrument, label }: Turn): Promise<boolean> {
  const before = (await venue.snapshot(instrument, trader)).quoteState
  const amount = random.scale(10n ** BigInt(before.decimals), 2, 1_000_000)
  if (before.balance < amount) return false
  const gate = venue.deployment.gate.address
  const token = { tokenAddress: before.quote as `0x${string}` }
  await venue.send(trader, encoder.encodeDeposit({ ...token, amount }, gate))
  await venue.send(trader, encoder.encodeWithdraw({ ...token, amount: amount / 2n }, gate))
  const after = (await venue.snapshot(instrument, trader)).quoteState
  expect(after.reserve, `${label}: reserve`).toBe(before.reserve + amount - amount / 2n)
  expect(after.balance + after.pending.amount, label).toBe(
    before.balance + before.pending.amount - amount + amount / 2n,
  )
  return true
}

/** The order book the SDK makes of the pair's ticks: bids below asks, both with something in them. */
export async function readBook({ venue, instrument, label }: Turn): Promise<boolean> {
  const book = await venue.client(instrument).getOrderBook()
  const steps = Object.values(book ?? {})
  expect(steps.length, `${label}: order book`).toBeGreaterThan(0)
  for (const { bids, asks } of steps as readonly { bids: readonly Level[]; asks: readonly Level[] }[]) {
    expect(bids.length * asks.length, label).toBeGreaterThan(0)
    const highestBid = Math.max(...bids.map(({ tick }) => tick))
    const lowestAsk = Math.min(...asks.map(({ tick }) => tick))
    expect(highestBid, label).toBeLessThan(lowestAsk)
  }
  return true
}

type Level = { readonly tick: number }
