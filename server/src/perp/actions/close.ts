import Type from 'typebox'
import type { Hex } from '../../chain/types.ts'
import { amountSchema } from '../../http/schemas.ts'
import { parseAmount } from '../../lib/decimal.ts'
import { AppError } from '../../lib/errors.ts'
import { WAD, WAD_DECIMALS } from '../../lib/wad.ts'
import { tradeCall } from '../calldata/calls.ts'
import type { PerpContext } from '../context.ts'
import { PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import type { PairState } from '../listing/pair.ts'
import { perpReasons } from '../reasons.ts'
import {
  chosenDeadline,
  chosenGas,
  defineAction,
  listedInstrument,
  ofPair,
  type Prepared,
  pairOf,
  withQuotation,
} from './action.ts'
import { pairProperties, slippageProperty, timingProperties } from './fields.ts'
import { requireWithin } from './reduce-only.ts'
import { foretoldTrade, limitTick, opened, tradeTerms } from './trade-terms.ts'

/** Ends a position, or a part of it (perp-api 2A.6). */
export const close = defineAction({
  summary: 'Closes a position, or a part of it',
  params: Type.Object({
    ...pairProperties,
    ...slippageProperty,
    size: Type.Optional(amountSchema('Base, in human units; all of it when left out.')),
    ...timingProperties,
  }),
  reasons: [perpReasons.position_missing, perpReasons.size_above_position, perpReasons.reduction_under_way],
  examples: { close: { instrument: 'BTC/USDC', expiry: PERPETUAL_EXPIRY, slippageBps: 50 } },
  async prepare(context, user, params) {
    const instrument = await listedInstrument(context, params)
    const { slippageBps } = params
    const read = await pairOf(context, instrument, params, user)
    const size = sizeOf(read.portfolio.position.size, params.size)
    const deadlineSec = chosenDeadline(read.block, params.deadline)
    return {
      ...(await reducing(context, user, read, { size, slippageBps, deadlineSec })),
      gasLimit: chosenGas(params.gasLimit),
    }
  },
})

/** A trade that takes something off a position. */
export interface Reduction {
  /** Signed base, at most the position and against it. */
  readonly size: bigint
  readonly slippageBps: number
  readonly deadlineSec: number
}

/** A trade that reduces the position of a pair, ready to be sent. Throws `would_revert`, `perp_chain_unreachable`. */
export async function reducing(
  context: Pick<PerpContext, 'venue'>,
  user: Hex,
  read: PairState,
  { size, slippageBps, deadlineSec }: Reduction,
): Promise<Prepared> {
  const pair = await withQuotation(context, read, size)
  const { tick, amount, foretold } = termsOf(pair, size, slippageBps)
  const calls = [tradeCall(user, { expiry: pair.expiry, deadlineSec, tick, amount, size })]
  return { ...ofPair(pair, {}), calls, foretold, orders: [], trades: size, reduces: true }
}

/** What is traded against a position. Throws `position_missing`, `size_above_position`, `amount_invalid`. */
function sizeOf(held: bigint, wanted: string | number | undefined): bigint {
  if (held === 0n) throw new AppError(perpReasons.position_missing, 'the wallet has no position in this pair')
  if (wanted === undefined) return -held
  const size = parseAmount(wanted, { field: 'size', decimals: WAD_DECIMALS, max: 1n << 95n })
  requireWithin(held, size)
  return held > 0n ? -size : size
}

/** A whole close brings in what is owed, if anything; of a part the margin stays with the rest. */
function termsOf(pair: PairState, size: bigint, slippageBps: number) {
  if (size === -pair.portfolio.position.size) return tradeTerms(pair, { size, leverage: WAD, slippageBps })
  const { quotation } = opened(pair)
  const foretold = foretoldTrade(quotation, size, 0n)
  return { tick: limitTick(foretold.price ?? 0n, size, slippageBps), amount: 0n, foretold }
}
