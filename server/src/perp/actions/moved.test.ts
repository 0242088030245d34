import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { observerAbi } from '../../chain/abi/observer.ts'
import { contractRead } from '../../chain/read.ts'
import { abs, min } from '../../lib/bigints.ts'
import { formatUnits } from '../../lib/decimal.ts'
import { WAD } from '../../lib/wad.ts'
import { PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import { tickToPrice } from '../maths/tick.ts'
import { approveGate, setFeed, trade } from '../testing/trader.ts'
import { TradingDesk } from '../testing/trading-desk.ts'
import type { Wallet } from '../testing/wallet.ts'

// What was built is mined although prices have moved meanwhile, as they do.

let desk: TradingDesk
let wallet: Wallet
beforeAll(async () => {
  desk = await TradingDesk.open()
  wallet = await desk.approvedWallet(0)
  expect(await approveGate(desk.chain, other(), desk.btc)).toBe('success')
})
afterAll(() => desk?.close())
afterEach(async () => {
  await mark(0)
  const { position, oids } = await desk.portfolioOf(wallet)
  if (oids.length > 0) await desk.done(wallet, 'batch-cancel', { ...pair, all: true })
  if (position.size !== 0n) await desk.done(wallet, 'close', { ...pair, slippageBps: 500 })
})

const pair = { instrument: 'BTC/USDC', expiry: PERPETUAL_EXPIRY }
const SHORT = 1
const LONG = 2
const PRICE8 = 60_000n * 10n ** 8n
const SLIPPAGE_BPS = 50
const market = (side: number, size: string, leverage: string) => ({
  ...pair,
  side,
  size,
  leverage,
  slippageBps: SLIPPAGE_BPS,
})

/** Brings the mark so many basis points away from where it began. */
const mark = (bps: number) => setFeed(desk.chain, 'BTC', (PRICE8 * (10_000n + BigInt(bps))) / 10_000n)

function other() {
  const account = desk.chain.accounts.users[1]
  if (!account) throw new Error('there is no other account')
  return account
}

/** A trade of somebody else's moves the fair price. */
const othersTrade = async (thousandths: number) => {
  const size = BigInt(thousandths) * (WAD / 1000n)
  expect(await trade(desk.chain, other(), desk.btc, size, 50_000n * WAD)).toBe('success')
}

/** Builds, has the chain move on, and mines; resolves to what was foretold. */
async function minedAfter(meanwhile: () => Promise<unknown>, action: string, params: object) {
  const { transaction, simulation } = await desk.built(wallet, action, params)
  await meanwhile()
  // A transaction that reverts would not say why.
  const { to, data } = transaction
  await wallet.node.call({ account: wallet.address, to, data })
  await desk.mine(wallet, transaction)
  return simulation
}

interface Foretold {
  readonly after: { readonly size: string; readonly margin: string; readonly unrealizedPnl: string }
  readonly notional: string
  readonly markPrice: string
}

/** What a reduced position keeps above its initial margin, and what all of it was worth before. */
function keptAbove({ after, notional, markPrice }: Foretold) {
  const value = (BigInt(markPrice) * abs(BigInt(after.size))) / WAD
  const safe = BigInt(after.margin) + min(0n, BigInt(after.unrealizedPnl))
  return { above: safe - value / 10n, whole: value + BigInt(notional) }
}

describe('a trade that takes margin out at the greatest leverage', () => {
  it.each([
    ['reduces a long in profit, the mark rises', LONG, '0.1', 150, () => mark(150 + 45)],
    ['reduces a long in profit, the fair price falls', LONG, '0.1', 150, () => othersTrade(-1500)],
    ['reduces a long in loss, the mark falls', LONG, '0.02', -150, () => mark(-150 - 45)],
    ['reduces a short in profit, the mark rises', SHORT, '0.1', -150, () => mark(-150 + 45)],
    ['reduces a short in profit, the fair price rises', SHORT, '0.1', -150, () => othersTrade(1500)],
    ['reduces a short in loss, the mark rises', SHORT, '0.02', 150, () => mark(150 + 45)],
  ] as const)('%s', async (_, side, size, moved, meanwhile) => {
    await desk.done(wallet, 'market', market(side, '0.2', '4'))
    await mark(moved)
    const simulation = await minedAfter(meanwhile, 'market', market(side === LONG ? SHORT : LONG, size, '10'))
    expect(BigInt(simulation.amount) < 0n).toBe(true)
    // No more stays than the slippage makes of the position and of its initial margin, but for a tick.
    const { above, whole } = keptAbove(simulation)
    expect(above > 0n && above <= (whole * ((BigInt(SLIPPAGE_BPS) * 11n) / 10n + 1n)) / 10_000n).toBe(true)
  })

  it('reduces a long, the mark has left the fair price further than any margin may leave', async () => {
    await desk.done(wallet, 'market', market(LONG, '0.2', '2'))
    await mark(-1200)
    const { amount } = await minedAfter(() => mark(-1210), 'market', market(SHORT, '0.1', '3'))
    expect(amount).toBe('0')
  })

  it('grows a long, the mark falls', async () => {
    await desk.done(wallet, 'market', market(LONG, '0.2', '4'))
    const { amount } = await minedAfter(() => mark(-45), 'market', market(LONG, '0.01', '10'))
    expect(BigInt(amount) < 0n).toBe(true)
  })
})

describe('a trade that brings margin in at the greatest leverage', () => {
  it('grows a long in loss, the mark falls', async () => {
    await desk.done(wallet, 'market', market(LONG, '0.2', '10'))
    await mark(-100)
    const { amount } = await minedAfter(() => mark(-104), 'market', market(LONG, '0.005', '10'))
    expect(BigInt(amount) > 0n).toBe(true)
  })
})

describe('an adjustment to the greatest leverage', () => {
  it.each([
    ['of a long, the mark falls', LONG, -20, -24],
    ['of a short, the mark rises', SHORT, 20, 24],
    ['of a long, the mark rises', LONG, -20, 200],
  ] as const)('%s', async (_, side, first, then) => {
    await desk.done(wallet, 'market', market(side, '0.2', '4'))
    await mark(first)
    const { amount, after } = await minedAfter(() => mark(then), 'adjust', { ...pair, leverage: '10' })
    expect(BigInt(amount) < 0n).toBe(true)
    // A half percent of the initial margin stays on top of it.
    expect(Number(after.leverage) / 1e18).toBeCloseTo(10 / 1.005, 4)
    // With less than that on top nothing leaves, and nothing is brought in.
    await mark(first * 1.1)
    const { simulation } = await desk.built(wallet, 'adjust', { ...pair, leverage: '9.99' })
    expect([simulation.amount, simulation.after.size]).toEqual(['0', simulation.before.size])
  })

  it('is refused where the profit is what would leave', async () => {
    await desk.done(wallet, 'market', market(LONG, '0.2', '4'))
    await mark(200)
    const { status, msg } = await desk.build(wallet, 'adjust', { ...pair, leverage: '10' })
    expect([status, msg]).toEqual([400, expect.stringContaining('TradeImrUnsafe')])
  })
})

describe('a limit order whose price is reached', () => {
  const tickNow = async () => (await desk.chain.readInstrument(desk.btc, 'getAmm', [PERPETUAL_EXPIRY])).tick

  it.each([
    ['a buy beyond the price, which falls', LONG, '6', 20, -600],
    ['a buy at the price, which falls', LONG, '0.1', 0, -600],
    ['a buy at the price, which rises', LONG, '0.1', 0, 600],
    ['a sell beyond the price, which rises', SHORT, '6', -20, 600],
    ['a sell at the price, which rises', SHORT, '0.1', 0, 600],
    ['a sell that is traded whole, the price rises', SHORT, '0.1', -20, 600],
  ] as const)('is mined: %s', async (_, side, size, beyond, others) => {
    const now = await tickNow()
    const price = tickToPrice(now + beyond)
    const order = { ...pair, side, size, price: formatUnits(price, 18), leverage: '5' }
    await minedAfter(() => othersTrade(others), 'limit', order)
    const { position, orders, oids } = await desk.portfolioOf(wallet)
    const isNoWorse = (paid: bigint) => (side === LONG ? paid <= price : paid >= price)
    const rests = orders.reduce((sum, { size: rest }) => sum + abs(rest), 0n)
    expect(abs(position.size) + rests).toBe(BigInt(Number(size) * 10) * (WAD / 10n))
    if (position.size !== 0n) expect(isNoWorse((position.entryNotional * WAD) / abs(position.size))).toBe(true)
    for (const oid of oids) expect(isNoWorse(tickToPrice(Math.floor(oid / 2 ** 24)))).toBe(true)
  })
})

describe('a limit order two ticks beyond the price', () => {
  /** A buy, and what the pair takes of it. */
  async function beyond() {
    const { tick } = await desk.chain.readInstrument(desk.btc, 'getAmm', [PERPETUAL_EXPIRY])
    const observer = { address: desk.chain.contract('Observer'), abi: observerAbi }
    const toTick = contractRead(observer, 'getBaseSizeByTick', desk.btc, PERPETUAL_EXPIRY, tick + 2)
    const price = tickToPrice(tick + 2)
    const order = (size: bigint) => ({
      ...pair,
      side: LONG,
      size: formatUnits(size, 18),
      price: formatUnits(price, 18),
      leverage: '5',
    })
    return { reach: await desk.chain.read(toTick), price, order }
  }

  it('rests where it reaches less than a flat account may trade', async () => {
    const { reach, order } = await beyond()
    expect(await trade(desk.chain, other(), desk.btc, reach - WAD / 1000n, 50_000n * WAD)).toBe('success')
    const { orders } = await desk.done(wallet, 'limit', order(WAD / 10n))
    expect(orders.map((one: { size: string }) => one.size)).toEqual([String(WAD / 10n)])
  })

  it('is traded along where its rest is worth the least order at its own price, but not where it would rest', async () => {
    const { reach, price, order } = await beyond()
    const least = (200n * WAD * WAD) / price
    const { orders } = await desk.done(wallet, 'limit', order(reach + (least * 10_005n) / 10_000n))
    expect(orders).toEqual([])
    await desk.done(wallet, 'close', { ...pair, slippageBps: 500 })
    const again = await beyond()
    const both = await desk.done(wallet, 'limit', again.order(again.reach + (least * 10_020n) / 10_000n))
    expect(both.orders).toHaveLength(1)
  })
})

describe('a limit order of the greatest leverage', () => {
  const order = { ...pair, side: LONG, size: '0.02', price: '59000', leverage: '10' }
  const marginOf = async (params: object) =>
    BigInt((await desk.built(wallet, 'limit', params)).simulation.orders[0].margin)

  it('is placed though the mark rises', async () => {
    const { orders } = await minedAfter(() => mark(45), 'limit', order)
    // For a mark half a percent higher, and no more.
    expect(BigInt(orders[0].margin)).toBe((60_300n * WAD) / 500n)
  })

  it('has what is asked for below it, and by a buffer', async () => {
    expect(await marginOf({ ...order, leverage: '9.9' })).toBe((60_000n * WAD * WAD - 1n) / (495n * WAD) + 1n)
    expect(await marginOf({ ...order, markPriceBufferInBps: 0 })).toBe((60_000n * WAD) / 500n)
    expect(await marginOf({ ...order, markPriceBufferInBps: 10 })).toBe((60_060n * WAD) / 500n)
  })
})
