import Type from 'typebox'
import { amountSchema } from '../../http/schemas.ts'
import { decimalReasons, formatUnits } from '../../lib/decimal.ts'
import { AppError } from '../../lib/errors.ts'
import { WAD_DECIMALS } from '../../lib/wad.ts'
import { removeCall } from '../calldata/calls.ts'
import { rangeIdOf } from '../calldata/words.ts'
import { PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import type { PairState } from '../listing/pair.ts'
import { perpReasons } from '../reasons.ts'
import { chosenDeadline, defineAction, listedInstrument, NOTHING_FORETOLD, ofPair, pairOf } from './action.ts'
import { pairProperties, readQuoteAmount, slippageProperty, timingProperties } from './fields.ts'
import { alphaProperties, type Edges, edgeProperties, edgesOf, priceLimits, standOf } from './range-fields.ts'

type Range = PairState['portfolio']['ranges'][number]

/** The wallet's range between two ticks. Throws `range_not_found`. */
function rangeOf({ portfolio, instrument }: PairState, { tickLower, tickUpper }: Edges): Range {
  const nth = portfolio.rids.findIndex((rid) => BigInt(rid) === rangeIdOf(tickLower, tickUpper))
  const range = portfolio.ranges[nth]
  if (range) return range
  const message = `the wallet has no range from ${tickLower} to ${tickUpper} in ${instrument.symbol}; liquidity/list has the ticks of its ranges, and alphas count from the price of now`
  throw new AppError(perpReasons.range_not_found, message)
}

/** The contract takes no part of a range out. Throws `amount_invalid`. */
function requireWhole({ balance }: Range, amount: bigint | null): void {
  if (amount === null || amount === balance) return
  const [whole, got] = [formatUnits(balance, WAD_DECIMALS), formatUnits(amount, WAD_DECIMALS)]
  const message = `amount must be ${whole}, the whole balance of the range, or be left out: a range is removed whole; got ${got}`
  throw new AppError(decimalReasons.amount_invalid, message, { detail: { field: 'amount' } })
}

/** Takes a range out; what it held becomes position and margin (perp-api 2A.0). */
export const removeLiquidity = defineAction({
  summary: 'Removes a range of liquidity; what it held becomes a position',
  params: Type.Object({
    ...pairProperties,
    amount: Type.Optional(amountSchema('The range’s whole balance, if it is sent at all: a range is removed whole.')),
    ...edgeProperties,
    ...alphaProperties,
    ...slippageProperty,
    ...timingProperties,
  }),
  reasons: [perpReasons.fields_not_together, perpReasons.range_not_found],
  examples: {
    'remove liquidity': {
      instrument: 'BTC/USDC',
      expiry: PERPETUAL_EXPIRY,
      tickLower: 108_200,
      tickUpper: 111_900,
      slippageBps: 50,
    },
  },
  async prepare(context, user, params) {
    const instrument = await listedInstrument(context, params)
    const amount = params.amount === undefined ? null : readQuoteAmount(params.amount, instrument)
    const pair = await pairOf(context, instrument, params, user)
    const stand = standOf(pair)
    const edges = edgesOf(params, stand.tick)
    const { tickLower, tickUpper } = edges
    requireWhole(rangeOf(pair, edges), amount)
    const deadlineSec = chosenDeadline(pair.block, params.deadline)
    const limits = priceLimits(stand, params.slippageBps)
    const calls = [removeCall({ expiry: params.expiry, deadlineSec, limits, owner: user, tickLower, tickUpper })]
    return { ...ofPair(pair, params), calls, foretold: NOTHING_FORETOLD, orders: [], range: edges, absorbs: true }
  },
})
