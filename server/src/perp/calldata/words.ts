import type { Hex } from '../../chain/types.ts'
import { AppError } from '../../lib/errors.ts'
import { EMPTY_TICK } from '../maths/tick.ts'
import { perpReasons } from '../reasons.ts'

// The packed arguments of Gate and Instrument, bits counted from the least significant one (perp-protocol 1.2).

/** Ticks of one `cancel`. */
export const MOST_CANCELLED = 8
/** Orders of one `batchPlace`. */
export const MOST_PLACED = 9
const PLACED_IN_FIRST_WORD = 3

type Field = readonly [value: bigint | number, bits: number, kind?: 'signed']

/** Fields from the least significant bit on. Throws `value_out_of_range` for one that does not fit: nothing is cut off. */
function word(...fields: readonly Field[]): Hex {
  let packed = 0n
  let shift = 0n
  for (const [value, bits, kind] of fields) {
    const whole = BigInt(value)
    const fits = (kind === 'signed' ? BigInt.asIntN(bits, whole) : BigInt.asUintN(bits, whole)) === whole
    if (!fits) throw outOfRange(whole, bits)
    packed |= BigInt.asUintN(bits, whole) << shift
    shift += BigInt(bits)
  }
  return `0x${packed.toString(16).padStart(64, '0')}`
}

function outOfRange(value: bigint, bits: number): AppError {
  const message = `the request comes to a value that the contract cannot take: ${value} does not fit ${bits} bits`
  return new AppError(perpReasons.value_out_of_range, message)
}

const signed = (value: bigint | number, bits: number): Field => [value, bits, 'signed']

/** `deposit` and `withdraw`; the amount in the token's own units. */
export const tokenWord = (token: Hex, amountRaw: bigint): Hex => word([BigInt(token), 160], [amountRaw, 96])

export interface PairTime {
  readonly expiry: number
  /** Unix seconds; 0 for none. */
  readonly deadlineSec: number
}

export interface TradeTerms extends PairTime {
  /** Limit of a trade's average price, or the order's price. */
  readonly tick: number
  readonly amount: bigint
  readonly size: bigint
}

/** `trade` and `place`. */
export const tradeWords = ({ expiry, deadlineSec, tick, amount, size }: TradeTerms): [Hex, Hex] => [
  word([expiry, 32], signed(tick, 24), [deadlineSec, 32]),
  word(signed(amount, 128), signed(size, 128)),
]

/** The signed base of a trade or an order, out of its words. */
export const tradeSizeOf = ([, second]: readonly [Hex, Hex]): bigint => BigInt.asIntN(128, BigInt(second) >> 128n)

export interface PriceLimits {
  readonly lower: number
  readonly upper: number
}

const limitsWord = ({ expiry, deadlineSec }: PairTime, { lower, upper }: PriceLimits): Hex =>
  word([expiry, 32], signed(upper, 24), signed(lower, 24), [deadlineSec, 32])

export interface AddTerms extends PairTime {
  readonly limits: PriceLimits
  readonly amount: bigint
  readonly deltaLower: number
  readonly deltaUpper: number
}

export const addWords = (terms: AddTerms): [Hex, Hex] => [
  limitsWord(terms, terms.limits),
  word(signed(terms.amount, 128), [terms.deltaUpper, 24], [terms.deltaLower, 24]),
]

export interface RemoveTerms extends PairTime {
  readonly limits: PriceLimits
  readonly owner: Hex
  readonly tickLower: number
  readonly tickUpper: number
}

export const removeWords = (terms: RemoveTerms): [Hex, Hex] => [
  limitsWord(terms, terms.limits),
  word([BigInt(terms.owner), 160], signed(terms.tickLower, 24), signed(terms.tickUpper, 24)),
]

export interface OrderKey {
  readonly tick: number
  readonly nonce: number
}

export const fillWord = (expiry: number, owner: Hex, { tick, nonce }: OrderKey): Hex =>
  word([expiry, 32], [BigInt(owner), 160], signed(tick, 24), [nonce, 24])

/** One to eight ticks. */
export function cancelWord({ expiry, deadlineSec }: PairTime, ticks: readonly number[]): Hex {
  if (ticks.length > MOST_CANCELLED) throw new RangeError(`${ticks.length} ticks do not fit one word`)
  const slots = Array.from({ length: MOST_CANCELLED }, (_, index) => signed(ticks[index] ?? EMPTY_TICK, 24))
  return word([expiry, 32], ...slots, [deadlineSec, 32])
}

export interface BatchTerms extends PairTime {
  readonly size: bigint
  readonly leverage: bigint
  readonly orders: readonly { readonly tick: number; readonly ratio: number }[]
}

/** Two to nine orders; ratios are basis points of the size. */
export function batchWords({ expiry, deadlineSec, size, leverage, orders }: BatchTerms): [Hex, Hex, Hex] {
  if (orders.length > MOST_PLACED) throw new RangeError(`${orders.length} orders do not fit`)
  const slots = Array.from({ length: MOST_PLACED }, (_, index): Field[] => {
    const { tick, ratio } = orders[index] ?? { tick: EMPTY_TICK, ratio: 0 }
    return [[ratio, 16], signed(tick, 24)]
  })
  return [
    word([expiry, 32], [deadlineSec, 32], ...slots.slice(0, PLACED_IN_FIRST_WORD).flat()),
    word(...slots.slice(PLACED_IN_FIRST_WORD).flat()),
    word([leverage, 128], signed(size, 128)),
  ]
}

const ID_BITS = 24n

/** What an order's `oid` packs (perp-protocol 2.6). */
export const orderKeyOf = (oid: bigint): OrderKey => ({
  tick: Number(BigInt.asIntN(24, oid >> ID_BITS)),
  nonce: Number(BigInt.asUintN(24, oid)),
})

/** `rid` of a range. */
export const rangeIdOf = (tickLower: number, tickUpper: number): bigint =>
  (BigInt.asUintN(24, BigInt(tickLower)) << ID_BITS) | BigInt.asUintN(24, BigInt(tickUpper))
