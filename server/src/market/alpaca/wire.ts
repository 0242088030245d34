import { parseJson } from '../../http/json.ts'
import { AppError } from '../../lib/errors.ts'
import { marketReasons } from '../reasons.ts'

/** A JSON object of the broker's; nothing is known of its fields until they are read. */
export type WireObject = Readonly<Record<string, unknown>>

/** What the broker said cannot be understood: nothing of it is used. */
export const invalid = (message: string, cause?: unknown): AppError =>
  new AppError(marketReasons.broker_answer_invalid, message, { cause })

/** Reads a message without passing any number through a float. Throws `broker_answer_invalid`. */
export function parseWire(bytes: Buffer): unknown {
  try {
    return parseJson(bytes)
  } catch (cause) {
    throw invalid('the broker sent what is no JSON', cause)
  }
}

export function asObject(value: unknown, what: string): WireObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as WireObject
  throw invalid(`${what} is no object`)
}

/** A list; the absence of one counts as empty where Go writes `null` for it. */
export function asList(value: unknown, what: string): readonly WireObject[] {
  if (value === null || value === undefined) return []
  if (!Array.isArray(value)) throw invalid(`${what} is no list`)
  return value.map((item) => asObject(item, what))
}

export function text(object: WireObject, field: string): string {
  const value = object[field]
  if (typeof value === 'string' && value !== '') return value
  throw invalid(`the field ${field} is missing`)
}

export const optionalText = (object: WireObject, field: string): string | null => {
  const value = object[field]
  return typeof value === 'string' && value !== '' ? value : null
}

const DECIMAL = /^(-?)(\d{1,40})(?:\.(\d{1,40}))?(?:[eE]([+-]?\d{1,2}))?$/

/**
 * A decimal, as a string or as a number's literal, as the exact integer `value × 10^decimals`. Throws
 * `broker_answer_invalid` for anything else and for digits beyond `decimals`: nothing is rounded.
 */
export function decimal(object: WireObject, field: string, decimals: number): bigint {
  const value = object[field]
  const literal = typeof value === 'number' ? String(value) : typeof value === 'string' ? value : ''
  const match = DECIMAL.exec(literal)
  if (!match) throw invalid(`the field ${field} is no decimal`)
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match
  const digits = BigInt(whole + fraction)
  const shift = decimals - fraction.length + Number(exponent)
  const unit = 10n ** BigInt(Math.abs(shift))
  if (shift < 0 && digits % unit !== 0n) throw invalid(`the field ${field} has more than ${decimals} decimals`)
  const scaled = shift < 0 ? digits / unit : digits * unit
  return sign === '-' ? -scaled : scaled
}

/** The same, null when the field is absent or null. */
export const optionalDecimal = (object: WireObject, field: string, decimals: number): bigint | null =>
  object[field] === null || object[field] === undefined || object[field] === ''
    ? null
    : decimal(object, field, decimals)

/** An RFC 3339 time as Unix ms; finer digits are cut off, so that it is never later than it was. */
export function time(object: WireObject, field: string): number {
  const value = text(object, field)
  const timeMs = Date.parse(value.replace(/(\.\d{3})\d+/, '$1'))
  if (Number.isNaN(timeMs) || !/T.*(Z|[+-]\d\d:\d\d)$/.test(value)) throw invalid(`the field ${field} is no time`)
  return timeMs
}

export const optionalTime = (object: WireObject, field: string): number | null =>
  optionalText(object, field) === null ? null : time(object, field)
