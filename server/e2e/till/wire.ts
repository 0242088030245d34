import { authReasons } from '../../src/auth/reasons.ts'
import type { Envelope } from '../../src/http/product.ts'
import { httpReasons } from '../../src/http/reasons.ts'
import type { ProductReference } from '../../src/http/reference.ts'

const BAD = { httpStatus: 400, code: 40001 }
const FAILURES: ProductReference['failures'] = {
  unauthenticated: { httpStatus: 401, code: 40101 },
  forbidden: { httpStatus: 403, code: 40301 },
  invalid: BAD,
  not_found: BAD,
  conflict: BAD,
  key_reused: BAD,
  upstream: BAD,
  rate_limited: { httpStatus: 429, code: 42901 },
  unavailable: { httpStatus: 500, code: 50001 },
  internal: { httpStatus: 500, code: 50001 },
}

export const tillEnvelope: Envelope = {
  success(requestId, _nowMs, block) {
    const blockInfo = block ? `,"blockInfo":{"height":${block.height},"timestamp":${block.timestampSec}}` : ''
    return ['{"code":0,"msg":"","data":', `,"requestId":"${requestId}"${blockInfo}}`]
  },
  failure({ reason, message }, requestId) {
    const { httpStatus, code } = FAILURES[reason.kind]
    return { httpStatus, body: JSON.stringify({ code, msg: message, data: {}, requestId }) }
  },
}

export const tillReference: ProductReference = {
  title: 'Till',
  description: 'What the till has been paid.',
  headers: ['x-till-key', 'x-till-time', 'x-till-sign'].map((name) => ({ name, description: name })),
  success: (data) => ({ type: 'object', required: ['code', 'data'], properties: { code: { const: 0 }, data } }),
  failure: (codes) => ({ type: 'object', required: ['code'], properties: { code: { enum: codes } } }),
  failures: FAILURES,
  schemas: {},
  groups: [],
  keyReasons: { READ_ONLY: [], WRITABLE: [] },
  reasons: [authReasons.unauthenticated, httpReasons.request_invalid, httpReasons.rate_limited],
  toldWhen: [],
  messages: {},
  fields: {},
}
