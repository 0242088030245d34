import { erc20Abi } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { gateAbi } from '../../../chain/abi/gate.ts'
import { contractRead } from '../../../chain/read.ts'
import { formatUnits } from '../../../lib/decimal.ts'
import { WAD } from '../../../lib/wad.ts'
import { PERPETUAL_EXPIRY } from '../../listing/catalogue.ts'
import { tickToPrice } from '../../maths/tick.ts'
import { TradingDesk } from '../../testing/trading-desk.ts'
import type { Wallet } from '../../testing/wallet.ts'

// Every action built by the API, signed by a plain wallet and mined; what the chain shows is what was foretold.

let desk: TradingDesk
let maker: Wallet
let taker: Wallet
beforeAll(async () => {
  desk = await TradingDesk.open()
  maker = await desk.approvedWallet(0)
  taker = await desk.approvedWallet(1)
})
afterAll(() => desk?.close())

const pair = { instrument: 'BTC/USDC', expiry: PERPETUAL_EXPIRY }
const SHORT = 1
const LONG = 2
const base = (text: string) => (BigInt(Math.round(Number(text) * 1000)) * WAD) / 1000n

const positionOf = async (wallet: Wallet) => (await desk.portfolioOf(wallet)).position
const openOids = async (wallet: Wallet) => (await desk.portfolioOf(wallet)).oids.map(String)
const limit = (side: number, size: string, price: string, more = {}) => ({
  ...pair,
  side,
  size,
  price,
  leverage: '5',
  ...more,
})
const market = (side: number, size: string) => ({ ...pair, side, size, leverage: '5', slippageBps: 100 })

/** The same but for the funding of the seconds between the simulation and the block that mined it. */
function expectFunding(foretold: string, mined: bigint): void {
  const gap = BigInt(foretold) - mined
  expect((gap < 0n ? -gap : gap) < WAD / 10n, `${foretold} and ${mined}`).toBe(true)
}

async function refused(wallet: Wallet, action: string, params: object, status: number, code: number, words: string) {
  const before = await desk.portfolioOf(wallet)
  for (const ask of [desk.build, desk.preview]) {
    const answer = await ask(wallet, action, params)
    expect([answer.status, answer.code]).toEqual([status, code])
    expect(answer.msg).toContain(words)
  }
  expect(await desk.portfolioOf(wallet)).toEqual(before)
}

describe('an order that rests', () => {
  it('is placed and cancelled, and its margin comes back to the reserve', async () => {
    const { orders, amount, after } = await desk.done(maker, 'limit', limit(LONG, '0.02', '59000'))
    const [oid] = await openOids(maker)
    const { orders: stored } = await desk.portfolioOf(maker)
    expect(stored).toEqual([{ size: base('0.02'), balance: BigInt(orders[0].margin) }])
    expect([amount, after.size]).toEqual([orders[0].margin, '0'])
    const cancelled = await desk.done(maker, 'cancel', { ...pair, oid })
    expect(cancelled.orders).toMatchObject([{ oid, size: orders[0].size, price: orders[0].price }])
    expect(await openOids(maker)).toEqual([])
    await refused(maker, 'cancel', { ...pair, oid }, 400, 40401, 'may be filled or cancelled already')
  })

  it('is taken by another wallet, and filled once nothing of it rests', async () => {
    await desk.done(maker, 'limit', limit(SHORT, '0.02', '60050'))
    const [oid] = await openOids(maker)
    await refused(maker, 'fill', { ...pair, oid }, 400, 40001, 'a part of it still rests')
    await desk.done(taker, 'market', market(LONG, '1.5'))
    const { after } = await desk.done(maker, 'fill', { ...pair, oid })
    const { size, balance } = await positionOf(maker)
    expect(after.size).toBe(String(size))
    expectFunding(after.margin, balance)
    expect(size).toBe(-base('0.02'))
    expect(await openOids(maker)).toEqual([])
  })

  it('is refused with the reason by name', async () => {
    await refused(maker, 'limit', limit(LONG, '0.02', '90000', { postOnly: true }), 400, 40003, 'OrderWrongSide')
    await refused(maker, 'limit', limit(LONG, '0.02', '30000'), 400, 40003, 'OrderTooFar')
    await refused(maker, 'limit', limit(LONG, '0.001', '59000'), 400, 40003, 'OrderTrivial')
    await refused(maker, 'limit', limit(LONG, '0.02', '99999999999999999999'), 400, 40001, 'price must be from')
    await refused(maker, 'limit', limit(LONG, '0.02', '0'), 400, 40001, 'price must be greater than zero')
  })
})

