import { tagOf } from '../../chain/send/tags.ts'
import type { Hex } from '../../chain/types.ts'
import { abs, min } from '../../lib/bigints.ts'
import { SHORT, type Side } from '../actions/fields.ts'
import { requireReduction } from '../actions/reduce-only.ts'

// An order that the venue keeps: when it is due, and what it then trades.

export const KINDS = ['takeProfit', 'stopLoss'] as const
export type Kind = (typeof KINDS)[number]

/**
 * Where a kept order stands; everything but the first two is for good.
 *
 * - `open`: waits for the mark.
 * - `sent`: its trade is stored for the relayer.
 * - `done`: the trade is mined, and final.
 * - `failed`: the trade reverted on chain, or none could be sent.
 * - `cancelled`: by the wallet, by the order that it is linked with, or because the position was gone.
 * - `expired`: its time has passed.
 */
export const STATES = ['open', 'sent', 'done', 'failed', 'cancelled', 'expired'] as const
export type KeptState = (typeof STATES)[number]

/** What a wallet asks to be kept. */
export interface KeptTerms {
  /** The instrument's symbol. */
  readonly symbol: string
  readonly expiry: number
  readonly kind: Kind
  /** Side of the trade: a short sells and reduces a long, a long buys and reduces a short. */
  readonly side: Side
  readonly triggerWad: bigint
  /** Without sign; null for all of the position. */
  readonly sizeWad: bigint | null
  readonly slippageBps: number
  readonly expiresAtSec: number | null
}

/** An order that is kept. */
export interface KeptOrder extends KeptTerms {
  readonly keptId: string
  readonly linkId: string
  readonly user: Hex
  readonly apiKeyId: string
  readonly tries: number
  /** The newest block at which it was judged, when it was made or sent: no older one says anything about it. */
  readonly judgedBlock: bigint
}

/** What the chain keeps of an order's trade. */
export const keptTag = (keptId: string): Hex => tagOf('kept order', keptId)

/** Whether the mark has reached an order's price: a profit above it for who sells a long, a loss below; of a short the other way. */
export function isReached({ kind, side, triggerWad }: Pick<KeptTerms, 'kind' | 'side' | 'triggerWad'>, mark: bigint) {
  return risesTo(kind, side) ? mark >= triggerWad : mark <= triggerWad
}

/** Whether an order waits for the mark to rise to its price, not to fall to it. */
export const risesTo = (kind: Kind, side: Side): boolean => (kind === 'takeProfit') === (side === SHORT)

/** Whether there is anything of a position, signed base, that an order may reduce. */
export const mayReduce = ({ side }: Pick<KeptTerms, 'side'>, held: bigint): boolean =>
  held !== 0n && held > 0n === (side === SHORT)

/**
 * What an order trades of a position, signed base: no more than there is. Throws `position_missing` and
 * `reduce_only_would_increase` where there is nothing that it may reduce.
 */
export function reducedBy({ side, sizeWad }: Pick<KeptTerms, 'side' | 'sizeWad'>, held: bigint): bigint {
  const size = sizeWad === null ? abs(held) : min(sizeWad, abs(held))
  const traded = side === SHORT ? -size : size
  requireReduction(held, traded)
  return traded
}
