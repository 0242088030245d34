import { AppError, defineReasons } from './errors.ts'

export const decimalReasons = defineReasons({
  amount_invalid: {
    kind: 'invalid',
    retryable: false,
    doc: 'An amount is not a plain positive decimal number that fits the unit: it is zero, negative, in exponent form, has too many decimals or is too large. Amounts are never rounded; send the exact value.',
  },
})

/** How an amount field is read. */
export interface AmountRule {
  /** The field's name, for the message. */
  readonly field: string
  /** Decimals of the unit: the raw integer is `amount × 10^decimals`. */
  readonly decimals: number
  /** Largest raw integer the contract argument can hold. */
  readonly max: bigint
}

export const UINT96_MAX = (1n << 96n) - 1n
export const INT96_MAX = (1n << 95n) - 1n
/** Holds any token amount. */
export const UINT256_MAX = (1n << 256n) - 1n

const PLAIN_DECIMAL = /^(\d+)(?:\.(\d+))?$/
/** Longer texts cannot be an amount and are not worth a big-integer conversion. */
const MAX_LENGTH = 100

/**
 * Reads a human-unit amount into its exact raw integer. `value` is the JSON string, or the number literal's text, or a
 * safe integer. Throws `amount_invalid`; never rounds.
 */
export function parseAmount(value: string | number, rule: AmountRule): bigint {
  const text = typeof value === 'number' ? String(value) : value
  const raw = rawInteger(text, rule)
  if (raw === 0n) throw invalid(rule, `must be greater than zero, got ${text}`)
  if (raw > rule.max) throw invalid(rule, `must be at most ${formatUnits(rule.max, rule.decimals)}, got ${text}`)
  return raw
}

function rawInteger(text: string, rule: AmountRule): bigint {
  if (text.length > MAX_LENGTH) throw invalid(rule, `must be at most ${MAX_LENGTH} characters long`)
  if (/^-/.test(text)) throw invalid(rule, `must not be negative, got ${text}`)
  if (/^\d+(\.\d+)?[eE]/.test(text)) throw invalid(rule, `must not use an exponent, got ${text}: write all digits`)
  const match = PLAIN_DECIMAL.exec(text)
  if (!match) throw invalid(rule, `must be a plain decimal number such as 10.5, got ${JSON.stringify(text)}`)
  const [, whole = '', fraction = ''] = match
  if (fraction.length > rule.decimals) {
    throw invalid(rule, `must have at most ${rule.decimals} decimals, got ${fraction.length}: ${text}`)
  }
  return BigInt(whole + fraction.padEnd(rule.decimals, '0'))
}

function invalid(rule: AmountRule, problem: string): AppError {
  return new AppError(decimalReasons.amount_invalid, `${rule.field} ${problem}`, { detail: { field: rule.field } })
}

/** The exact decimal text of `raw / 10^decimals`, without trailing zeros: `formatUnits(1500000n, 6) === '1.5'`. */
export function formatUnits(raw: bigint, decimals: number): string {
  const negative = raw < 0n
  const digits = (negative ? -raw : raw).toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return `${negative ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`
}

declare const rawJson: unique symbol
/** A number literal that `JSON.stringify` prints as it stands, digit for digit. */
export interface JsonNumber {
  readonly [rawJson]: true
  readonly rawJSON: string
}

/** What is printed as a `T`: its numbers may be exact literals. */
export type Printed<T> = T extends number
  ? T | JsonNumber
  : T extends readonly (infer One)[]
    ? readonly Printed<One>[]
    : T extends object
      ? { readonly [Name in keyof T]: Printed<T[Name]> }
      : T

/** `raw / 10^decimals` as an exact JSON number literal (printed without passing through a JS float). */
export function jsonNumber(raw: bigint, decimals: number): JsonNumber {
  return (JSON as unknown as { rawJSON(text: string): JsonNumber }).rawJSON(formatUnits(raw, decimals))
}
