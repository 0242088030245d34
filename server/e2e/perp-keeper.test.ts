import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { DATED_EXPIRY } from '../../sim/perp-model/markets.ts'
import { quote } from '../../sim/perp-model/quotation.ts'
import { SceneWriter, toWad } from '../../sim/perp-model/scene.ts'
import { sqrtToPrice } from '../../sim/perp-model/tick.ts'
import { abs } from '../../sim/perp-model/wad.ts'
import { KEEPER_INDEX, type Keeper, PerpKeeperWorld } from './perp-keeper-world.ts'

/**
 * What the keeper of perpetuals does, one after the other on one venue, with the reference model beside it: what it sends must be what the model
 * performs, and what the chain refuses it the model must refuse.
 */

/** ETH in USDE: 10 % initial and 5 % maintenance margin. */
const ETH = 1
const [PROVIDER, SAFE, ARBITRAGEUR, OTHER_KEEPER] = [0, 1, 7, 8]
const THIN = [4, 5, 6]
const QUIET_SEC = 1800

let world: PerpKeeperWorld
let keeper: Keeper
beforeAll(async () => {
  world = await PerpKeeperWorld.start((cast) => new SceneWriter(cast, ETH))
  await world.act(world.scene.range(world.trader(PROVIDER), 400_000, 9000))
  await world.act(world.scene.trade(world.trader(SAFE), 2, 6000))
  // A tip that pays for a transaction at the node's price of gas.
  const { param } = world.scene.context().instrument.setting
  const exact = { minMarginAmount: `${param.minMarginAmount}`, tip: `${toWad(2)}` }
  const { tradingFeeRatio, protocolFeeRatio, qtype } = param
  const fees = { tradingFeeRatio, protocolFeeRatio, qtype }
  await world.act({ type: 'quoteParam', account: world.scene.cast.admin, ...fees, ...exact })
  keeper = await world.startKeeper()
})
afterAll(() => world?.stop())
afterEach(() => world.level(ARBITRAGEUR))

const spot = () => Number(world.scene.context().spotWad / 10n ** 14n) / 10_000
const size = (index: number, expiry?: number) => world.scene.position(world.trader(index), expiry).size
/** The index price moves by so many parts in a thousand. */
const moves = (perMille: number) => world.act(world.scene.price(Math.round(spot() * (1000 + perMille) * 10) / 10_000))
/** A long of 2 ETH with hardly more than the initial margin. */
function opensThin(index: number): Promise<unknown> {
  const { minAmount } = quote(world.scene.context(), toWad(2)).quotation
  const margin = Number(minAmount / 10n ** 12n) / 1_000_000
  return world.act(world.scene.trade(world.trader(index), 2, margin * 1.02))
}
/** Somebody trades until the fair price stands so many parts in a thousand from the mark. */
function bringsFairTo(perMille: number): Promise<unknown> {
  const context = world.scene.context()
  const goal = (context.markWad * BigInt(1000 + perMille)) / 1000n
  const buys = sqrtToPrice(context.pair.amm.sqrtPX96) < goal
  const signed = (units: bigint) => (buys ? units : -units)
  const falls = (units: bigint) => {
    const after = sqrtToPrice(quote(context, signed(units)).quotation.sqrtPostFairPX96)
    return buys ? after < goal : after > goal
  }
  let [low, high] = [toWad(0.01), toWad(0.02)]
  while (falls(high)) [low, high] = [high, high * 2n]
  while (high - low > toWad(0.001)) {
    const middle = (low + high) / 2n
    if (falls(middle)) low = middle
    else high = middle
  }
  return world.act(world.scene.trade(world.trader(ARBITRAGEUR), signed(low), 60_000))
}
const kinds = () => world.scene.scenario().actions.map(({ type }) => type)
/** The kinds of action that `work` leads to. */
async function during(work: () => Promise<unknown>): Promise<string[]> {
  const before = kinds().length
  await work()
  return kinds().slice(before)
}

describe('updates', () => {
  it('brings a quiet pair to now, once, and leaves one alone that was touched lately', async () => {
    const touchedAt = world.scene.pair().amm.timestamp
    await world.pass(QUIET_SEC - 60)
    expect(await during(() => world.keep())).toEqual([])
    await world.pass(QUIET_SEC)
    expect(await during(() => world.keep())).toEqual(['update'])
    expect(world.scene.pair().amm.timestamp).toBeGreaterThan(touchedAt + QUIET_SEC)
    expect(await during(() => world.keep())).toEqual([])
  })
})

