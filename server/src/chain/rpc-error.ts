import { AppError, defineReasons, type Reason } from '../lib/errors.ts'

export const rpcReasons = defineReasons({
  rpc_unreachable: {
    kind: 'upstream',
    retryable: true,
    doc: 'No connection to the chain node could be made, so the request was certainly not received.',
  },
  rpc_interrupted: {
    kind: 'upstream',
    retryable: true,
    doc: 'The connection to the chain node broke before its answer was complete. Whether it received the request is unknown.',
  },
  rpc_timeout: {
    kind: 'upstream',
    retryable: true,
    doc: 'The chain node did not answer in time. Whether it acted on the request is unknown.',
  },
  rpc_http_status: {
    kind: 'upstream',
    retryable: true,
    doc: 'The chain node, or a proxy before it, answered with an HTTP error instead of JSON-RPC.',
  },
  rpc_malformed: {
    kind: 'upstream',
    retryable: true,
    doc: 'The answer of the chain node is not valid JSON-RPC. Whether it acted on the request is unknown.',
  },
  rpc_too_large: {
    kind: 'upstream',
    retryable: false,
    doc: 'The answer of the chain node is longer than the venue reads of it.',
  },
  rpc_error: {
    kind: 'upstream',
    retryable: false,
    doc: 'The chain node answered with an error object; its code, message and data travel in the detail.',
  },
})

/** How a JSON-RPC call failed; `rpc_error` alone means that the node itself said no. */
export type RpcFailure = keyof typeof rpcReasons

/** The error object of JSON-RPC 2.0, section 5.1. `data` is as the node sent it (revert data is a hex text there), but for its length. */
export interface RpcErrorObject {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** A contract may revert with megabytes, which rows, answers and logs would keep: so many bytes of it are kept. No error of ours is as long. */
const MOST_REVERT_BYTES = 4096

/** So much of a text in which there may be what a contract reverts with. */
export const keptText = (text: string): string => text.slice(0, 2 + 2 * MOST_REVERT_BYTES)

/** So much of a node's error object. */
export const keptError = ({ code, message, data }: RpcErrorObject): RpcErrorObject => ({
  code: Number(code),
  message: keptText(String(message)),
  ...(data !== undefined && { data: keptData(data) }),
})

/** Nodes carry revert data as a text, or in an object around one. */
function keptData(data: unknown): unknown {
  if (typeof data === 'string') return keptText(data)
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return data
  const entries = Object.entries(data)
  return Object.fromEntries(entries.map(([name, value]) => [name, typeof value === 'string' ? keptText(value) : value]))
}

/** A failed JSON-RPC call. Messages hold the node's host but never its path, which may contain an access key. */
export class RpcError extends AppError {
  readonly failure: RpcFailure
  readonly method: string
  /** HTTP status, when the failure is `rpc_http_status`. */
  readonly httpStatus: number | null
  /** The node's own error object, when the failure is `rpc_error`. */
  readonly rpc: RpcErrorObject | null

  constructor(
    failure: RpcFailure,
    method: string,
    message: string,
    options: { cause?: unknown; httpStatus?: number; rpc?: RpcErrorObject } = {},
  ) {
    const reason: Reason = rpcReasons[failure]
    const { rpc } = options
    super(reason, `${method}: ${message}`, {
      cause: options.cause,
      detail: { method, ...(rpc && { code: rpc.code, message: rpc.message, data: rpc.data ?? null }) },
    })
    this.name = 'RpcError'
    this.failure = failure
    this.method = method
    this.httpStatus = options.httpStatus ?? null
    this.rpc = rpc ?? null
  }
}

/** Wordings by which nodes and providers refuse a query for its size; their codes are shared with other refusals. */
const TOO_LARGE_MESSAGES = [
  /returned more than \d+ results/i, // Erigon, Infura
  /(exceeds?|exceeded|maximum|max(imum)?|limited to|up to|too (large|wide|big|many|long)).{0,60}\brange/i, // most providers
  /\brange.{0,60}(exceeds?|exceeded|too (large|wide|big|many|long)|limited|is greater than)/i,
  /(block|query|eth_getlogs).{0,40}(limited to|exceeds? (the )?(max|limit)|up to a?).{0,30}\bblocks?/i, // Alchemy, QuickNode
  /(response|result|log|payload|batch|request entity|body).{0,40}(too (large|big|many)|size exceed|exceeds? .{0,20}(limit|size))/i, // geth
  /too many (results|logs|blocks|requests in batch)/i,
  /maximum number of (logs|results|blocks)/i,
]

/** A node that gave up on a wide query, or is busy. */
const TOO_SLOW_MESSAGE = /(query|request|execution) (timeout|timed out)( exceeded)?/i

const HTTP_PAYLOAD_TOO_LARGE = 413

/** True when a smaller block range or a smaller batch of the same read may succeed. */
export const isTooLarge = (error: unknown): boolean =>
  isAnswerTooLarge(error) || (error instanceof RpcError && TOO_SLOW_MESSAGE.test(error.rpc?.message ?? ''))

/** True when it is for its size alone that a read is refused: where it cannot be made smaller it fails whenever it is repeated. */
export function isAnswerTooLarge(error: unknown): boolean {
  if (!(error instanceof RpcError)) return false
  if (error.failure === 'rpc_too_large' || error.httpStatus === HTTP_PAYLOAD_TOO_LARGE) return true
  const message = error.rpc?.message
  return message !== undefined && TOO_LARGE_MESSAGES.some((pattern) => pattern.test(message))
}

/** Wordings by which nodes refuse a block that they do not have, or not yet. */
const BLOCK_MISSING_MESSAGES = [
  /\b(block|header)\b.{0,90}\b(not found|unknown|not available|missing)\b/i, // geth, Erigon, Nethermind, Reth
  /\b(unknown|missing) (block|header)\b/i, // Besu, providers
  /block ?out ?of ?range/i, // anvil
]

/** True when the node said that it does not have the block that it was asked about; another one, or a moment later, may. */
export const isBlockMissing = (error: unknown): boolean =>
  error instanceof RpcError &&
  error.failure === 'rpc_error' &&
  BLOCK_MISSING_MESSAGES.some((pattern) => pattern.test(error.rpc?.message ?? ''))
