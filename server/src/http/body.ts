import type { IncomingHttpHeaders } from 'node:http'
import { AppError } from '../lib/errors.ts'
import { parseJson } from './json.ts'
import { httpReasons } from './reasons.ts'

const JSON_TYPE = /^application\/json[ \t]*(?:;[ \t]*charset=(?:utf-8|"utf-8")[ \t]*)?$/i

/**
 * The value of a request's body: `undefined` when there is none. Throws `request_invalid` for a body where the operation
 * takes none (an empty JSON object counts as none on POST, since many clients always send one), for another content
 * type or coding than plain JSON, and for everything `parseJson` refuses.
 */
export function readBody(
  method: string,
  takesBody: boolean,
  headers: IncomingHttpHeaders,
  contentType: string | undefined,
  raw: Buffer,
): unknown {
  if (raw.length === 0) return undefined
  if (!takesBody && method !== 'POST') throw invalid(`${method} takes no body here`)
  const coding = headers['content-encoding']
  if (coding !== undefined && coding !== 'identity') throw invalid(`content-encoding ${coding} is not accepted`)
  if (!JSON_TYPE.test(contentType ?? '')) throw invalid('content-type must be application/json')
  const body = parseJson(raw)
  if (takesBody) return body
  if (typeof body !== 'object' || body === null || Object.keys(body).length > 0 || Array.isArray(body)) {
    throw invalid('this operation takes no body')
  }
  return undefined
}

function invalid(message: string): AppError {
  return new AppError(httpReasons.request_invalid, message)
}