describe('liquidations', () => {
  it('sweeps what falls below its maintenance margin, and nobody else', async () => {
    await opensThin(THIN[0] as number)
    expect(await during(() => world.keep())).toEqual([])
    const before = world.scene.pair().amm.insuranceFund
    await moves(-70)
    expect(await during(() => world.keep())).toEqual(['sweep'])
    expect([size(THIN[0] as number), size(SAFE)]).toEqual([0n, toWad(2)])
    expect(world.scene.pair().amm.insuranceFund).toBeGreaterThan(before)
  })

  it('sends what it decided once, also when it was killed before it was sent', async () => {
    await opensThin(THIN[0] as number)
    await moves(-70)
    keeper.stopRelayer()
    const stored = (await keeper.intents()).length
    await keeper.run()
    keeper.forget()
    await keeper.run()
    expect((await keeper.intents()).slice(stored)).toEqual(['position queued'])
    keeper.startRelayer(KEEPER_INDEX + 1)
    expect(await during(() => world.keep())).toEqual(['sweep'])
    expect(await keeper.intents()).toHaveLength(stored + 1)
  })

  it('two keepers liquidate each account once: what comes second is refused or never sent', async () => {
    const other = await world.startKeeper(OTHER_KEEPER)
    for (const index of THIN) await opensThin(index)
    await moves(-70)
    // Both decide before either is mined.
    await Promise.all([keeper.run('perp.liquidate'), other.run('perp.liquidate')])
    expect(await during(() => world.keep())).toEqual(THIN.map(() => 'sweep'))
    expect(THIN.map((index) => size(index))).toEqual([0n, 0n, 0n])
    const ends = [...(await keeper.intents()).slice(-3), ...(await other.intents())].map((text) => text.split(' ')[1])
    expect(ends.filter((end) => end === 'succeeded')).toHaveLength(THIN.length)
    world.keepers.pop()
    await other.stop()
  })
})

describe('what is ended for others', () => {
  it('fills an order that is taken whole where the tip pays for the gas', async () => {
    const { tick } = world.scene.pair().amm
    const maker = world.trader(2)
    await world.act(world.scene.order(maker, tick - 20, 1, spot() * 0.3))
    expect(await during(() => world.keep())).toEqual([])
    await world.act(world.scene.trade(world.trader(ARBITRAGEUR), world.scene.sizeTaking(false, toWad(1)), 60_000))
    expect(await during(() => world.keep())).toEqual(['fill'])
    expect(world.scene.position(maker).size).toBe(toWad(1))
  })

  it('leaves an order to others whose tip does not pay, until what it became may be liquidated', async () => {
    const { tick } = world.scene.pair().amm
    const maker = world.trader(THIN[1] as number)
    // Priced in a coin that the venue has no price of: nothing pays.
    const poor = await world.startKeeper(OTHER_KEEPER, { PERP_NATIVE_BASE: 'NONE' })
    const [rich] = world.keepers.splice(0, 1)
    await world.act(world.scene.order(maker, tick - 20, 1, spot() * 0.105))
    await world.act(world.scene.trade(world.trader(ARBITRAGEUR), world.scene.sizeTaking(false, toWad(1)), 60_000))
    expect(await during(() => world.keep())).toEqual([])
    await moves(-75)
    expect(await during(() => world.keep())).toEqual(['fill', 'sweep'])
    expect(world.scene.position(maker).size).toBe(0n)
    world.keepers.splice(0, 1, rich as Keeper)
    await poor.stop()
  })
})

describe('taking over', () => {
  it('takes over and closes at once what leaves a profit, with money that it has at Gate', async () => {
    const capital = toWad(50_000)
    const account = world.trader(OTHER_KEEPER)
    await world.act({ type: 'deposit', account, quote: 'USDE', amountRaw: `${capital}` })
    const funded = await world.startKeeper(OTHER_KEEPER)
    const [poor] = world.keepers.splice(0, 1)
    await opensThin(THIN[2] as number)
    await moves(-55)
    expect(await during(() => world.keep())).toEqual(['liquidate', 'trade'])
    expect([size(THIN[2] as number), size(OTHER_KEEPER)]).toEqual([0n, 0n])
    const reserve = world.scene.world.quotes.get('USDE')?.ledgers.get(account)?.reserve ?? 0n
    expect(reserve).toBeGreaterThan(capital)
    world.keepers.splice(0, 1, poor as Keeper)
    await funded.stop()
  })
})

