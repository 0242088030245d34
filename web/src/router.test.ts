import { afterAll, describe, expect, it, vi } from 'vitest'

vi.stubGlobal('location', { hash: '' })
vi.stubGlobal('addEventListener', () => {})
const { matchPath } = await import('./router.ts')
afterAll(() => vi.unstubAllGlobals())

describe('matchPath', () => {
  it('takes the parameters from the path', () => {
    expect(matchPath('/trade/:symbol', '/trade/BRK%2FB')).toEqual({ symbol: 'BRK/B' })
  })

  it('matches whole paths only', () => {
    expect(matchPath('/trade/:symbol', '/trade')).toBeNull()
    expect(matchPath('/orders', '/orders/1')).toBeNull()
    expect(matchPath('/orders', '/orders')).toEqual({})
  })

  it('takes no parameter that is not written as an address has it', () => {
    expect(matchPath('/trade/:symbol', '/trade/%')).toBeNull()
    expect(matchPath('/trade/:symbol', '/trade/%E0%A4%A')).toBeNull()
  })
})
