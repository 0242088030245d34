import type { BlockInfo, Envelope } from '../http/product.ts'
import type { ErrorKind, Reason } from '../lib/errors.ts'

interface WireFailure {
  readonly httpStatus: number
  readonly code: number
}

/**
 * HTTP status and body code of each kind of failure (perp-api 1.7; statuses are the seed's six, 7B). 40004, what does not go together with
 * what stands, is the venue's own: 40003 is the chain's reverts alone.
 */
export const PERP_FAILURES: Readonly<Record<ErrorKind, WireFailure>> = {
  unauthenticated: { httpStatus: 401, code: 40101 },
  forbidden: { httpStatus: 403, code: 40301 },
  invalid: { httpStatus: 400, code: 40001 },
  not_found: { httpStatus: 400, code: 40401 },
  conflict: { httpStatus: 400, code: 40004 },
  key_reused: { httpStatus: 400, code: 42201 },
  upstream: { httpStatus: 500, code: 50001 },
  rate_limited: { httpStatus: 429, code: 42901 },
  unavailable: { httpStatus: 500, code: 50001 },
  internal: { httpStatus: 500, code: 50001 },
}

/** Reasons with a status or code of their own, by name; every other one has that of its kind. */
export const PERP_CODES: Readonly<Record<string, WireFailure>> = {
  instrument_unknown: { httpStatus: 400, code: 40002 },
  pair_unknown: { httpStatus: 400, code: 40002 },
  would_revert: { httpStatus: 400, code: 40003 },
  wallet_signature_invalid: { httpStatus: 401, code: 40102 },
  https_required: { httpStatus: 403, code: 40303 },
  delegation_not_enabled: { httpStatus: 403, code: 40302 },
}

export const wireOf = ({ name, kind }: Reason): WireFailure => PERP_CODES[name] ?? PERP_FAILURES[kind]

/** Nearly all answers in a row are of the same block, and a bigint is slow to write. */
let lastBlock: BlockInfo | null = null
let lastBlockText = ''

function blockInfo({ height, timestampSec }: BlockInfo): string {
  if (lastBlock?.height === height && lastBlock.timestampSec === timestampSec) return lastBlockText
  lastBlock = { height, timestampSec }
  lastBlockText = `,"blockInfo":{"height":${height},"timestamp":${timestampSec}}`
  return lastBlockText
}

/** `{code, msg, data, requestId}` and, where the payload comes from the chain, `blockInfo` (perp-api 1.2). */
export const perpEnvelope: Envelope = {
  success(requestId, _nowMs, block) {
    return ['{"code":0,"msg":"","data":', `,"requestId":"${requestId}"${block ? blockInfo(block) : ''}}`]
  },
  failure({ reason, message }, requestId) {
    const { httpStatus, code } = wireOf(reason)
    return { httpStatus, body: JSON.stringify({ code, msg: message, data: {}, requestId }) }
  },
}
