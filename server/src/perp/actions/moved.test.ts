import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { abs, min } from '../../lib/bigints.ts'
import { WAD } from '../../lib/wad.ts'
import { PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
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
    // What would be less than that leaves nothing to take out, and brings nothing in.
    await mark(first)
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