describe('a limit order that the price has reached', () => {
  it('trades up to its price and rests with the remainder, nowhere beyond it', async () => {
    const price = '60200'
    const before = await positionOf(taker)
    const { orders, notional, size } = await desk.done(taker, 'limit', limit(LONG, '5', price))
    const [order] = orders
    const wanted = 60_200n * WAD
    expect(size).toBe(String(5n * WAD))
    expect(BigInt(order.price) <= wanted).toBe(true)
    const traded = 5n * WAD - BigInt(order.size)
    expect(traded > 0n && BigInt(order.size) > 0n).toBe(true)
    expect(BigInt(notional) <= (wanted * traded) / WAD).toBe(true)
    const { position, orders: resting } = await desk.portfolioOf(taker)
    expect(position.size).toBe(before.size + traded)
    expect(resting[0]?.size).toBe(BigInt(order.size))
    expect((await desk.portfolioOf(taker)).oids.map((oid) => tickToPrice(Math.floor(oid / 2 ** 24)))).toEqual([
      BigInt(order.price),
    ])
    await desk.done(taker, 'batch-cancel', { ...pair, all: true })
  })

  it('is one trade where its price goes far enough', async () => {
    const before = await positionOf(taker)
    const { orders, price } = await desk.done(taker, 'limit', limit(SHORT, '0.05', '59500'))
    expect(orders).toEqual([])
    expect(BigInt(price) >= 59_500n * WAD).toBe(true)
    expect((await positionOf(taker)).size).toBe(before.size - base('0.05'))
  })
})

describe('several orders', () => {
  const prices = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => String(from - index * 100))

  it('are placed at once and cancelled by one transaction, however many they are', async () => {
    const scaled = (from: number, count: number) => ({
      ...pair,
      side: LONG,
      leverage: '10',
      size: '0.1',
      prices: prices(from, count),
    })
    await desk.done(maker, 'scaled', scaled(58_000, 9))
    await desk.done(maker, 'scaled', { ...scaled(57_000, 2), ratios: [3000, 7000] })
    const oids = await openOids(maker)
    expect(oids).toHaveLength(11)
    const gone = '1869451624454'
    const { orders } = await desk.done(maker, 'batch-cancel', { ...pair, oids: [gone, ...oids.slice(1)] })
    expect(orders.map(({ oid }: { oid: string }) => oid).toSorted()).toEqual(oids.slice(1).toSorted())
    expect(await openOids(maker)).toEqual(oids.slice(0, 1))
    await refused(
      maker,
      'batch-cancel',
      { ...pair, all: false },
      400,
      40001,
      'send one of orderIds, oids and all: true',
    )
    await desk.done(maker, 'batch-cancel', { ...pair, all: true })
    await refused(maker, 'batch-cancel', { ...pair, all: true }, 400, 40401, 'has no open order')
    await refused(maker, 'batch-cancel', { ...pair, oids: [gone] }, 400, 40401, 'has no open order')
    await refused(
      maker,
      'batch-cancel',
      { ...pair, oids: [gone], all: true },
      400,
      40001,
      'one of orderIds, oids and all',
    )
    await refused(maker, 'batch-cancel', pair, 400, 40001, 'one of orderIds, oids and all')
  })

  it('are refused where they do not fit together', async () => {
    const two = { ...pair, side: LONG, leverage: '10', size: '0.1', prices: ['58000', '57000'] }
    await refused(maker, 'scaled', { ...two, prices: ['58000'] }, 400, 40001, 'a list of at least 2')
    await refused(maker, 'scaled', { ...two, prices: prices(58_000, 10) }, 400, 40001, 'a list of at most 9')
    await refused(maker, 'scaled', { ...two, prices: ['58000', '58000.01'] }, 400, 40001, 'one order at a tick')
    await refused(maker, 'scaled', { ...two, ratios: [5000, 4999] }, 400, 40001, 'must come to 10000, and come to 9999')
    await refused(maker, 'scaled', { ...two, ratios: [5000, 2500, 2500] }, 400, 40001, 'must be as many as prices, 2')
    const twice = { ...two, ratios: [5000, 5000], distribution: 'FLAT' }
    await refused(maker, 'scaled', twice, 400, 40001, 'exclude each other')
  })
})

