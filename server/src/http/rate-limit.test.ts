import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DEFAULT_RATE_LIMIT, memoryRateLimiter } from './rate-limit.ts'

function setUp(limit: number, windowMs: number) {
  let nowMs = 1_700_000_000_000
  const limiter = memoryRateLimiter({ limit, windowMs }, { nowMs: () => nowMs })
  const take = (ip = '203.0.113.1') => {
    const decision = limiter.take(ip)
    if (decision instanceof Promise) throw new Error('the limiter of one process decides at once')
    return decision
  }
  return { take, wait: (ms: number) => (nowMs += ms) }
}

describe('memoryRateLimiter', () => {
  it('admits exactly 1,200 in a minute and says when the next window opens', () => {
    const { take, wait } = setUp(DEFAULT_RATE_LIMIT.limit, DEFAULT_RATE_LIMIT.windowMs)
    expect(take()).toEqual({ allowed: true, remaining: 1199, resetSec: 60 })
    wait(59_001)
    for (let i = 1; i < 1200; i++) expect(take().allowed).toBe(true)
    expect(take()).toEqual({ allowed: false, remaining: 0, resetSec: 1 })
    wait(998)
    expect(take().allowed).toBe(false)
    wait(1)
    expect(take()).toEqual({ allowed: true, remaining: 1199, resetSec: 60 })
  })

  it('counts each address for itself', () => {
    const { take } = setUp(1, 1000)
    expect(take('203.0.113.1').allowed).toBe(true)
    expect(take('203.0.113.1').allowed).toBe(false)
    expect(take('203.0.113.2').allowed).toBe(true)
  })

  it('opens a new window when the clock was set back', () => {
    const { take, wait } = setUp(1, 1000)
    take()
    wait(-3_600_000)
    expect(take()).toEqual({ allowed: true, remaining: 0, resetSec: 1 })
  })

  it('never refuses who keeps to the limit in every span of a window, whatever the gaps', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 200 }), (gaps) => {
        const limit = 5
        const { take, wait } = setUp(limit, 1000)
        const sent: number[] = []
        let now = 0
        for (const gap of gaps) {
          now += gap
          wait(gap)
          if (sent.filter((at) => at > now - 1000).length >= limit) continue
          sent.push(now)
          expect(take().allowed).toBe(true)
        }
      }),
    )
  })

  it('forgets ended windows and stays bounded under many addresses', () => {
    const { take, wait } = setUp(1, 1000)
    take('203.0.113.1')
    for (let i = 0; i < 100_000; i++) take(`2001:db8::${i.toString(16)}`)
    // The oldest window made room, all others still hold.
    expect(take('2001:db8::1869f').allowed).toBe(false)
    expect(take('203.0.113.1').allowed).toBe(true)
    wait(1000)
    expect(take('2001:db8::1869f').allowed).toBe(true)
  })
})
