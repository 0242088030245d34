import { expect, it } from 'vitest'
import { WAD } from '../../lib/wad.ts'
import { type CashSource, chooseCash } from './settlement-cash.ts'

const USDC: CashSource = {
  token: '0x01',
  availableRaw: 1000n * 10n ** 6n,
  usdRateE6: 10n ** 6n,
  decimals: 6,
  paused: false,
}
const HALF: CashSource = { token: '0x02', availableRaw: 4000n * WAD, usdRateE6: 500_000n, decimals: 18, paused: false }
const PAYS = 100n * WAD
const TAKES = -PAYS

const chosen = (sources: readonly CashSource[], netNotionalWad: bigint) => chooseCash(sources, netNotionalWad)?.token

it('takes the first token that covers the batch and its fees, else the one that is worth most', () => {
  expect(chosen([USDC, HALF], PAYS)).toBe(USDC.token)
  expect(chosen([USDC, HALF], 943n * WAD)).toBe(USDC.token)
  expect(chosen([USDC, HALF], 944n * WAD)).toBe(HALF.token)
  expect(chosen([USDC, HALF], -5000n * WAD)).toBe(HALF.token)
  expect(chosen([], PAYS)).toBeUndefined()
})

it('pays in with no token whose deposits are paused while there is another, and pays out with it last', () => {
  const paused = { ...USDC, paused: true }
  expect(chosen([paused, HALF], TAKES)).toBe(HALF.token)
  expect(chosen([paused, { ...HALF, availableRaw: 1n }], TAKES)).toBe(HALF.token)
  expect(chosen([paused, HALF], PAYS)).toBe(HALF.token)
  expect(chosen([paused, { ...HALF, availableRaw: 1n }], PAYS)).toBe(paused.token)
})

it('leaves a batch to the contract, which refuses it, when every token is paused', () => {
  expect(chosen([{ ...USDC, paused: true }], TAKES)).toBe(USDC.token)
})