describe('a position', () => {
  it('is closed in part and then whole', async () => {
    const { size } = await positionOf(taker)
    const half = size / 2n
    const { after } = await desk.done(taker, 'close', { ...pair, slippageBps: 100, size: formatUnits(half, 18) })
    expect(after.size).toBe(String(size - half))
    expect((await positionOf(taker)).size).toBe(size - half)
    const whole = await desk.done(taker, 'close', { ...pair, slippageBps: 100 })
    expect([whole.after.size, whole.after.margin, whole.after.leverage]).toEqual(['0', '0', '0'])
    expect((await positionOf(taker)).size).toBe(0n)
    await refused(taker, 'close', { ...pair, slippageBps: 100 }, 400, 40401, 'has no position')
  })

  it('changes its leverage and its margin', async () => {
    await desk.done(taker, 'market', market(SHORT, '0.1'))
    const { after } = await desk.done(taker, 'adjust', { ...pair, leverage: '2' })
    expect(Number(after.leverage) / 1e18).toBeCloseTo(2, 4)
    const { balance } = await positionOf(taker)
    const added = await desk.done(taker, 'margin', { ...pair, amount: '10.25', type: 'add' })
    expectFunding(added.after.margin, balance + (1025n * WAD) / 100n)
    const taken = await desk.done(taker, 'margin', { ...pair, amount: '10.25', type: 'remove' })
    expect(taken.amount).toBe(String((-1025n * WAD) / 100n))
    expectFunding(taken.after.margin, (await positionOf(taker)).balance)
  })

  it('is refused what it cannot do', async () => {
    await refused(taker, 'margin', { ...pair, amount: '100000', type: 'remove' }, 400, 40003, 'TradeImrUnsafe')
    await refused(taker, 'margin', { ...pair, amount: '0.0000001', type: 'add' }, 400, 40001, 'at most 6 decimals')
    await refused(taker, 'margin', { ...pair, amount: '1', type: 'give' }, 400, 40001, 'one of add, remove')
    await refused(taker, 'adjust', { ...pair, leverage: '11' }, 400, 40001, 'leverage must be at most 10')
    await refused(taker, 'close', { ...pair, slippageBps: 50, size: '7' }, 400, 40001, 'at most 0.1')
    const stranger = desk.wallet(2)
    await refused(stranger, 'adjust', { ...pair, leverage: '3' }, 400, 40401, 'has no position')
    await refused(stranger, 'margin', { ...pair, amount: '1', type: 'add' }, 400, 40401, 'has no position')
  })
})

describe('a market order that only reduces', () => {
  const reducing = (side: number, size: string) => ({ ...market(side, size), reduceOnly: true })

  it('is refused where it would open, enlarge or turn a position, and taken up to all of it', async () => {
    const { size } = await positionOf(taker)
    expect(size).toBe(-base('0.1'))
    await refused(taker, 'market', reducing(SHORT, '0.02'), 400, 40001, 'side must be 2 (long)')
    await refused(taker, 'market', reducing(LONG, '0.101'), 400, 40001, 'size must be at most 0.1,')
    await refused(desk.wallet(2), 'market', reducing(LONG, '0.02'), 400, 40401, 'has no position')
    await desk.done(taker, 'market', reducing(LONG, '0.04'))
    expect((await positionOf(taker)).size).toBe(-base('0.06'))
    await desk.done(taker, 'market', reducing(LONG, '0.06'))
    expect((await positionOf(taker)).size).toBe(0n)
    await refused(taker, 'market', reducing(LONG, '0.02'), 400, 40401, 'has no position')
  })
})

