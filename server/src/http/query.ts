import type { TSchema } from 'typebox'
import { AppError } from '../lib/errors.ts'
import { remembered } from '../lib/remembered.ts'
import { httpReasons } from './reasons.ts'

const INTEGER = /^-?\d{1,15}$/

/** Queries of one operation that are remembered. */
const REMEMBERED = 100

export type Query = Readonly<Record<string, string | number>>

/**
 * What queries inherit from: nothing that a client's name could meet. An object made of null itself would do as well, but V8 keeps such
 * ones as hash tables, which are slow to read.
 */
const NOTHING_INHERITED = Object.freeze(Object.create(null))

/** Reads the queries of an operation; one that came before gives the same object. */
export const queryReader = (schema: TSchema | undefined): ((rawQuery: string) => Query) =>
  remembered((rawQuery) => Object.freeze(parseQuery(rawQuery, schema)), REMEMBERED)

/**
 * Reads a raw query string by its schema: a parameter that the schema calls an integer becomes a number when its text is
 * a plain integer, everything else stays text for the schema to judge. Throws `request_invalid` for a repeated name
 * and for a broken percent-encoding.
 */
export function parseQuery(rawQuery: string, schema: TSchema | undefined): Record<string, string | number> {
  const query: Record<string, string | number> = Object.create(NOTHING_INHERITED)
  if (rawQuery === '') return query
  const properties = propertiesOf(schema)
  for (const pair of rawQuery.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decode(equals < 0 ? pair : pair.slice(0, equals))
    const text = equals < 0 ? '' : decode(pair.slice(equals + 1))
    if (name in query) throw invalid(`query parameter ${JSON.stringify(name)} is given twice`)
    query[name] = properties[name]?.type === 'integer' && INTEGER.test(text) ? Number(text) : text
  }
  return query
}

function propertiesOf(schema: TSchema | undefined): Readonly<Record<string, { readonly type?: unknown }>> {
  return (schema as { properties?: Record<string, { type?: unknown }> } | undefined)?.properties ?? {}
}

function decode(text: string): string {
  let decoded: string
  try {
    decoded = decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw invalid(`the query holds a broken percent-encoding: ${text.slice(0, 60)}`)
  }
  if (decoded.includes('\0')) throw invalid('the query must not contain the character U+0000')
  return decoded
}

function invalid(message: string): AppError {
  return new AppError(httpReasons.request_invalid, message)
}
