import { afterAll, beforeAll, expect, test } from 'vitest'
import { Observed } from '../../sim/perp-chain/observed.ts'
import { crashScene, crashTurns } from '../../sim/perp-model/crash-day.ts'
import { imageOf } from '../../sim/perp-model/image.ts'
import { surplusWad, tokenSupply } from '../../sim/perp-model/invariants.ts'
import { equity, isMmrSafe } from '../../sim/perp-model/position.ts'
import { createWorld } from '../../sim/perp-model/replay.ts'
import { WAD, wdiv } from '../../sim/perp-model/wad.ts'
import type { Action } from '../../sim/perp-model/world.ts'
import { KEEPER_INDEX, PerpKeeperWorld } from './perp-keeper-world.ts'

/**
 * A day on which a market loses 30 %, two of its falls as gaps that no margin covers, with the venue's own keeper. Killed in the middle of it, the
 * keeper forgets everything; what it had stored is sent by the next.
 */

/** The turns while the market falls. */
const [FIRST_FALL, LAST_FALL] = [60, 110]
/** What the keeper has at Gate to take accounts over with. */
const CAPITAL_WAD = 200_000n * WAD
let world: PerpKeeperWorld
beforeAll(async () => {
  world = await PerpKeeperWorld.start(crashScene)
})
afterAll(() => world?.stop())

const kept = (actions: readonly Action[], type: Action['type']) => actions.filter((action) => action.type === type)

test('every account that may be liquidated is, and all end where the reference model says', {
  timeout: 300_000,
}, async () => {
  const amountRaw = `${CAPITAL_WAD}`
  await world.act({ type: 'deposit', account: world.trader(KEEPER_INDEX), quote: 'USDE', amountRaw })
  const keeper = await world.startKeeper()
  let turn = 0
  for (const _ of crashTurns(world.scene)) {
    await world.play()
    // Of the quiet hours some turns are enough.
    turn++
    if ((turn < FIRST_FALL || turn > LAST_FALL) && turn % 10 !== 0) continue
    const isKilled = turn % 7 === 0
    if (isKilled) {
      // Killed between storing and sending: what it decided is in the database, what it knew is gone.
      await keeper.run()
      keeper.forget()
    }
    await world.keep()
    expectAllSafe()
  }
  const { setup, actions } = world.scene.scenario()
  expect(kept(actions, 'sweep').length + kept(actions, 'liquidate').length).toBeGreaterThanOrEqual(6)
  expect(kept(actions, 'fill').length).toBeGreaterThanOrEqual(5)

  const { pair, spotWad } = world.scene.context()
  const left = wdiv(spotWad, BigInt(setup.instruments[1]?.spotWad ?? 0))
  expect(left > (68n * WAD) / 100n && left < (73n * WAD) / 100n).toBe(true)
  expect(pair.shortfall).toBe(0n)
  expect(tokenSupply(world.scene.world, 'USDE')).toBe(tokenSupply(createWorld(setup), 'USDE'))
  const surplus = surplusWad(pair)
  expect(surplus > -(10n ** 9n) && surplus < 10n ** 9n).toBe(true)

  const { cast } = world.scene
  const observed = new Observed(world.chain, world.contracts, [...cast.traders, cast.admin, cast.handler])
  const expected = imageOf(world.scene.world)
  expect(await observed.image(expected)).toEqual(expected)
})

/** Nobody is below the maintenance margin, or owes. */
function expectAllSafe(): void {
  const { pair, markWad, instrument } = world.scene.context()
  for (const [account, { position }] of pair.accounts) {
    if (position.size === 0n) continue
    const at = `${account} at ${markWad}`
    expect(isMmrSafe(pair.amm, position, instrument.setting.maintenanceMarginRatio, markWad), at).toBe(true)
    expect(equity(pair.amm, position, markWad) > 0n, at).toBe(true)
  }
}
