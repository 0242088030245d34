import type { RequestId, StreamProtocol, StreamRequest } from '../../http/stream-message.ts'
import { channelOf } from './subscription.ts'

/**
 * The messages of the perpetual API's public stream (perp-api 7.2): the text `ping` and its `pong`, numbered requests of the methods
 * SUBSCRIBE and UNSUBSCRIBE with their acknowledgements. What a channel tells comes as messages that are complete already, one a
 * line.
 */
export const perpProtocol: StreamProtocol = {
  parse,
  accepted: ({ id }) => acknowledgement(id, 'success'),
  snapshot: (_channel, { dataJson }) => messages(dataJson),
  resumed: () => null,
  delta: (_channel, { dataJson }) => messages(dataJson),
  unsubscribed: ({ id }) => acknowledgement(id, 'success'),
  heartbeat: () => null,
  pong: () => 'pong',
  error: (_reason, message, { id }) => acknowledgement(id, message),
  closing: () => null,
}

const EXAMPLE = '{"id":1,"method":"SUBSCRIBE","params":{"chainId":31337,"type":"common"}}'

function parse(text: string): StreamRequest | { readonly wrong: string; readonly id: RequestId } {
  if (text === 'ping') return { op: 'ping', id: null }
  const request = jsonObject(text)
  if (!request) return { wrong: `a message must be the text ping or a JSON object such as ${EXAMPLE}`, id: null }
  const { id, method, params } = request
  if (!Number.isSafeInteger(id)) return { wrong: 'id must be a whole number', id: null }
  const named = id as number
  if (method !== 'SUBSCRIBE' && method !== 'UNSUBSCRIBE') {
    return { wrong: 'method must be SUBSCRIBE or UNSUBSCRIBE', id: named }
  }
  const channel = channelOf(params)
  if (typeof channel !== 'string') return { wrong: channel.wrong, id: named }
  if (method === 'UNSUBSCRIBE') return { op: 'unsubscribe', channel, id: named }
  return { op: 'subscribe', channel, from: null, id: named }
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
