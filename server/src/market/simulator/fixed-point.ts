import { WAD } from '../../lib/wad.ts'

/** Working scale of `expWad`: eighteen digits more than its result. */
const SCALE = 10n ** 36n
const HALVINGS = 8n

/** Largest integer whose square is at most `value`. `value` must not be negative. */
export function integerSquareRoot(value: bigint): bigint {
  if (value < 2n) return value
  let guess = 1n << BigInt((value.toString(2).length + 1) >> 1)
  for (;;) {
    const next = (guess + value / guess) >> 1n
    if (next >= guess) return guess
    guess = next
  }
}

/**
 * e to the power `exponentWad / 10^18`, with 18 decimals, in integers only: the same digits on every machine. Good to the
 * last digits for exponents between −40 and 40.
 */
export function expWad(exponentWad: bigint): bigint {
  const reduced = (exponentWad * (SCALE / WAD)) >> HALVINGS
  let term = SCALE
  let sum = SCALE
  for (let n = 1n; term !== 0n; n += 1n) {
    term = (term * reduced) / (SCALE * n)
    sum += term
  }
  for (let i = 0n; i < HALVINGS; i += 1n) sum = (sum * sum) / SCALE
  return sum / (SCALE / WAD)
}
