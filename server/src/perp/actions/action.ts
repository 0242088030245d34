import type { Static, TSchema } from 'typebox'
import type { Hex } from '../../chain/types.ts'
import type { Spending } from '../../delegation/submit.ts'
import { AppError, type Reason } from '../../lib/errors.ts'
import type { Call } from '../calldata/calls.ts'
import type { PerpContext } from '../context.ts'
import { type ListedInstrument, namedInstrument } from '../listing/catalogue.ts'
import { type NamedBlock, PairRefused, type PairState, quoteSize, readPair } from '../listing/pair.ts'
import { perpReasons } from '../reasons.ts'
import { wouldRevert } from '../reverts/perp-reverts.ts'

/** What is known of a trade or an order before it runs; WAD. Fields that an action does not have are null. */
export interface Foretold {
  /** Signed base. */
  readonly size: bigint | null
  /** Average price of a trade, price of an order. */
  readonly price: bigint | null
  readonly notional: bigint | null
  /** What a taker pays. */
  readonly fee: bigint | null
  /** Fair price after over fair price before, less one. */
  readonly priceImpact: bigint | null
  /** Margin that the transaction brings in; negative where it takes out. */
  readonly amount: bigint | null
}

export const NOTHING_FORETOLD: Foretold = {
  size: null,
  price: null,
  notional: null,
  fee: null,
  priceImpact: null,
  amount: null,
}

/** An order that an action places, cancels or fills, with what its own part of the transaction is. */
export interface OrderOfAction {
  readonly oid: bigint | null
  readonly tick: number
  readonly price: bigint
  readonly size: bigint
  /** Margin of an order that is placed; null of others. */
  readonly margin: bigint | null
}

/** What is told of an order that a request names: whether the transaction is about it. */
export interface NamedOrder {
  readonly oid: string | null
  readonly orderId: string | null
  readonly status: 'sent' | 'not_open'
}

/** What an action does, ready to be run, built or sent. */
export interface Prepared {
  /** The contract that all calls are of: an instrument, or Gate. */
  readonly to: Hex
  readonly calls: readonly Call[]
  readonly block: NamedBlock
  /** Null for what is about Gate alone. */
  readonly pair: PairState | null
  readonly foretold: Foretold
  readonly orders: readonly OrderOfAction[]
  /** Each of several orders, with what is reported for it. */
  readonly named?: readonly NamedOrder[]
  /** The range that it adds or removes. */
  readonly range?: { readonly tickLower: number; readonly tickUpper: number }
  /** Signed base that it trades at once; none where it does not trade. */
  readonly trades?: bigint
  /** Whether it may turn what was taken of orders, or a range, into a position. */
  readonly absorbs?: boolean
  /** Whether it may do no more than reduce the position that `pair` shows. */
  readonly reduces?: boolean
  /** Wallet tokens that it takes in any case; null where the reserve comes first. */
  readonly spending: Spending | null
  /** As the request gives it; null to have it estimated. */
  readonly gasLimit: bigint | null
}

/** One kind of action: the body of its call, and what it comes to on chain. */
export interface Action<Params extends TSchema = TSchema> {
  readonly summary: string
  readonly params: Params
  /** Why `prepare` may fail, beyond `ACTION_REASONS`. */
  readonly reasons: readonly Reason[]
  readonly examples: Readonly<Record<string, Static<Params>>>
  prepare(context: PerpContext, user: Hex, params: Static<Params>): Promise<Prepared>
}

/** Checks an action against its own schema, then forgets its type so that actions fit in one table. */
export const defineAction = <Params extends TSchema>(action: Action<Params>): Action<Params> => action

/** The fields by which a body names its pair. */
export interface PairFields {
  readonly instrument: string
  readonly expiry: number
}

/** The listed instrument of a body. Throws `instrument_unknown`, `perp_chain_unreachable`. */
export const listedInstrument = async (
  { instruments }: Pick<PerpContext, 'instruments'>,
  { instrument }: Pick<PairFields, 'instrument'>,
): Promise<ListedInstrument> => namedInstrument(await instruments(), instrument)

/** The pair as it is now, with the user's account. Throws `would_revert` where it takes no action, `perp_chain_unreachable`. */
export const pairOf = (
  { venue }: Pick<PerpContext, 'venue'>,
  instrument: ListedInstrument,
  { expiry }: Pick<PairFields, 'expiry'>,
  user: Hex,
  size?: bigint,
): Promise<PairState> => named(readPair(venue, instrument, expiry, user, size))

/** The pair with the quotation of a size. Throws as `pairOf`. */
export const withQuotation = async (
  { venue }: Pick<PerpContext, 'venue'>,
  pair: PairState,
  size: bigint,
): Promise<PairState> => ({
  ...pair,
  quotation: await named(quoteSize(venue, pair, size)),
})

/** A read of a pair whose revert is told by its name. */
export const named = <T>(reading: Promise<T>): Promise<T> =>
  reading.catch((error: unknown) => {
    throw error instanceof PairRefused ? wouldRevert(error.data) : error
  })

/** Fields shared by all actions on one instrument. */
export const ofPair = (pair: PairState, { gasLimit }: { readonly gasLimit?: number }) => ({
  to: pair.instrument.address,
  block: pair.block,
  pair,
  spending: null,
  gasLimit: chosenGas(gasLimit),
})

/** 0 leaves the choice to the venue. */
export const chosenGas = (gasLimit: number | undefined): bigint | null => (gasLimit ? BigInt(gasLimit) : null)

const UINT32_MAX = 4_294_967_295n
/** Deadline when a request names none; the published client's. */
const DEFAULT_DEADLINE_SEC = 600n

/** A deadline that can be met; 0 and none leave the choice to the venue. Throws `deadline_passed`. */
export function chosenDeadline({ timestampSec }: NamedBlock, deadline: number | undefined): number {
  if (!deadline) {
    const latest = timestampSec + DEFAULT_DEADLINE_SEC
    return Number(latest < UINT32_MAX ? latest : UINT32_MAX)
  }
  return futureTime({ timestampSec }, deadline, 'deadline', 'leaves it to the venue')
}

/** A time of a body that is still to come; `zero` says what its 0 does. Throws `deadline_passed`. */
export function futureTime(
  { timestampSec }: Pick<NamedBlock, 'timestampSec'>,
  timeSec: number,
  field: string,
  zero: string,
): number {
  if (BigInt(timeSec) > timestampSec) return timeSec
  const message = `${field} must be in the future, after ${timestampSec} (Unix seconds), got ${timeSec}; 0 ${zero}`
  throw new AppError(perpReasons.deadline_passed, message, { detail: { field } })
}
