import Type from 'typebox'
import { abs, max, min } from '../../lib/bigints.ts'
import { tradeCall } from '../calldata/calls.ts'
import { PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import type { PairState } from '../listing/pair.ts'
import { equityOf, marginAtRatio } from '../maths/position.ts'
import { divWad, movedBy, mulWad } from '../maths/wad.ts'
import { perpReasons } from '../reasons.ts'
import { chosenDeadline, defineAction, listedInstrument, NOTHING_FORETOLD, ofPair, pairOf } from './action.ts'
import { leverageProperty, pairProperties, readLeverage, timingProperties } from './fields.ts'
import { openPositionOf } from './open-position.ts'
import { DEFAULT_SLIPPAGE_BPS } from './trade-terms.ts'

/** Brings a position to a leverage by moving margin (perp-api 2A.0). */
export const adjust = defineAction({
  summary: 'Brings a position to a leverage by moving margin in or out',
  params: Type.Object({ ...pairProperties, ...leverageProperty, ...timingProperties }),
  reasons: [perpReasons.leverage_too_high, perpReasons.position_missing],
  examples: { adjust: { instrument: 'BTC/USDC', expiry: PERPETUAL_EXPIRY, leverage: '3' } },
  async prepare(context, user, params) {
    const instrument = await listedInstrument(context, params)
    const leverage = readLeverage(params.leverage, instrument)
    const pair = await pairOf(context, instrument, params, user)
    const amount = amountTo(pair, leverage)
    const deadlineSec = chosenDeadline(pair.block, params.deadline)
    const calls = [tradeCall(user, { expiry: params.expiry, deadlineSec, tick: 0, amount, size: 0n })]
    return { ...ofPair(pair, params), calls, foretold: { ...NOTHING_FORETOLD, amount }, orders: [] }
  },
})

/**
 * Margin that brings the position to a leverage. What leaves leaves the initial margin with the slippage on top, so that the
 * contract still takes it once the price has moved.
 */
function amountTo(pair: PairState, leverage: bigint): bigint {
  const { amm, position } = openPositionOf(pair)
  const { mark, instrument } = pair
  const equity = equityOf(amm, position, mark)
  const wanted = divWad(mulWad(mark, abs(position.size)), leverage) - equity
  if (wanted >= 0n) return wanted
  const least = movedBy(marginAtRatio(position, mark, instrument.initialMarginRatio), DEFAULT_SLIPPAGE_BPS)
  return min(0n, max(wanted, least - equity))
}
