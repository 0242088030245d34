import type { StreamDelta, StreamSnapshot } from './stream-source.ts'

// The words of the stream, both ways (docs/streams.md). Everything is a JSON object in one text message.

/** What a client may ask for. */
export type StreamRequest =
  | { readonly op: 'subscribe'; readonly channel: string; readonly from: bigint | null }
  | { readonly op: 'unsubscribe'; readonly channel: string }
  | { readonly op: 'ping'; readonly id: string | number | null }

const FIELDS: Readonly<Record<string, readonly string[]>> = {
  subscribe: ['op', 'channel', 'from'],
  unsubscribe: ['op', 'channel'],
  ping: ['op', 'id'],
}
const MAX_NAME = 128

/** The request in a message, or what is wrong with it. */
export function parseRequest(text: string): StreamRequest | { readonly wrong: string } {
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
  if (op === 'unsubscribe') return { op, channel }
  if (from !== undefined && !(Number.isSafeInteger(from) && (from as number) >= 0)) {
    return { wrong: 'from must be the sequence of the last message that arrived, a whole number' }
  }
  return { op: 'subscribe', channel, from: from === undefined ? null : BigInt(from as number) }
}

const text = (value: unknown): string => JSON.stringify(value)

/** Why a snapshot comes: it was asked for, or what lies between is not to be had (any more). */
export type SnapshotReason = 'subscribed' | 'too_old'

export function snapshotText(channel: string, snapshot: StreamSnapshot, reason: SnapshotReason, nowMs: number): string {
  const { sequence, total, dataJson } = snapshot
  const count = total === undefined ? '' : `"total":${total},`
  return `{"type":"snapshot","channel":${text(channel)},"sequence":${sequence},"reason":"${reason}","time":${nowMs},${count}"data":${dataJson}}`
}

export function deltaText(channel: string, delta: StreamDelta): string {
  const { previous, sequence, event, version, id, key, timeMs, dataJson } = delta
  const id_ = id === undefined ? '' : `"id":${text(id)},`
  const key_ = key === undefined ? '' : `"key":${text(key)},`
  return `{"type":"delta","channel":${text(channel)},"sequence":${sequence},"previous":${previous},${id_}"event":${text(event)},"version":${version},"time":${timeMs},${key_}"data":${dataJson}}`
}

export const resumedText = (channel: string, sequence: bigint, nowMs: number): string =>
  `{"type":"resumed","channel":${text(channel)},"sequence":${sequence},"time":${nowMs}}`
export const unsubscribedText = (channel: string): string => text({ type: 'unsubscribed', channel })
export const heartbeatText = (nowMs: number): string => text({ type: 'heartbeat', time: nowMs })
export const pongText = (id: string | number | null, nowMs: number): string => text({ type: 'pong', id, time: nowMs })
export const closingText = (code: number, reason: string, message: string): string =>
  text({ type: 'closing', code, reason, message })
export const errorText = (reason: string, message: string, channel: string | null): string =>
  text({ type: 'error', reason, message, ...(channel === null ? {} : { channel }) })
