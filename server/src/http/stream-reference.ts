import Type, { type TSchema } from 'typebox'
import { CREATED_AT } from './examples.ts'
import type { StreamMessage, StreamReference } from './reference.ts'

// The messages of the venue's own protocol (`stream-message.ts`) as schemas.

const MAX_NAME = 128
const MS = CREATED_AT * 1000

const sequenceSchema = Type.Integer({ minimum: 0, description: 'Of the channel’s messages.' })
export const timeSchema = Type.Integer({ description: 'Unix milliseconds.' })
export const previousSchema = Type.Integer({ minimum: 0, description: 'Sequence of the message before it.' })
const nameSchema = Type.String({ minLength: 1, maxLength: MAX_NAME, description: 'Such as orders.' })
export const reasonSchema = Type.Enum(['subscribed', 'too_old'], {
  description: 'too_old: what lies between is not to be had any more.',
})
export const versionSchema = Type.Integer({ description: 'Changes when data takes another form.' })
/** Of messages that are kept. */
export const idSchema = Type.String({ description: 'Names the message: a webhook tells the same one.' })
export const keySchema = Type.String({ description: 'Names the record within the channel.' })

const said = (summary: string, schema: TSchema, example: unknown): StreamMessage => ({ summary, schema, example })

/** A channel whose messages are all kept: of the records of a key, or of its wallet. */
export interface KeptChannel {
  readonly name: string
  /** The first word of its events. */
  readonly event: string
  readonly record: TSchema
  readonly example: unknown
}

/** A channel of which the newest state alone counts. */
export interface ConflatedChannel {
  /** Begins the names of its messages. */
  readonly name: string
  /** What its channels are called. */
  readonly pattern: string
  readonly event: string
  readonly data: TSchema
  /** A channel's name, and what it tells. */
  readonly example: readonly [channel: string, data: unknown]
}

export const venueRequests: StreamReference['requests'] = {
  subscribe: said(
    'Follow a channel.',
    Type.Object({
      op: Type.Literal('subscribe'),
      channel: nameSchema,
      from: Type.Optional(
        Type.Integer({
          minimum: 0,
          description: 'Go on after the message with this sequence; else from what is so now.',
        }),
      ),
    }),
    { op: 'subscribe', channel: 'orders', from: 41 },
  ),
  unsubscribe: said('Follow it no more.', Type.Object({ op: Type.Literal('unsubscribe'), channel: nameSchema }), {
    op: 'unsubscribe',
    channel: 'orders',
  }),
  ping: said(
    'Ask for a pong.',
    Type.Object({
      op: Type.Literal('ping'),
      id: Type.Optional(Type.Union([Type.Integer(), Type.String({ maxLength: MAX_NAME })])),
    }),
    { op: 'ping', id: 7 },
  ),
}

/** What is told of no channel in particular, or of any. */
export const venueMessages: StreamReference['messages'] = {
  resumed: said(
    'What came after the sequence follows.',
    Type.Object({ type: Type.Literal('resumed'), channel: nameSchema, sequence: sequenceSchema, time: timeSchema }),
    { type: 'resumed', channel: 'orders', sequence: 41, time: MS },
  ),
  unsubscribed: said(
    'The channel is followed no more.',
    Type.Object({ type: Type.Literal('unsubscribed'), channel: nameSchema }),
    { type: 'unsubscribed', channel: 'orders' },
  ),
  heartbeat: said('Every 15 seconds.', Type.Object({ type: Type.Literal('heartbeat'), time: timeSchema }), {
    type: 'heartbeat',
    time: MS,
  }),
  pong: said(
    'The answer to a ping.',
    Type.Object({
      type: Type.Literal('pong'),
      id: Type.Union([Type.Integer(), Type.String(), Type.Null()], { description: 'That of the ping.' }),
      time: timeSchema,
    }),
    { type: 'pong', id: 7, time: MS },
  ),
  error: said(
    'A request was refused, or a channel is followed no more.',
    Type.Object({
      type: Type.Literal('error'),
      reason: Type.String({ description: 'A name, such as message_invalid.' }),
      message: Type.String({ description: 'What is wrong and what would be right.' }),
      channel: Type.Optional(Type.String({ description: 'What it is about.' })),
    }),
    {
      type: 'error',
      reason: 'message_invalid',
      message: 'op must be subscribe, unsubscribe or ping',
    },
  ),
  closing: said(
    'The connection ends.',
    Type.Object({
      type: Type.Literal('closing'),
      code: Type.Integer({ description: 'Of the close frame that follows.' }),
      reason: Type.String({ description: 'The close frame’s, such as stopping.' }),
      message: Type.String({ description: 'The same in words.' }),
    }),
    { type: 'closing', code: 4003, reason: 'key_ended', message: 'the API key is disabled or has expired' },
  ),
}

/** What is told of a kept channel. */
export function keptMessages({ name, event, record, example }: KeptChannel): StreamReference['messages'] {
  const channel = Type.Literal(name)
  const delta = { type: Type.Literal('delta'), channel, sequence: sequenceSchema, previous: previousSchema }
  const changed = (kind: 'updated' | 'removed', data: TSchema) =>
    Type.Object({
      ...delta,
      id: idSchema,
      event: Type.Literal(`${event}.${kind}`),
      version: versionSchema,
      time: timeSchema,
      key: keySchema,
      data,
    })
  const shown = (kind: 'updated' | 'removed', data: unknown) => {
    const place = {
      type: 'delta',
      channel: name,
      sequence: 42,
      previous: 41,
      id: '11111111-1111-4111-8111-111111111111',
    }
    return { ...place, event: `${event}.${kind}`, version: 1, time: MS, key: '17', data }
  }
  return {
    [`${name}Snapshot`]: said(
      'What a key has of it, the newest 200 records.',
      Type.Object({
        type: Type.Literal('snapshot'),
        channel,
        sequence: sequenceSchema,
        reason: reasonSchema,
        time: timeSchema,
        total: Type.Integer({ description: 'How many there are.' }),
        data: Type.Array(Type.Object({ key: keySchema, data: record })),
      }),
      {
        type: 'snapshot',
        channel: name,
        sequence: 41,
        reason: 'subscribed',
        time: MS,
        total: 1,
        data: [{ key: '17', data: example }],
      },
    ),
    [`${name}Updated`]: said('A record as it is now.', changed('updated', record), shown('updated', example)),
    [`${name}Removed`]: said(
      'A reorganisation of the chain has ended the record.',
      changed('removed', Type.Null()),
      shown('removed', null),
    ),
  }
}

/** What is told of a conflated channel. */
export function conflatedMessages(channel: ConflatedChannel): StreamReference['messages'] {
  const { name, pattern, event, data } = channel
  const [called, shown] = channel.example
  const head = { channel: Type.String({ pattern }), sequence: sequenceSchema }
  return {
    [`${name}Snapshot`]: said(
      'What is so now.',
      Type.Object({ type: Type.Literal('snapshot'), ...head, reason: reasonSchema, time: timeSchema, data }),
      { type: 'snapshot', channel: called, sequence: 41, reason: 'subscribed', time: MS, data: shown },
    ),
    [`${name}Delta`]: said(
      'What has changed.',
      Type.Object({
        type: Type.Literal('delta'),
        ...head,
        previous: previousSchema,
        event: Type.Literal(event),
        version: versionSchema,
        time: timeSchema,
        data,
      }),
      { type: 'delta', channel: called, sequence: 43, previous: 41, event, version: 1, time: MS, data: shown },
    ),
  }
}
