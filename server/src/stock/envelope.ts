import type { Envelope } from '../http/product.ts'
import type { AppError, ErrorKind } from '../lib/errors.ts'

interface WireFailure {
  readonly httpStatus: number
  readonly code: number
}

/**
 * HTTP status and wire code of each kind of failure. A client judges by `code`. Authentication
 * failures are HTTP 400 with code 401 (seed 7A); the meanings of 10000 to 10003 are this venue's (stock-api 1.3).
 */
export const STOCK_FAILURES: Readonly<Record<ErrorKind, WireFailure>> = {
  unauthenticated: { httpStatus: 400, code: 401 },
  invalid: { httpStatus: 400, code: 10000 },
  not_found: { httpStatus: 400, code: 10001 },
  forbidden: { httpStatus: 400, code: 10002 },
  conflict: { httpStatus: 400, code: 10002 },
  key_reused: { httpStatus: 422, code: 10002 },
  upstream: { httpStatus: 400, code: 10003 },
  rate_limited: { httpStatus: 429, code: 429 },
  unavailable: { httpStatus: 503, code: 500 },
  internal: { httpStatus: 500, code: 500 },
}

/** `{code, errMsg, data, uuid, t}` (stock-api 1.2): `uuid` is the request id, `t` the wall clock in milliseconds. */
export const stockEnvelope: Envelope = {
  success: (requestId, nowMs) => ['{"code":200,"errMsg":"","data":', `,"uuid":"${requestId}","t":${nowMs}}`],
  failure(error, requestId, nowMs) {
    const { httpStatus, code } = STOCK_FAILURES[error.reason.kind]
    const body = { code, errMsg: error.message, data: detailOf(error), uuid: requestId, t: nowMs }
    return { httpStatus, body: JSON.stringify(body, bigintAsText) }
  },
}

/** Machine-readable detail of a failure, such as the field; null when there is none. */
function detailOf(error: AppError): AppError['detail'] | null {
  return Object.keys(error.detail).length === 0 ? null : error.detail
}

const bigintAsText = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? value.toString() : value)