describe('liquidity', () => {
  it('is added by ticks and removed', async () => {
    const { tick } = await desk.chain.readInstrument(desk.btc, 'getAmm', [PERPETUAL_EXPIRY])
    const [tickLower, tickUpper] = [Math.floor(tick / 50) * 50 - 1500, Math.ceil(tick / 50) * 50 + 2000]
    const edges = { tickLower, tickUpper, slippageBps: 100 }
    const added = await desk.done(maker, 'add-liquidity', { ...pair, ...edges, amount: '5000' })
    const { ranges } = await desk.portfolioOf(maker)
    expect(ranges.map(({ liquidity }) => String(liquidity))).toEqual([added.range.liquidity])
    const again = { ...pair, ...edges, amount: '5000' }
    await refused(maker, 'add-liquidity', again, 400, 40003, 'RangeOccupied')
    const removed = await desk.done(maker, 'remove-liquidity', { ...pair, ...edges })
    expect(removed.range).toEqual(added.range)
    expect((await desk.portfolioOf(maker)).ranges).toEqual([])
    await refused(maker, 'remove-liquidity', { ...pair, ...edges }, 400, 40401, 'has no range from')
  })

  it('is removed whole, named by ticks or by ratios, with its whole amount or none', async () => {
    const alphas = { alphaLower: '1.2', alphaUpper: '1.2', slippageBps: 100 }
    const { range } = await desk.done(maker, 'add-liquidity', { ...pair, ...alphas, amount: '5000.25' })
    const part = { ...pair, ...alphas, amount: '5000' }
    await refused(maker, 'remove-liquidity', part, 400, 40001, 'amount must be 5000.25, the whole balance of the range')
    const elsewhere = { ...pair, ...alphas, alphaLower: '1.3' }
    await refused(maker, 'remove-liquidity', elsewhere, 400, 40401, 'has no range from')
    const both = { ...pair, ...alphas, tickLower: range.tickLower, tickUpper: range.tickUpper }
    await refused(maker, 'remove-liquidity', both, 400, 40001, 'or alphaLower and alphaUpper')
    const removed = await desk.done(maker, 'remove-liquidity', { ...pair, ...alphas, amount: '5000.25' })
    expect(removed.range).toEqual(range)
    expect((await desk.portfolioOf(maker)).ranges).toEqual([])
  })

  it('is refused where its edges say nothing', async () => {
    const add = { ...pair, amount: '5000', slippageBps: 100 }
    await refused(maker, 'add-liquidity', add, 400, 40001, 'send both tickLower and tickUpper')
    await refused(maker, 'add-liquidity', { ...add, tickLower: 1, tickUpper: 50 }, 400, 40001, 'a multiple of 50')
    await refused(maker, 'add-liquidity', { ...add, tickLower: 100, tickUpper: 50 }, 400, 40001, 'must be below')
    await refused(maker, 'add-liquidity', { ...add, tickLower: 0, tickUpper: 50 }, 400, 40001, 'must hold the price')
    await refused(maker, 'add-liquidity', { ...add, alphaLower: '1.2' }, 400, 40001, 'or alphaLower and alphaUpper')
    await refused(maker, 'add-liquidity', { ...add, alphaLower: '1', alphaUpper: '2' }, 400, 40001, 'must be above 1')
    const narrow = { ...add, alphaLower: '1.01', alphaUpper: '1.01' }
    await refused(maker, 'add-liquidity', narrow, 400, 40003, 'AddInvalidTickDelta')
    const small = { ...add, amount: '1', alphaLower: '1.2', alphaUpper: '1.2' }
    await refused(maker, 'add-liquidity', small, 400, 40003, 'AddTrivial')
  })
})

describe('money', () => {
  const reserveOf = ({ address }: Wallet) =>
    desk.chain.read(
      contractRead({ address: desk.chain.contract('Gate'), abi: gateAbi }, 'reserveOf', desk.usdc, address),
    )
  const held = ({ address }: Wallet) =>
    desk.chain.read(contractRead({ address: desk.usdc, abi: erc20Abi }, 'balanceOf', address))

  it('goes to the reserve and back, to the last unit', async () => {
    const saver = await desk.approvedWallet(3)
    const before = await held(saver)
    const { amount } = await desk.done(saver, 'deposit', { quote: 'USDC', amount: '123.456789' })
    expect(amount).toBe('123456789000000000000')
    expect([await reserveOf(saver), await held(saver)]).toEqual([123_456_789n, before - 123_456_789n])
    await desk.done(saver, 'withdraw', { quote: desk.usdc, amount: '123.456789' })
    expect([await reserveOf(saver), await held(saver)]).toEqual([0n, before])
    await refused(saver, 'withdraw', { quote: 'USDC', amount: '0.000001' }, 400, 40003, 'InsufficientReserve')
    await refused(saver, 'deposit', { quote: 'USDC', amount: '100000000' }, 400, 40003, 'ERC20InsufficientBalance')
    await refused(saver, 'deposit', { quote: 'DAI', amount: '1' }, 400, 40001, 'there is no quote DAI; there is USDC')
  })

  it('is deposited only once Gate may take it, which a preview foresees', async () => {
    const saver = desk.wallet(4)
    const params = { quote: 'USDC', amount: '5' }
    expect((await desk.preview(saver, 'deposit', params)).data).toMatchObject({ needsApproval: true })
    const built = await desk.build(saver, 'deposit', params)
    expect([built.code, built.msg]).toEqual([40003, expect.stringContaining('ERC20InsufficientAllowance')])
  })
})
