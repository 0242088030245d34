import { expect, test } from 'vitest'
import { crashDay } from './crash-day.ts'
import { openInterestGaps, surplusWad, tokenSupply } from './invariants.ts'
import { DEFAULT_CAST } from './markets.ts'
import { equity, isMmrSafe } from './position.ts'
import { createWorld, replay } from './replay.ts'
import { sqrtToPrice } from './tick.ts'
import { abs, WAD, wdiv } from './wad.ts'

const scene = crashDay(DEFAULT_CAST)
const { setup, actions } = scene.scenario()

test('the price falls by about 30 % and the fair price follows', () => {
  const { spotWad, pair } = scene.context()
  const start = BigInt(setup.instruments[1]?.spotWad ?? 0)
  const left = wdiv(spotWad, start)
  expect(left > (68n * WAD) / 100n && left < (73n * WAD) / 100n).toBe(true)
  expect(wdiv(abs(sqrtToPrice(pair.amm.sqrtPX96) - spotWad), spotWad) < WAD / 20n).toBe(true)
})

test('accounts fail: margins go to the insurance fund, and what that cannot pay to the shorts', () => {
  const count = (type: string) => actions.filter((action) => action.type === type).length
  expect(count('sweep') + count('liquidate')).toBeGreaterThanOrEqual(6)
  expect(count('liquidate')).toBeGreaterThanOrEqual(1)
  expect(count('fill')).toBeGreaterThanOrEqual(5)
  let [mostInsured, insured] = [0n, 0n]
  for (const { image } of replay({ setup, actions })) {
    const { instruments } = image as unknown as {
      instruments: { pairs: { [expiry: string]: { amm: { insuranceFund: string } } } }[]
    }
    insured = BigInt(instruments[1]?.pairs['4294967295']?.amm.insuranceFund ?? 0)
    if (insured > mostInsured) mostInsured = insured
  }
  expect(mostInsured > 1000n * WAD).toBe(true)
  const { amm } = scene.pair()
  expect(amm.shortSocialLossIndex > 0n).toBe(true)
  expect(amm.longSocialLossIndex).toBe(0n)
})

test('in the evening nobody owes, all money is there and everybody who still holds something is safe', () => {
  const { pair, markWad, instrument } = scene.context()
  for (const { position } of pair.accounts.values()) {
    if (position.size === 0n) continue
    expect(equity(pair.amm, position, markWad) > 0n).toBe(true)
    expect(isMmrSafe(pair.amm, position, instrument.setting.maintenanceMarginRatio, markWad)).toBe(true)
  }
  expect(pair.shortfall).toBe(0n)
  expect(tokenSupply(scene.world, 'USDE')).toBe(tokenSupply(createWorld(setup), 'USDE'))
  const surplus = surplusWad(pair)
  expect(surplus > -(10n ** 9n) && surplus < 10n ** 9n).toBe(true)
  const gaps = openInterestGaps(pair)
  expect([gaps.entryBase, gaps.long, gaps.short]).toEqual([0n, 0n, 0n])
})
