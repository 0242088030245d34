import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { observerAbi } from '../../chain/abi/observer.ts'
import { contractRead } from '../../chain/read.ts'
import { abs } from '../../lib/bigints.ts'
import { formatUnits } from '../../lib/decimal.ts'
import { WAD } from '../../lib/wad.ts'
import { PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import { tickToPrice } from '../maths/tick.ts'
import { mulWad } from '../maths/wad.ts'
import { approveGate, cancel, place, trade } from '../testing/trader.ts'
import { TradingDesk } from '../testing/trading-desk.ts'
import type { Wallet } from '../testing/wallet.ts'

// A limit order meets what others have resting at its own price.

let desk: TradingDesk
let wallet: Wallet
let tick: number
beforeAll(async () => {
  desk = await TradingDesk.open()
  wallet = await desk.approvedWallet(0)
  for (const index of [MAKER, OTHER]) {
    expect(await approveGate(desk.chain, account(index), desk.btc)).toBe('success')
  }
})
afterAll(() => desk?.close())
afterEach(async () => {
  const { position, oids } = await desk.portfolioOf(wallet)
  if (oids.length > 0) await desk.done(wallet, 'batch-cancel', { ...pair, all: true })
  if (position.size !== 0n) await desk.done(wallet, 'close', { ...pair, slippageBps: 500 })
  expect(await cancel(desk.chain, account(MAKER), desk.btc, tick)).toBe('success')
})

const pair = { instrument: 'BTC/USDC', expiry: PERPETUAL_EXPIRY }
const [SHORT, LONG] = [1, 2]
const [MAKER, OTHER] = [1, 2]
const HALF = WAD / 2n
const REST = WAD / 10n

function account(index: number) {
  const found = desk.chain.accounts.users[index]
  if (!found) throw new Error(`there is no account ${index}`)
  return found
}

const tickNow = async () => (await desk.chain.readInstrument(desk.btc, 'getAmm', [PERPETUAL_EXPIRY])).tick

/** The size that brings the price to the tick. */
const reach = () => {
  const observer = { address: desk.chain.contract('Observer'), abi: observerAbi }
  return desk.chain.read(contractRead(observer, 'getBaseSizeByTick', desk.btc, PERPETUAL_EXPIRY, tick))
}

/** Somebody's order rests so many ticks from the price. */
async function rests(distance: number, size: bigint) {
  tick = (await tickNow()) + distance
  expect(await place(desk.chain, account(MAKER), desk.btc, { tick, size, margin: 20_000n * WAD })).toBe('success')
}

/** Somebody's trade leaves the price in the tick. */
async function movesTo(size: bigint) {
  expect(await trade(desk.chain, account(OTHER), desk.btc, size, 50_000n * WAD)).toBe('success')
  expect(await tickNow()).toBe(tick)
}

const limit = (side: number, size: bigint) =>
  desk.done(wallet, 'limit', {
    ...pair,
    side,
    size: formatUnits(size, 18),
    price: formatUnits(tickToPrice(tick), 18),
    leverage: '5',
  })

/** What the wallet holds, at which price, and what of its order rests, at which tick. */
async function held() {
  const { position, orders, oids } = await desk.portfolioOf(wallet)
  return {
    size: position.size,
    notional: position.entryNotional,
    rests: orders.map((order) => order.size),
    ticks: oids.map((oid) => Math.floor(oid / 2 ** 24)),
  }
}

const takenOfMaker = async () => {
  const address = account(MAKER).address
  return (await desk.chain.readInstrument(desk.btc, 'getPortfolio', [PERPETUAL_EXPIRY, address])).ordersTaken[0]
}

describe('a limit order at the price of orders that rest', () => {
  it('sells down to the bids and takes them', async () => {
    await rests(-20, HALF)
    const toBids = await reach()
    await limit(SHORT, HALF - toBids + REST)
    expect(await held()).toMatchObject({ size: toBids - HALF, rests: [-REST], ticks: [tick + 11] })
    expect(await takenOfMaker()).toBe(HALF)
  })

  it('buys up to the asks and takes them', async () => {
    await rests(20, -HALF)
    const withAsks = await reach()
    await limit(LONG, withAsks + REST)
    expect(await held()).toMatchObject({ size: withAsks, rests: [REST], ticks: [tick - 11] })
    expect(await takenOfMaker()).toBe(-HALF)
  })

  it('sells to the bids of the tick in which the price stands', async () => {
    await rests(-20, HALF)
    const above = WAD / 100n
    await movesTo((await reach()) + above)
    await limit(SHORT, above + HALF + REST)
    const { size, notional, ...left } = await held()
    // Rounding of the way to the tick's edge.
    expect(abs(size + above + HALF)).toBeLessThan(10n)
    expect(notional).toBeGreaterThanOrEqual(mulWad(tickToPrice(tick), abs(size)))
    expect(left.ticks).toEqual([tick + 11])
    expect(await takenOfMaker()).toBe(HALF)
  })

  it('sells a part of the bids at their price, when that is the price', async () => {
    await rests(-20, HALF)
    await movesTo(await reach())
    await limit(SHORT, REST)
    expect(await held()).toEqual({ size: -REST, notional: mulWad(tickToPrice(tick), REST), rests: [], ticks: [] })
    expect(await takenOfMaker()).toBe(REST)
  })

  it('buys what is left of the asks of the tick in which the price stands', async () => {
    await rests(20, -HALF)
    await movesTo((await reach()) - HALF / 2n)
    await limit(LONG, HALF / 2n + REST)
    const notional = mulWad(tickToPrice(tick), HALF / 2n)
    expect(await held()).toEqual({ size: HALF / 2n, notional, rests: [REST], ticks: [tick - 11] })
  })
})