describe('keeping', () => {
  it('takes over and keeps what may not be swept now, and closes it once that leaves the price within 1 % of the mark', async () => {
    const account = world.trader(OTHER_KEEPER)
    await world.act({ type: 'deposit', account, quote: 'USDE', amountRaw: `${toWad(50_000)}` })
    const funded = await world.startKeeper(OTHER_KEEPER)
    const [poor] = world.keepers.splice(0, 1)
    await opensThin(THIN[2] as number)
    await moves(-75)
    // The fair price is as far below the mark as a trade may carry it; then the mark goes on.
    await bringsFairTo(-48)
    await moves(5)
    expect(await during(() => world.keep())).toEqual(['liquidate'])
    expect([size(THIN[2] as number), size(OTHER_KEEPER)]).toEqual([0n, toWad(2)])
    await bringsFairTo(-20)
    expect(await during(() => world.keep())).toEqual([])
    await bringsFairTo(5)
    expect(await during(() => world.keep())).toEqual(['trade'])
    expect(size(OTHER_KEEPER)).toBe(0n)
    world.keepers.splice(0, 1, poor as Keeper)
    await funded.stop()
  })
})

describe('ranges', () => {
  it('removes a range that the price has left', async () => {
    const { tick } = world.scene.pair().amm
    await world.act(world.scene.range(world.trader(2), 20_000, 1000))
    expect(await during(() => world.keep())).toEqual([])
    for (let step = 0; world.scene.pair().amm.tick < tick + 1100; step++) {
      await moves(20)
      await world.act(world.scene.trade(world.trader(ARBITRAGEUR), 4, 20_000))
      if (step > 60) throw new Error('the price does not leave the range')
    }
    expect(await during(() => world.keep())).toContain('remove')
    expect(abs(world.scene.position(world.trader(2)).size)).toBeGreaterThan(0n)
  })
})

describe('settlement', () => {
  it('settles everybody of a dated pair that has ended, those first who cannot pay, be it for a position or for a range', async () => {
    const expiry = DATED_EXPIRY
    const [maker, long] = [world.trader(2), world.trader(THIN[0] as number)]
    const winners = [world.trader(ARBITRAGEUR), world.trader(SAFE)]
    await world.act(world.scene.range(world.trader(PROVIDER), 1000, 3000, expiry))
    // The keeper knows of one of the winners before it knows of the range that owes them.
    await world.act(world.scene.trade(winners[0] as string, -0.1, 400, expiry))
    await world.act(world.scene.range(maker, 100_000, 3000, expiry))
    await moves(-150)
    for (const winner of winners) await world.act(world.scene.trade(winner, -28, 40_000, expiry))
    await world.act(world.scene.trade(long, 2, spot() * 0.25, expiry))
    // In the last minutes the market falls by more than the margins of the long and the ranges, and its price is not to be had
    // until the end.
    await world.act(world.scene.price(spot()), expiry - 1900 - world.nowSec)
    await world.act({ type: 'update', account: long, expiry }, 110)
    expect(await during(() => world.keep())).toContain('update')
    keeper.stopRelayer()
    await world.act(world.scene.price(Math.round(spot() * 0.2 * 100) / 100), 10)
    await world.act({ type: 'update', account: long, expiry })
    await world.pass(expiry - world.nowSec + 5)
    keeper.startRelayer(KEEPER_INDEX + 1)
    const done = await during(() => world.keep())
    expect(done).toContain('settle')
    const settled = world.scene
      .scenario()
      .actions.flatMap((action) => (action.type === 'settle' && action.expiry === expiry ? [action.target] : []))
    expect(settled).toHaveLength(5)
    expect(new Set(settled.slice(0, 3))).toEqual(new Set([long, maker, world.trader(PROVIDER)]))
    expect(new Set(settled.slice(3))).toEqual(new Set(winners))
    expect(await during(() => world.keep())).toEqual([])
  })
})
