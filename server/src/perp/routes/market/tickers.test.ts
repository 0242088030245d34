import { expect, it } from 'vitest'
import type { RouteRequest } from '../../../http/product.ts'
import type { PerpContext } from '../../context.ts'
import { PERPETUAL_EXPIRY } from '../../listing/catalogue.ts'
import { getTickers } from './tickers.ts'

it('a symbol names the first of two instruments, also where only the second has such a pair', async () => {
  const [first, second] = ['1', '2'].map((digit) => ({ symbol: 'BTC/USDC', address: `0x${digit.repeat(40)}` }))
  const context = {
    instruments: () => ({ list: [first, second] }),
    summary: async () => ({ block: {}, pairs: [{ instrument: second, expiry: PERPETUAL_EXPIRY }] }),
    atNewest: (_key: string, read: () => unknown) => read(),
  } as unknown as PerpContext
  const request = { query: { symbol: 'BTC/USDC' } } as unknown as RouteRequest
  await expect(getTickers(context).handler(request)).rejects.toMatchObject({ reason: { name: 'pair_unknown' } })
})
