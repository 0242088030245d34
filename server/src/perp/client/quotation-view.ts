import Type from 'typebox'
import type { Quotation } from '../listing/pair.ts'
import { wad } from '../schemas.ts'

const sqrt = (description: string) => Type.String({ description: `${description}, 96 fractional bits.` })

/** A quotation (perp-api 8); `size` where it was not given. */
export const quotationSchema = Type.Object({
  size: Type.Optional(wad('Signed base')),
  benchmark: wad('Benchmark price'),
  sqrtFairPX96: sqrt('Square-root price before'),
  tick: Type.Integer({ description: 'Tick before.' }),
  mark: wad('Mark price'),
  entryNotional: wad('What the size costs or brings'),
  fee: wad('Fee of the trade'),
  minAmount: wad('Least margin'),
  sqrtPostFairPX96: sqrt('Square-root price afterwards'),
  postTick: Type.Integer({ description: 'Tick afterwards.' }),
})

export const quotationExample: Type.Static<typeof quotationSchema> = {
  benchmark: '60000000000000000000000',
  sqrtFairPX96: '19406884506143839521337125410012',
  tick: 110_020,
  mark: '60000000000000000000000',
  entryNotional: '600031000000000000000',
  fee: '420021700000000000',
  minAmount: '60453121700000000000',
  sqrtPostFairPX96: '19407386012874012345678901234567',
  postTick: 110_020,
}

export function quotationView(quotation: Quotation, size?: bigint): Type.Static<typeof quotationSchema> {
  const { benchmark, sqrtFairPX96, tick, mark, entryNotional, fee, minAmount, sqrtPostFairPX96, postTick } = quotation
  return {
    ...(size === undefined ? {} : { size: String(size) }),
    benchmark: String(benchmark),
    sqrtFairPX96: String(sqrtFairPX96),
    tick,
    mark: String(mark),
    entryNotional: String(entryNotional),
    fee: String(fee),
    minAmount: String(minAmount),
    sqrtPostFairPX96: String(sqrtPostFairPX96),
    postTick,
  }
}
