import {
  AddInput,
  AdjustInput,
  BatchOrderSizeDistribution,
  PlaceInput,
  QuotationWithSize,
  RemoveInput,
  ScaledLimitOrderInput,
  TradeInput,
} from '@synfutures/perpv3-ts/actions'
import { type PairSnapshot, Position, type Side } from '@synfutures/perpv3-ts/types'
import { decodeFunctionData } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { instrumentAbi } from '../../chain/abi/instrument.ts'
import type { Hex } from '../../chain/types.ts'
import { formatUnits } from '../../lib/decimal.ts'
import { WAD } from '../../lib/wad.ts'
import { addWords, batchWords, removeWords, tradeWords } from '../calldata/words.ts'
import { PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import { tickToPrice } from '../maths/tick.ts'
import { atOneBlock, sdkSetting } from '../testing/sdk.ts'
import { TradingDesk } from '../testing/trading-desk.ts'
import type { BuiltTransaction, Wallet } from '../testing/wallet.ts'

// What the venue builds and foretells against what the published client makes of the same block.

let desk: TradingDesk
let alice: Wallet
beforeAll(async () => {
  desk = await TradingDesk.open()
  alice = await desk.approvedWallet(0)
})
afterAll(() => desk?.close())

const pair = { instrument: 'BTC/USDC', expiry: PERPETUAL_EXPIRY }
const TOLERANCE_WEI = 2n
const SHORT = 1 as Side
const LONG = 2 as Side
const human = (wad: bigint) => formatUnits(wad, 18)

function expectNear(actual: string, foretold: bigint, what: string): void {
  const gap = BigInt(actual) - foretold
  if (gap > TOLERANCE_WEI || gap < -TOLERANCE_WEI) expect(actual, what).toBe(String(foretold))
}

/** An action built by the venue, and the pair as the published client reads it at the same block. */
async function both(action: string, params: object, size?: bigint) {
  const [built, snapshot] = await atOneBlock(desk.chain, () =>
    Promise.all([desk.built(alice, action, params), desk.sdkSnapshot(alice, size)]),
  )
  expect(built.blockInfo.height).toBe(snapshot.blockInfo.height)
  return { ...built, snapshot }
}

const callOf = ({ data }: BuiltTransaction) => decodeFunctionData({ abi: instrumentAbi, data: data as Hex })

/** The venue's figures of a position against the client's own position. */
function expectPosition(view: Record<string, string>, position: Position, snapshot: PairSnapshot): void {
  const amm = snapshot.updateAmmFundingIndex()
  const { markPrice } = snapshot.priceData
  const { maintenanceMarginRatio } = snapshot.instrumentSetting
  expect(view.size).toBe(String(position.size))
  if (position.size === 0n) return
  const margin = position.balance + position.fundingFee(amm) - position.socialLoss(amm)
  expectNear(view.margin ?? '', margin, 'margin')
  expectNear(view.equity ?? '', position.equity(amm, markPrice), 'equity')
  expectNear(view.unrealizedPnl ?? '', position.pricePnl(markPrice), 'profit')
  expectNear(view.leverage ?? '', position.leverage(amm, markPrice), 'leverage')
  expectNear(view.liquidationPrice ?? '', position.liquidationPrice(amm, maintenanceMarginRatio), 'liquidation price')
}

/**
 * Sizes that open, grow, reduce, turn and close a position. What leaves at the greatest leverage is not among them: the client
 * leaves no room for the price to move (actions/moved.test.ts).
 */
const TRADES: readonly (readonly [what: string, sizeWad: bigint, leverage: bigint, slippageBps: number])[] = [
  ['opens a long at the greatest leverage', 20n * (WAD / 100n), 10n * WAD, 50],
  ['grows it at another leverage', 5n * (WAD / 100n), 3n * WAD, 100],
  ['grows it at a great leverage', 5n * (WAD / 100n), 9n * WAD, 10],
  ['reduces it', -7n * (WAD / 100n), 4n * WAD, 50],
  ['turns it', -60n * (WAD / 100n), 8n * WAD, 50],
  ['grows the short', -(WAD / 10n), 2n * WAD, 500],
  ['closes the short', 47n * (WAD / 100n), 5n * WAD, 50],
]

describe('a market order as the published client makes it', () => {
  it.each(TRADES)('%s', async (_, size, leverage, slippageBps) => {
    const [side, base] = size > 0n ? [LONG, size] : [SHORT, -size]
    const params = { ...pair, size: human(base), side, leverage: human(leverage), slippageBps }
    const { transaction, simulation, snapshot } = await both('market', params, size)
    const { quotation, portfolio } = snapshot
    if (!quotation) throw new Error('no quotation')
    const quoted = new QuotationWithSize(size, quotation)
    const setting = sdkSetting({ leverage, slippageBps })
    const [param, { postPosition }] = new TradeInput(alice.address, base, side).simulate(snapshot, quoted, setting)
    const { amount, limitTick: tick, deadline: deadlineSec, expiry } = param
    const words = tradeWords({ expiry, deadlineSec, tick, amount, size })
    expect(callOf(transaction)).toMatchObject({ functionName: 'trade', args: [words] })

    expect(simulation).toMatchObject({
      price: String(quoted.tradePrice),
      notional: String(quoted.tradeValue),
      fee: String(quoted.tradingFee),
      amount: String(amount),
      markPrice: String(snapshot.priceData.markPrice),
    })
    expectNear(simulation.priceImpact, quoted.priceImpact, 'price impact')
    expectPosition(simulation.before, Position.ensureInstance(portfolio.position), snapshot)
    expectPosition(simulation.after, postPosition, snapshot)
    await desk.mine(alice, transaction)
  })
})

describe('limit orders as the published client makes them', () => {
  it.each([
    ['a buy', LONG, '58500.5', 0],
    ['a sell with a buffer', SHORT, '61200', 125],
  ] as const)('%s', async (_, side, price, markPriceBufferInBps) => {
    const params = { ...pair, size: '0.05', price, side, leverage: '7', markPriceBufferInBps }
    const { transaction, simulation, snapshot } = await both('limit', params)
    const [order] = simulation.orders
    const setting = sdkSetting({ leverage: 7n * WAD, bufferBps: markPriceBufferInBps })
    const [param, foretold] = new PlaceInput(alice.address, order.tick, WAD / 20n, side).simulate(snapshot, setting)
    const { amount, tick, size, deadline: deadlineSec, expiry } = param
    const words = tradeWords({ expiry, deadlineSec, tick, amount, size })
    expect(callOf(transaction)).toMatchObject({ functionName: 'place', args: [words] })
    expect(order).toMatchObject({
      size: String(size),
      margin: String(amount),
      price: String(foretold.order.targetPrice),
    })
    // The tick is the nearest one that is not worse than the price.
    const wanted = BigInt(Math.round(Number(price) * 10)) * 10n ** 17n
    const isBetter = (at: number) => (side === LONG ? tickToPrice(at) <= wanted : tickToPrice(at) >= wanted)
    expect([isBetter(tick), isBetter(side === LONG ? tick + 1 : tick - 1)]).toEqual([true, false])
    await desk.mine(alice, transaction)
  })

  it.each(['FLAT', 'UPPER', 'LOWER'] as const)('several with the distribution %s', async (distribution) => {
    const prices = ['57000', '56500', '56000', '55500', '55000', '54500', '54000']
    const params = { ...pair, size: '0.3', prices, side: LONG, leverage: '4', distribution }
    const { transaction, simulation, snapshot } = await both('scaled', params)
    const ticks = simulation.orders.map(({ tick }: { tick: number }) => tick)
    const total = (3n * WAD) / 10n
    const input = new ScaledLimitOrderInput(alice.address, LONG, total, ticks, BatchOrderSizeDistribution[distribution])
    const setting = sdkSetting({ leverage: 4n * WAD })
    const details = input.simulate(snapshot, setting).orders.flatMap((order) => order ?? [])
    expect(details).toHaveLength(prices.length)
    const orders = details.map(({ param, ratio }) => ({ tick: param.tick, ratio }))
    const deadlineSec = setting.getDeadline(snapshot.blockInfo.timestamp)
    const words = batchWords({ expiry: PERPETUAL_EXPIRY, deadlineSec, size: total, leverage: 4n * WAD, orders })
    expect(callOf(transaction)).toMatchObject({ functionName: 'batchPlace', args: [words] })
    expect(simulation.orders.map(({ margin, size }: Record<string, string>) => [margin, size])).toEqual(
      details.map(({ param }) => [String(param.amount), String(param.size)]),
    )
  })
})

describe('margin as the published client moves it', () => {
  it('to a leverage, up and down, and by an amount', async () => {
    await desk.done(alice, 'market', { ...pair, size: '0.1', side: LONG, leverage: '5', slippageBps: 50 })
    for (const leverage of [2n, 8n]) {
      const params = { ...pair, leverage: String(leverage) }
      const { transaction, simulation, snapshot } = await both('adjust', params)
      const position = Position.ensureInstance(snapshot.portfolio.position)
      // The client leaves funding since the last action out of what it asks for; the protocol realises it first.
      const amm = snapshot.updateAmmFundingIndex()
      const net = position.transferAmountFromTargetLeverage(amm, leverage * WAD, snapshot.priceData.markPrice)
      expect(simulation.amount).toBe(String(net))
      expect(simulation.after.leverage).toMatch(leverage === 2n ? /^(2000|1999)/ : /^(8000|7999)/)
      expectPosition(simulation.after, position.withBalanceDelta(net), snapshot.with({ amm }))
      await desk.mine(alice, transaction)
    }
    const { transaction, snapshot } = await both('margin', { ...pair, amount: '12.5', type: 'add' })
    const [param] = new AdjustInput(alice.address, (125n * WAD) / 10n, true).simulate(snapshot, sdkSetting())
    const { expiry, deadline: deadlineSec, net: amount } = param
    const words = tradeWords({ expiry, deadlineSec, tick: 0, amount, size: 0n })
    expect(callOf(transaction)).toMatchObject({ functionName: 'trade', args: [words] })
  })
})

describe('liquidity as the published client adds and removes it', () => {
  it('at the same edges, limits and liquidity', async () => {
    const params = { ...pair, amount: '2500', alphaLower: '1.2', alphaUpper: '1.3', slippageBps: 100 }
    const { transaction, simulation, snapshot } = await both('add-liquidity', params)
    const { tickLower, tickUpper } = simulation.range
    const setting = sdkSetting({ slippageBps: 100 })
    const [added, { range }] = new AddInput(alice.address, 2500n * WAD, tickLower, tickUpper).simulate(
      snapshot,
      setting,
    )
    const { expiry, amount, deadline: deadlineSec } = added
    const limits = ticksOf(added.limitTicks)
    // Half a spacing less on either side comes to the same edges, also when the price moves before it is mined.
    const [deltaLower, deltaUpper] = [added.tickDeltaLower - 25, added.tickDeltaUpper - 25]
    const words = addWords({ expiry, deadlineSec, limits, amount, deltaLower, deltaUpper })
    expect(callOf(transaction)).toMatchObject({ functionName: 'add', args: [words] })
    expect(simulation.range.liquidity).toBe(String(range.liquidity))
    await desk.mine(alice, transaction)
    await desk.done(desk.wallet(0), 'market', { ...pair, size: '0.5', side: SHORT, leverage: '5', slippageBps: 200 })

    const removed = await both('remove-liquidity', { ...pair, tickLower, tickUpper, slippageBps: 100 })
    const input = new RemoveInput(alice.address, tickLower, tickUpper)
    const [param, { postPosition }] = input.simulate(removed.snapshot, setting)
    const removal = removeWords({
      expiry,
      deadlineSec: param.deadline,
      limits: ticksOf(param.limitTicks),
      owner: alice.address,
      tickLower,
      tickUpper,
    })
    expect(callOf(removed.transaction)).toMatchObject({ functionName: 'remove', args: [removal] })
    expect(removed.simulation.range.liquidity).toBe(String(range.liquidity))
    expect(removed.simulation.after.size).toBe(String(postPosition.size))
  })
})

/** Both ticks of the client's packed limits. */
function ticksOf(limitTicks: number) {
  const packed = BigInt(limitTicks)
  const tick = (value: bigint) => Number(BigInt.asIntN(24, value))
  return { lower: tick(packed >> 24n), upper: tick(packed) }
}
