/** Packs the arguments of the protocol's functions; bits count from the least significant one. Source: perp-protocol 1.2. */
import type { Hex } from 'viem'
import { PERP_EXPIRY } from '../perp-model/amm.ts'
import { EMPTY_TICK } from '../perp-model/tick.ts'

type Field = readonly [value: bigint | number, bits: number]

const MOST_CANCELLED = 8
const MOST_PLACED = 9

/** Fields from the least significant bit on; signed ones in two's complement. */
function pack(...fields: Field[]): Hex {
  let word = 0n
  let shift = 0n
  for (const [value, bits] of fields) {
    word |= BigInt.asUintN(bits, BigInt(value)) << shift
    shift += BigInt(bits)
  }
  return `0x${word.toString(16).padStart(64, '0')}`
}

/** The argument of `deposit` and `withdraw`. */
export function tokenWord(token: string, amountRaw: bigint): Hex {
  return pack([BigInt(token), 160], [amountRaw, 96])
}

/** The arguments of `trade` and `place`; the tick is the limit or the order's. */
export function tradeWords(
  tick: number,
  amount: bigint,
  size: bigint,
  deadline: number,
  expiry = PERP_EXPIRY,
): [Hex, Hex] {
  return [pack([expiry, 32], [tick, 24], [deadline, 32]), pack([amount, 128], [size, 128])]
}

type Limits = { readonly limitTickLower: number; readonly limitTickUpper: number; readonly deadline: number }

function limitsWord(expiry: number, { limitTickLower, limitTickUpper, deadline }: Limits): Hex {
  return pack([expiry, 32], [limitTickUpper, 24], [limitTickLower, 24], [deadline, 32])
}

export function addWords(
  param: Limits & { readonly amount: bigint; readonly tickDeltaLower: number; readonly tickDeltaUpper: number },
  expiry = PERP_EXPIRY,
): [Hex, Hex] {
  const { amount, tickDeltaLower, tickDeltaUpper } = param
  return [limitsWord(expiry, param), pack([amount, 128], [tickDeltaUpper, 24], [tickDeltaLower, 24])]
}

export function removeWords(
  param: Limits & { readonly target: string; readonly tickLower: number; readonly tickUpper: number },
  expiry = PERP_EXPIRY,
): [Hex, Hex] {
  const { target, tickLower, tickUpper } = param
  return [limitsWord(expiry, param), pack([BigInt(target), 160], [tickLower, 24], [tickUpper, 24])]
}

export function fillWord(target: string, tick: number, nonce: number, expiry = PERP_EXPIRY): Hex {
  return pack([expiry, 32], [BigInt(target), 160], [tick, 24], [nonce, 24])
}

/** Up to eight ticks. */
export function cancelWord(ticks: readonly number[], deadline: number, expiry = PERP_EXPIRY): Hex {
  const slots = Array.from({ length: MOST_CANCELLED }, (_, i): Field => [ticks[i] ?? EMPTY_TICK, 24])
  return pack([expiry, 32], ...slots, [deadline, 32])
}

export function batchPlaceWords(
  param: {
    readonly ticks: readonly number[]
    readonly ratios: readonly number[]
    readonly size: bigint
    readonly leverage: bigint
    readonly deadline: number
  },
  expiry = PERP_EXPIRY,
): [Hex, Hex, Hex] {
  const { ticks, ratios, size, leverage, deadline } = param
  const slots = Array.from({ length: MOST_PLACED }, (_, i): readonly Field[] => [
    [ratios[i] ?? 0, 16],
    [ticks[i] ?? EMPTY_TICK, 24],
  ])
  return [
    pack([expiry, 32], [deadline, 32], ...slots.slice(0, 3).flat()),
    pack(...slots.slice(3).flat()),
    pack([leverage, 128], [size, 128]),
  ]
}
