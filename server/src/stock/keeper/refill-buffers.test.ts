import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { WAD } from '../../lib/wad.ts'
import type { CashTokenRow } from '../store.ts'
import { type BufferTargets, type CashierState, DEFAULT_BUFFER_TARGETS, dueRefills } from './refill-buffers.ts'

const USDC = 10n ** 6n

const usdc: CashTokenRow = {
  token: '0xusdc' as CashTokenRow['token'],
  symbol: 'USDC',
  decimals: 6,
  minAmountRaw: USDC,
  usdRateE6: 1_000_000n,
  depositPaused: false,
  withdrawPaused: false,
  withdrawBufferRaw: 0n,
  withdrawBufferCapacityRaw: 0n,
}

interface Figures {
  readonly credit?: bigint
  readonly owed?: bigint
  readonly buffer?: bigint
  readonly free?: bigint
  readonly queued?: bigint
}

/** Capacities of 20,000 mUSD and 50,000 USDC; plenty of cash, full buffers and nothing queued unless said otherwise. */
const state = ({
  credit = 20_000n,
  owed = 0n,
  buffer = 25_000n,
  free = 1_000_000n,
  queued = 0n,
}: Figures): CashierState => ({
  creditBufferWad: credit * WAD,
  creditCapacityWad: 20_000n * WAD,
  owedWad: owed * WAD,
  tokens: [
    {
      token: usdc,
      withdrawBufferRaw: buffer * USDC,
      withdrawCapacityRaw: 50_000n * USDC,
      freeRaw: free * USDC,
      queuedWad: queued * WAD,
    },
  ],
})
const refills = (figures: Figures, targets: BufferTargets = DEFAULT_BUFFER_TARGETS) =>
  dueRefills(state(figures), targets).map(({ functionName, args }) => [functionName, args.at(-1)])

describe('a buffer', () => {
  it('is left alone until it falls below its threshold, and then brought to its target', () => {
    expect(refills({ credit: 10_000n, buffer: 10_000n })).toEqual([])
    expect(refills({ credit: 9_999n, buffer: 9_999n })).toEqual([
      ['adjustCreditBufferWad', 10_001n * WAD],
      ['adjustWithdrawBuffer', 15_001n * USDC],
    ])
  })

  it('follows its own settings', () => {
    const targets = {
      credit: { refillBelowPercent: 0, targetPercent: 100 },
      withdraw: { refillBelowPercent: 100, targetPercent: 100 },
    }
    expect(refills({ credit: 0n, buffer: 49_999n }, targets)).toEqual([['adjustWithdrawBuffer', USDC]])
  })

  it('is raised only as far as real cash covers, less what queued withdrawals need', () => {
    expect(refills({ buffer: 1000n, free: 4000n })).toEqual([['adjustWithdrawBuffer', 3000n * USDC]])
    expect(refills({ buffer: 1000n, free: 4000n, queued: 2500n })).toEqual([['adjustWithdrawBuffer', 500n * USDC]])
    expect(refills({ buffer: 1000n, free: 4000n, queued: 3000n })).toEqual([])
    expect(refills({ buffer: 1000n, free: 0n })).toEqual([])
    expect(refills({ credit: 0n, free: 700n })).toEqual([['adjustCreditBufferWad', 700n * WAD]])
  })

  it('is raised by a part of what it lacks from a thousandth of its capacity on, and by less where it lacks no more', () => {
    expect(refills({ buffer: 1000n, free: 1049n })).toEqual([])
    expect(refills({ buffer: 1000n, free: 1050n })).toEqual([['adjustWithdrawBuffer', 50n * USDC]])
    expect(refills({ credit: 0n, free: 19n })).toEqual([])
    expect(refills({ credit: 0n, free: 20n })).toEqual([['adjustCreditBufferWad', 20n * WAD]])
    const targets = {
      credit: { refillBelowPercent: 100, targetPercent: 100 },
      withdraw: { refillBelowPercent: 50, targetPercent: 50 },
    }
    expect(refills({ credit: 19_999n, buffer: 24_999n }, targets)).toEqual([
      ['adjustCreditBufferWad', WAD],
      ['adjustWithdrawBuffer', USDC],
    ])
  })

  it('of credit is not raised while the Cashier holds less than it owes', () => {
    expect(refills({ credit: 0n, free: 30_000n, owed: 30_001n })).toEqual([])
    expect(refills({ credit: 0n, free: 30_000n, owed: 30_000n })).toEqual([['adjustCreditBufferWad', 20_000n * WAD]])
  })

  it('never passes its capacity, is never promised more than there is, and never falls', () => {
    const dollars = fc.bigInt({ min: 0n, max: 60_000n })
    const percent = fc.integer({ min: 0, max: 100 })
    const target = fc
      .tuple(percent, percent)
      .map(([a, b]) => ({ refillBelowPercent: Math.min(a, b), targetPercent: Math.max(a, b) }))
    fc.assert(
      fc.property(
        dollars,
        dollars,
        dollars,
        dollars,
        dollars,
        target,
        target,
        (credit, buffer, free, queued, owed, a, b) => {
          const figures = { credit: credit % 20_001n, buffer: buffer % 50_001n, free, queued, owed }
          for (const refill of dueRefills(state(figures), { credit: a, withdraw: b })) {
            const delta = refill.args.at(-1) as bigint
            expect(delta).toBeGreaterThan(0n)
            if (refill.functionName === 'adjustCreditBufferWad') {
              expect(figures.credit * WAD + delta).toBeLessThanOrEqual(20_000n * WAD)
              expect(free).toBeGreaterThanOrEqual(owed)
            } else {
              expect(figures.buffer * USDC + delta).toBeLessThanOrEqual(50_000n * USDC)
              expect(figures.buffer * USDC + delta).toBeLessThanOrEqual((free - queued) * USDC)
            }
          }
        },
      ),
    )
  })
})
