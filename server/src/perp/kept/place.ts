import { boundUser } from '../../auth/bound-user.ts'
import type { Hex } from '../../chain/types.ts'
import { requireOneClick } from '../../delegation/submit.ts'
import { idempotent } from '../../http/idempotency.ts'
import type { RouteRequest } from '../../http/product.ts'
import { formatUnits, INT96_MAX, parseAmount } from '../../lib/decimal.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { WAD_DECIMALS } from '../../lib/wad.ts'
import { futureTime, listedInstrument, pairOf } from '../actions/action.ts'
import type { Side } from '../actions/fields.ts'
import { requireWithin } from '../actions/reduce-only.ts'
import type { PerpContext } from '../context.ts'
import type { PairState } from '../listing/pair.ts'
import { MAX_TICK, tickToPrice } from '../maths/tick.ts'
import { perpReasons } from '../reasons.ts'
import { perpOneClick } from '../sending/one-click.ts'
import { isReached, type KeptTerms, type Kind, reducedBy, risesTo } from './kept-order.ts'
import { findKept, insertKept, lockLiveCount } from './kept-store.ts'
import { type KeptOrderView, keptOrderView } from './kept-view.ts'

/** Kept orders of one wallet that are open or sent: each costs the keeper a look at every block. */
export const MOST_LIVE = 100

/** The body of a request that orders be kept. */
export interface KeptWish {
  readonly instrument: string
  readonly expiry: number
  readonly side: Side
  readonly size?: string | number
  readonly takeProfitPrice?: string | number
  readonly stopLossPrice?: string | number
  readonly slippageBps: number
  readonly expiresAt?: number
}

/**
 * Keeps a take-profit, a stop-loss, or both, of which the first to be sent cancels the other. The wallet has the position now, has
 * enabled One Click, and the mark has reached neither price. Throws `EVERY_ACTION`'s reasons, `delegation_not_enabled`,
 * `fields_not_together`, `position_missing`, `reduce_only_would_increase`, `size_above_position`, `kept_price_reached`,
 * `kept_orders_exhausted`, `idempotency_key_reused`; nothing is kept then.
 */
export async function placeKept(
  context: PerpContext,
  request: Pick<RouteRequest, 'caller' | 'idempotency'>,
  wish: KeptWish,
): Promise<readonly KeptOrderView[]> {
  const { venue, chainId } = context
  const { caller } = request
  const user = boundUser(caller)
  const { keptIds } = await idempotent(venue.sql, chainId, request, {
    prepare: () => checkedTerms(context, user, wish),
    async store(tx, terms) {
      const live = await lockLiveCount(tx, chainId, user)
      if (live + terms.length > MOST_LIVE) throw exhausted(live)
      const linkId = newId()
      const ids: string[] = []
      for (const one of terms) {
        const keptId = newId()
        await insertKept(tx, chainId, { ...one, keptId, linkId, user, apiKeyId: caller.keyId })
        ids.push(keptId)
      }
      return { keptIds: ids }
    },
  })
  const rows = await findKept(venue.sql, chainId, user, keptIds)
  return keptIds.flatMap((id) => rows.filter(({ keptId }) => keptId === id).map(keptOrderView))
}

function exhausted(live: number): AppError {
  const message = `the wallet has ${live} kept orders that are open or sent, and may have ${MOST_LIVE}: cancel some`
  return new AppError(perpReasons.kept_orders_exhausted, message)
}

/** Terms that hold at a block. */
interface CheckedTerms extends KeptTerms {
  readonly judgedBlock: bigint
}

async function checkedTerms(context: PerpContext, user: Hex, wish: KeptWish): Promise<readonly CheckedTerms[]> {
  const prices = pricesOf(wish)
  const { expiry, side, slippageBps, expiresAt } = wish
  const sizeWad = wish.size === undefined ? null : readBase(wish.size)
  const instrument = await listedInstrument(context, wish)
  await requireOneClick(perpOneClick(context), user)
  const pair = await pairOf(context, instrument, wish, user)
  requireHeld(pair, side, sizeWad)
  const expiresAtSec = expiresAt ? futureTime(pair.block, expiresAt, 'expiresAt', 'stands for never') : null
  const same = {
    symbol: instrument.symbol,
    expiry,
    side,
    sizeWad,
    slippageBps,
    expiresAtSec,
    judgedBlock: pair.block.height,
  }
  return prices.map(({ kind, field, triggerWad }) => {
    requireAhead({ kind, side, triggerWad }, pair.mark, field)
    return { ...same, kind, triggerWad }
  })
}

interface NamedPrice {
  readonly kind: Kind
  readonly field: string
  readonly triggerWad: bigint
}

function pricesOf({ takeProfitPrice, stopLossPrice }: KeptWish): readonly NamedPrice[] {
  const given = [
    { kind: 'takeProfit', field: 'takeProfitPrice', price: takeProfitPrice },
    { kind: 'stopLoss', field: 'stopLossPrice', price: stopLossPrice },
  ] as const
  const prices = given.flatMap(({ price, ...of }) =>
    price === undefined ? [] : [{ ...of, triggerWad: readTrigger(price, of.field) }],
  )
  if (prices.length > 0) return prices
  throw new AppError(perpReasons.fields_not_together, 'send takeProfitPrice, stopLossPrice, or both')
}

/** A price that the mark may reach. */
const readTrigger = (price: string | number, field: string): bigint =>
  parseAmount(price, { field, decimals: WAD_DECIMALS, max: tickToPrice(MAX_TICK) })

const readBase = (size: string | number): bigint =>
  parseAmount(size, { field: 'size', decimals: WAD_DECIMALS, max: INT96_MAX })

/** The wallet holds what the order would reduce, all of it. */
function requireHeld({ portfolio }: PairState, side: Side, sizeWad: bigint | null): void {
  const held = portfolio.position.size
  reducedBy({ side, sizeWad }, held)
  if (sizeWad !== null) requireWithin(held, sizeWad)
}

/** Throws `kept_price_reached`. */
function requireAhead(order: Pick<KeptTerms, 'kind' | 'side' | 'triggerWad'>, mark: bigint, field: string): void {
  if (!isReached(order, mark)) return
  const side = risesTo(order.kind, order.side) ? 'above' : 'below'
  const message = `${field} must be ${side} the mark price, which is ${formatUnits(mark, WAD_DECIMALS)}`
  throw new AppError(perpReasons.kept_price_reached, message, { detail: { field } })
}
