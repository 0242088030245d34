import { describe, expect, it } from 'vitest'
import { chainProfile, withLeastBuffer } from './profiles.ts'

const CHAINS = [31_337, 20_250_903, 8453, 1, 143, 11_155_111, 10_143, 84_532]

describe('chain profiles', () => {
  it.each(CHAINS)('hold usable values for chain %i', (chainId) => {
    const profile = chainProfile(chainId)
    expect(profile.chainId).toBe(chainId)
    expect(profile.blockTimeMs).toBeGreaterThan(0)
    expect(profile.logsRangeBlocks).toBeGreaterThan(0)
    expect(profile.actDepth).toBeGreaterThanOrEqual(1)
    // Nodes refuse replacements with less than 10 % more.
    expect(profile.fee.bumpPercent).toBeGreaterThan(10)
    expect(profile.gas.limitPercent).toBeGreaterThanOrEqual(125)
    if (profile.gas.chargesLimit) expect(profile.gas.limitPercent).toBeLessThan(150)
    else expect(profile.gas.limitPercent).toBeGreaterThanOrEqual(200)
  })

  it('give a greater buffer to what needs one, and no smaller to what does not', () => {
    const { gas } = chainProfile(143)
    expect(withLeastBuffer(gas, 150)).toEqual({ limitPercent: 150, chargesLimit: true, maxGasLimit: gas.maxGasLimit })
    expect(withLeastBuffer(gas, 100)).toEqual(gas)
  })

  it('call a local block final at depth 128, and a Monad one by its tag', () => {
    expect(chainProfile(31_337).finality).toEqual({ by: 'depth', blocks: 128 })
    for (const chainId of [143, 10_143]) {
      expect(chainProfile(chainId)).toMatchObject({
        finality: { by: 'tag' },
        logsBloom: 'late',
        mempool: { reportsPending: false },
      })
    }
  })

  it('are never guessed', () => {
    expect(() => chainProfile(5)).toThrow('no profile for chain 5; known: 31337 (Local)')
  })
})
