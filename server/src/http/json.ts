import { isUtf8 } from 'node:buffer'
import { AppError } from '../lib/errors.ts'
import { httpReasons } from './reasons.ts'

/** Nesting limit of bodies: no operation needs more, and recursion stays shallow. */
const MAX_DEPTH = 16
/** An integer that a JS number and its text agree on, digit for digit. */
const PLAIN_INTEGER = /^(?:0|-?[1-9]\d{0,14})$/
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype'])

type SourceReviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown
const parseWithSource = JSON.parse as (text: string, reviver: SourceReviver) => unknown

/**
 * Reads a JSON body without losing anything of it: an integer of at most 15 digits becomes
 * a number, any other number becomes the text of its literal (`1.10` → `'1.10'`), so no value passes through a float.
 * Throws `request_invalid` for invalid UTF-8, a byte order mark, invalid JSON, a repeated or forbidden key, nesting deeper
 * than 16 levels, and text that no database can store (U+0000, unpaired surrogates).
 */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw invalid('the body is not valid UTF-8')
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    throw invalid('the body must not start with a byte order mark')
  }
  const text = bytes.toString('utf8')
  const value = parseSyntax(text, JSON.parse)
  return inspect(text) ? parseSyntax(text, withLiterals) : value
}

function parseSyntax(text: string, parse: (text: string) => unknown): unknown {
  try {
    return parse(text)
  } catch (cause) {
    throw invalid(`the body is not valid JSON: ${cause instanceof Error ? cause.message : 'it cannot be read'}`)
  }
}

const withLiterals = (text: string): unknown =>
  parseWithSource(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && !PLAIN_INTEGER.test(source) ? source : value,
  )

/** Walks text known to be valid JSON; true when it holds a number that only its literal says exactly. */
function inspect(text: string): boolean {
  const outer: (Set<string> | null)[] = []
  let keys: Set<string> | null = null
  let atKey = false
  let inexact = false
  let i = 0
  while (i < text.length) {
    const char = text.charCodeAt(i)
    if (char === QUOTE) {
      const end = endOfString(text, i)
      const content = readString(text, i, end)
      if (atKey && keys) addKey(keys, content)
      atKey = false
      i = end + 1
    } else if (char === MINUS || (char >= DIGIT_0 && char <= DIGIT_9)) {
      const end = endOfNumber(text, i)
      inexact ||= !PLAIN_INTEGER.test(text.slice(i, end))
      i = end
    } else {
      if (char === OPEN_BRACE || char === OPEN_BRACKET) {
        if (outer.push(keys) > MAX_DEPTH) throw invalid(`the body must not nest deeper than ${MAX_DEPTH} levels`)
        keys = char === OPEN_BRACE ? new Set() : null
        atKey = keys !== null
      } else if (char === CLOSE_BRACE || char === CLOSE_BRACKET) {
        keys = outer.pop() ?? null
        atKey = false
      } else if (char === COMMA) {
        atKey = keys !== null
      }
      i++
    }
  }
  return inexact
}

function addKey(keys: Set<string>, key: string): void {
  if (FORBIDDEN_KEYS.has(key)) throw invalid(`unknown field ${key}`)
  if (keys.has(key)) throw invalid(`field ${JSON.stringify(key)} is given twice`)
  keys.add(key)
}

/** Index of the quote that closes the string opened at `start`. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end
}

function isEscaped(text: string, index: number): boolean {
  let slashes = 0
  while (text.charCodeAt(index - 1 - slashes) === BACKSLASH) slashes++
  return slashes % 2 === 1
}

function readString(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end)
  if (!raw.includes('\\')) return raw
  const content = JSON.parse(text.slice(start, end + 1)) as string
  if (content.includes('\0')) throw invalid('text must not contain the character U+0000')
  if (!content.isWellFormed()) throw invalid('text must not contain an unpaired surrogate')
  return content
}

function endOfNumber(text: string, start: number): number {
  let end = start + 1
  while (end < text.length && NUMBER_CHARS.has(text.charCodeAt(end))) end++
  return end
}

function invalid(message: string): AppError {
  return new AppError(httpReasons.request_invalid, message)
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const MINUS = 0x2d
const DIGIT_0 = 0x30
const DIGIT_9 = 0x39
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const NUMBER_CHARS = new Set([...'0123456789+-.eE'].map((char) => char.charCodeAt(0)))
