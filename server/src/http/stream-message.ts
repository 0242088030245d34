import type { StreamDelta, StreamSnapshot } from './stream-source.ts'

/** What names a client's request in its answers, in protocols that have it. */
export type RequestId = string | number | null

/** What a client may ask for. */
export type StreamRequest =
  | { readonly op: 'subscribe'; readonly channel: string; readonly from: bigint | null; readonly id: RequestId }
  | { readonly op: 'unsubscribe'; readonly channel: string; readonly id: RequestId }
  | { readonly op: 'ping'; readonly id: RequestId }

/** What an error is about, as far as it is known. */
export interface StreamSubject {
  readonly channel: string | null
  readonly id: RequestId
}

/**
 * A repeated subscription is refused; or it `joins`, the present state is sent once more and what is followed goes on as it was; or it
 * `restarts` from there, for channels whose sequences have no gap. A channel is left when it is unsubscribed as often as it was subscribed.
 */
export type Repeat = 'refused' | 'joins' | 'restarts'

/**
 * The messages of a product's stream, both ways; each is one text. Null where the protocol has no such message. What a channel
 * tells may be several messages.
 */
export interface StreamProtocol {
  /** The request in a message, or what is wrong with it. */
  parse(text: string): StreamRequest | { readonly wrong: string; readonly id: RequestId }
  /** The answer to a subscription, before its snapshot or what it resumes with. */
  accepted(subject: StreamSubject): string | null
  snapshot(
    channel: string,
    snapshot: StreamSnapshot,
    reason: SnapshotReason,
    nowMs: number,
  ): string | readonly string[] | null
  resumed(channel: string, sequence: bigint, nowMs: number): string | null
  delta(channel: string, delta: StreamDelta): string | readonly string[] | null
  unsubscribed(subject: StreamSubject): string | null
  /** What becomes of a subscription to what the connection follows already. */
  repeated(channel: string): Repeat
  /** Beside the ping of the WebSocket itself. */
  heartbeat(nowMs: number): string | null
  pong(id: RequestId, nowMs: number): string | null
  error(reason: string, message: string, subject: StreamSubject): string | null
  closing(code: number, reason: string, message: string): string | null
}

const FIELDS: Readonly<Record<string, readonly string[]>> = {
  subscribe: ['op', 'channel', 'from'],
  unsubscribe: ['op', 'channel'],
  ping: ['op', 'id'],
}
const MAX_NAME = 128

function parseRequest(text: string): StreamRequest | { readonly wrong: string } {
  let message: unknown
  try {
    message = JSON.parse(text)
  } catch {
    return { wrong: 'a message must be a JSON object such as {"op":"subscribe","channel":"orders"}' }
  }
  if (typeof message !== 'object' || message === null || Array.isArray(message)) {
    return { wrong: 'a message must be a JSON object such as {"op":"subscribe","channel":"orders"}' }
  }
  const { op, channel, from, id } = message as Record<string, unknown>
  const fields = typeof op === 'string' && Object.hasOwn(FIELDS, op) ? FIELDS[op] : undefined
  if (!fields) return { wrong: 'op must be subscribe, unsubscribe or ping' }
  const unknown = Object.keys(message).find((name) => !fields.includes(name))
  if (unknown !== undefined) return { wrong: `${op} has no field ${JSON.stringify(unknown.slice(0, 40))}` }
  if (op === 'ping') {
    if (id !== undefined && !(typeof id === 'string' && id.length <= MAX_NAME) && !Number.isSafeInteger(id)) {
      return { wrong: `id must be an integer or a text of at most ${MAX_NAME} characters` }
    }
    return { op, id: (id as string | number | undefined) ?? null }
  }
  if (typeof channel !== 'string' || channel === '' || channel.length > MAX_NAME) {
    return { wrong: `channel must be a text of 1 to ${MAX_NAME} characters` }
  }
  if (op === 'unsubscribe') return { op, channel, id: null }
  if (from !== undefined && !(Number.isSafeInteger(from) && (from as number) >= 0)) {
    return { wrong: 'from must be the sequence of the last message that arrived, a whole number' }
  }
  return { op: 'subscribe', channel, from: from === undefined ? null : BigInt(from as number), id: null }
}

const text = (value: unknown): string => JSON.stringify(value)

/** Why a snapshot comes: it was asked for, or what lies between is not to be had (any more). */
export type SnapshotReason = 'subscribed' | 'too_old'

/** The venue's own protocol (docs/streams.md): everything is a JSON object; a request is named by its channel. */
export const venueProtocol: StreamProtocol = {
  parse(message) {
    const request = parseRequest(message)
    return 'wrong' in request ? { ...request, id: null } : request
  },
  accepted: () => null,
  snapshot(channel, { sequence, total, dataJson }, reason, nowMs) {
    const count = total === undefined ? '' : `"total":${total},`
    return `{"type":"snapshot","channel":${text(channel)},"sequence":${sequence},"reason":"${reason}","time":${nowMs},${count}"data":${dataJson}}`
  },
  resumed: (channel, sequence, nowMs) =>
    `{"type":"resumed","channel":${text(channel)},"sequence":${sequence},"time":${nowMs}}`,
  delta(channel, { previous, sequence, event, version, id, key, timeMs, dataJson }) {
    const id_ = id === undefined ? '' : `"id":${text(id)},`
    const key_ = key === undefined ? '' : `"key":${text(key)},`
    return `{"type":"delta","channel":${text(channel)},"sequence":${sequence},"previous":${previous},${id_}"event":${text(event)},"version":${version},"time":${timeMs},${key_}"data":${dataJson}}`
  },
  unsubscribed: ({ channel }) => text({ type: 'unsubscribed', channel }),
  repeated: () => 'refused',
  heartbeat: (nowMs) => text({ type: 'heartbeat', time: nowMs }),
  pong: (id, nowMs) => text({ type: 'pong', id, time: nowMs }),
  error: (reason, message, { channel }) =>
    text({ type: 'error', reason, message, ...(channel === null ? {} : { channel }) }),
  closing: (code, reason, message) => text({ type: 'closing', code, reason, message }),
}
