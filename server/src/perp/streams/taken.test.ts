import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DevelopmentAccount } from '../../chain/embedded/accounts.ts'
import type { Hex } from '../../chain/types.ts'
import { WAD } from '../../lib/wad.ts'
import { signed, type TestKey } from '../testing/key-api.ts'
import { PrivateWorld, type Seen, type StreamSession } from '../testing/private-world.ts'
import { approveGate, cancel, fill, place, setFeed, trade } from '../testing/trader.ts'

/** Sizes of the first order at the tick and of the one that shares it. */
const [SIZE, OTHER_SIZE] = [5n * WAD, 4n * WAD]
const MARGIN = 60_000n * WAD

let world: PrivateWorld
let btc: Hex
let alice: DevelopmentAccount
let bob: DevelopmentAccount
let carol: DevelopmentAccount
let key: TestKey
let stream: StreamSession
beforeAll(async () => {
  world = await PrivateWorld.start()
  const { chain } = world
  btc = await chain.instrument('BTC/USDC')
  ;[alice, bob, carol] = chain.accounts.users as unknown as [DevelopmentAccount, DevelopmentAccount, DevelopmentAccount]
  await setFeed(chain, 'BTC', 60_000n * 10n ** 8n)
  for (const user of [alice, bob, carol]) expect(await approveGate(chain, user, btc)).toBe('success')
  key = await world.keyOf(alice)
  stream = await world.connect(key)
  await stream.follow('orders')
})
afterAll(() => world?.close())

/** The tick below the best bid by so many. */
async function below(ticks: number): Promise<number> {
  await world.told()
  const { data } = await signed(world.apis[0], key, 'GET', 'market/orderBook?symbol=BTC%2FUSDC')
  return data['1'].bids[0].tick - ticks
}
/** What the API says now of alice's open order at the tick. */
async function realtime(tick: number): Promise<Seen> {
  await world.told()
  const { data } = await signed(world.apis[0], key, 'GET', 'order/realtime?symbol=BTC%2FUSDC')
  return data.find((order: Seen) => order.tick === tick)
}
const told = (tick: number): Seen[] =>
  stream.deltas('orders').flatMap(({ data }) => (data?.tick === tick ? [data] : []))
const untilTold = (tick: number, accept: (order: Seen) => boolean): Promise<Seen> =>
  stream.until(() => told(tick).find(accept))
/** How much bob's trades took of resting orders. */
async function takenByBob(): Promise<bigint> {
  await world.told()
  const [row] = await world.database.sql<{ sum: bigint }[]>`
    select coalesce(sum(taken_size_wad), 0)::numeric as sum from perp_executions where trader = ${bob.address.toLowerCase()}`
  return row?.sum ?? 0n
}
const sell = async (size: bigint) => expect(await trade(world.chain, bob, btc, -size, 60_000n * WAD)).toBe('success')

describe('an order that shares its tick', () => {
  it('is told as taken when another one leaves untouched, then as taken whole, then as filled', async () => {
    const { chain } = world
    const tick = await below(5)
    expect(await place(chain, alice, btc, { tick, size: SIZE, margin: MARGIN })).toBe('success')
    expect(await place(chain, carol, btc, { tick, size: OTHER_SIZE, margin: MARGIN })).toBe('success')
    while ((await takenByBob()) === 0n) await sell(WAD)
    const sum = await takenByBob()
    // What is left covers either order, so neither has been taken from.
    expect(sum).toBeLessThan(OTHER_SIZE)
    expect(await realtime(tick)).toMatchObject({ taken: '0', status: 'open' })

    expect(await cancel(chain, carol, btc, tick)).toBe('success')
    const first = await untilTold(tick, ({ taken }) => taken !== '0')
    expect(first).toMatchObject({ taken: String(sum), status: 'partial_filled' })
    expect(await realtime(tick)).toEqual(first)

    await sell(SIZE)
    const whole = await untilTold(tick, ({ taken }) => taken === String(SIZE))
    expect(whole).toMatchObject({ status: 'filled', lastUpdateTxHash: first.lastUpdateTxHash })
    expect(await fill(chain, bob, btc, { tick, nonce: whole.nonce, target: alice.address })).toBe('success')
    const closed = await untilTold(tick, ({ lastUpdateTxHash }) => lastUpdateTxHash !== first.lastUpdateTxHash)
    expect(closed).toMatchObject({ taken: String(SIZE), status: 'filled' })
    // Once each: placed, taken by the cancel, taken whole, filled.
    await world.told()
    expect(told(tick).map(({ taken, status }) => [taken, status])).toEqual([
      ['0', 'open'],
      [String(sum), 'partial_filled'],
      [String(SIZE), 'filled'],
      [String(SIZE), 'filled'],
    ])
  })

  it('is told as not taken again when a reorganisation brings the other one back', async () => {
    const { chain } = world
    const { rpc } = chain
    const tick = await below(5)
    expect(await place(chain, alice, btc, { tick, size: SIZE, margin: MARGIN })).toBe('success')
    expect(await place(chain, carol, btc, { tick, size: OTHER_SIZE, margin: MARGIN })).toBe('success')
    const before = await takenByBob()
    while ((await takenByBob()) === before) await sell(WAD)
    expect(await realtime(tick)).toMatchObject({ taken: '0', status: 'open' })
    await rpc.call('evm_setIntervalMining', [0])
    await rpc.call('evm_setAutomine', [true])
    expect(await cancel(chain, carol, btc, tick)).toBe('success')
    await untilTold(tick, ({ status }) => status === 'partial_filled')
    await rpc.call('anvil_reorg', [1, []])
    await rpc.call('evm_mine')
    await stream.until(() => (told(tick).at(-1).taken === '0' ? true : undefined))
    expect(await realtime(tick)).toEqual(told(tick).at(-1))
    expect(told(tick).map(({ status }) => status)).toEqual(['open', 'partial_filled', 'open'])
    await rpc.call('evm_setAutomine', [false])
    await rpc.call('evm_setIntervalMining', [1])
  })
})
