import type { RequestId, StreamProtocol, StreamRequest } from '../../http/stream-message.ts'
import { messageOf } from './message.ts'
import { isPrivate } from './private-channels.ts'
import { channelOf } from './subscription.ts'

/**
 * The messages of the perpetual API's stream (perp-api 7.2): the text `ping` and its `pong`, numbered requests of the methods
 * SUBSCRIBE and UNSUBSCRIBE with their acknowledgements. What a public channel tells comes as messages that are complete already,
 * one a line; what a private one tells has its sequence and its event beside `data`.
 */
export const perpProtocol = (chainId: number): StreamProtocol => ({
  parse: (text) => parse(text, chainId),
  accepted: ({ id }) => acknowledgement(id, 'success'),
  snapshot(channel, { sequence, total, dataJson }, reason, nowMs) {
    if (!isPrivate(channel)) return messages(dataJson)
    const head = { event: 'snapshot', reason, sequence: Number(sequence), total, time: nowMs }
    return messageOf({ stream: channel, chainId, ...head }, dataJson)
  },
  resumed(channel, sequence, nowMs) {
    const head = { event: 'resumed', sequence: Number(sequence), time: nowMs }
    return isPrivate(channel) ? messageOf({ stream: channel, chainId, ...head }, 'null') : null
  },
  delta(channel, { dataJson, event, version, id, key, sequence, previous, timeMs }) {
    if (!isPrivate(channel)) return messages(dataJson)
    const place = { sequence: Number(sequence), previous: Number(previous) }
    return messageOf({ stream: channel, chainId, event, version, id, key, ...place, time: timeMs }, dataJson)
  },
  unsubscribed: ({ id }) => acknowledgement(id, 'success'),
  // The published client subscribes once for each of its handlers.
  repeated: (channel) => (isPrivate(channel) ? 'restarts' : 'joins'),
  heartbeat: () => null,
  pong: () => 'pong',
  error: (_reason, message, { id }) => acknowledgement(id, message),
  closing: () => null,
})

const EXAMPLE = '{"id":1,"method":"SUBSCRIBE","params":{"chainId":31337,"type":"common"}}'

function parse(text: string, chainId: number): StreamRequest | { readonly wrong: string; readonly id: RequestId } {
  if (text === 'ping') return { op: 'ping', id: null }
  const request = jsonObject(text)
  if (!request) return { wrong: `a message must be the text ping or a JSON object such as ${EXAMPLE}`, id: null }
  const { id, method, params } = request
  if (!Number.isSafeInteger(id)) return { wrong: 'id must be a whole number', id: null }
  const named = id as number
  if (method !== 'SUBSCRIBE' && method !== 'UNSUBSCRIBE') {
    return { wrong: 'method must be SUBSCRIBE or UNSUBSCRIBE', id: named }
  }
  const followed = followedBy(params, chainId)
  if ('wrong' in followed) return { wrong: followed.wrong, id: named }
  if (method === 'UNSUBSCRIBE') return { op: 'unsubscribe', channel: followed.channel, id: named }
  return { op: 'subscribe', ...followed, id: named }
}

type Followed = { readonly channel: string; readonly from: bigint | null }

/** The channel that params mean, and after which of its messages. */
function followedBy(params: unknown, chainId: number): Followed | { readonly wrong: string } {
  const name = channelOf(params)
  if (typeof name !== 'string') return name
  const [type = '', chain] = name.split(':')
  if (!isPrivate(type)) return { channel: name, from: null }
  if (chain !== String(chainId)) return { wrong: `params.chainId must be ${chainId}` }
  const { from } = params as { readonly from?: unknown }
  if (from === undefined) return { channel: type, from: null }
  if (!Number.isSafeInteger(from) || (from as number) < 0) {
    return { wrong: 'params.from must be the sequence of the last message that arrived, a whole number' }
  }
  return { channel: type, from: BigInt(from as number) }
}

function jsonObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : null
  } catch {
    return null
  }
}

const acknowledgement = (id: RequestId, result: string): string => JSON.stringify({ id, result })

const messages = (payload: string): readonly string[] => (payload === '' ? [] : payload.split('\n'))
