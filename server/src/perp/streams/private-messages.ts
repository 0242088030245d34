import Type, { type TSchema } from 'typebox'
import { CREATED_AT } from '../../http/examples.ts'
import type { StreamReference } from '../../http/reference.ts'
import {
  idSchema,
  keySchema,
  previousSchema,
  reasonSchema,
  timeSchema,
  versionSchema,
} from '../../http/stream-reference.ts'
import { keptOrderExample, keptOrderSchema } from '../kept/kept-view.ts'
import { executionExample, executionSchema } from '../portfolio/execution-view.ts'
import { movementExample, movementSchema } from '../portfolio/ledger-view.ts'
import { rangeExample, rangeSchema } from '../portfolio/liquidity-view.ts'
import { orderExample, orderSchema } from '../portfolio/order-view.ts'
import { failedSendExample, failedSendSchema } from '../sending/failed-send.ts'
import { CHANNEL_OF_KIND, PAYLOAD_VERSION, type RecordKind } from './private-channels.ts'
import { toldPositionExample, toldPositionSchema } from './told-position.ts'

/** A record's schema under the name that it has in the document. A position that is told has not all that the API's reads have of one. */
const RECORDS: Readonly<Record<RecordKind, readonly [name: string, schema: TSchema, example: unknown]>> = {
  order: ['Order', orderSchema, orderExample],
  execution: ['Execution', executionSchema, executionExample],
  position: ['ToldPosition', toldPositionSchema, toldPositionExample],
  movement: ['Movement', movementSchema, movementExample],
  range: ['Range', rangeSchema, rangeExample],
  keptOrder: ['KeptOrder', keptOrderSchema, keptOrderExample],
  send: ['FailedSend', failedSendSchema, failedSendExample],
}

export const recordSchemas: Readonly<Record<string, TSchema>> = Object.fromEntries(
  Object.values(RECORDS).map(([name, schema]) => [name, schema]),
)

const sequence = Type.Integer({ minimum: 0, description: 'Of the channel’s messages, without a gap.' })
const TIME = CREATED_AT * 1000
const KEY = orderExample.orderId

/** What the channels of a wallet tell. */
export const privateMessages = (chainId: number): StreamReference['messages'] =>
  Object.assign({}, ...(Object.keys(RECORDS) as RecordKind[]).map((kind) => messagesOf(chainId, kind)))

function messagesOf(chainId: number, kind: RecordKind): StreamReference['messages'] {
  const stream = CHANNEL_OF_KIND[kind]
  const [, record, example] = RECORDS[kind]
  const head = { stream: Type.Literal(stream), chainId: Type.Integer() }
  const shown = { stream, chainId }
  const changed = (how: 'updated' | 'removed', data: TSchema) =>
    Type.Object({
      ...head,
      event: Type.Literal(`${kind}.${how}`),
      version: versionSchema,
      id: idSchema,
      key: keySchema,
      sequence,
      previous: previousSchema,
      time: timeSchema,
      data,
    })
  const change = (how: 'updated' | 'removed', data: unknown) => {
    const named = { version: PAYLOAD_VERSION, id: '11111111-1111-4111-8111-111111111111', key: KEY }
    return { ...shown, event: `${kind}.${how}`, ...named, sequence: 42, previous: 41, time: TIME, data }
  }
  return {
    [`${stream}Snapshot`]: {
      summary: 'What the wallet has of it, the newest 200 records.',
      schema: Type.Object({
        ...head,
        event: Type.Literal('snapshot'),
        reason: reasonSchema,
        sequence,
        total: Type.Integer({ description: 'How many the stream knows of.' }),
        time: timeSchema,
        data: Type.Array(Type.Object({ key: keySchema, data: record })),
      }),
      example: {
        ...shown,
        event: 'snapshot',
        reason: 'subscribed',
        sequence: 41,
        total: 1,
        time: TIME,
        data: [{ key: KEY, data: example }],
      },
    },
    [`${stream}Resumed`]: {
      summary: 'What came after the sequence follows.',
      schema: Type.Object({ ...head, event: Type.Literal('resumed'), sequence, time: timeSchema, data: Type.Null() }),
      example: { ...shown, event: 'resumed', sequence: 41, time: TIME, data: null },
    },
    [`${stream}Updated`]: {
      summary: 'A record as it is now.',
      schema: changed('updated', record),
      example: change('updated', example),
    },
    [`${stream}Removed`]: {
      summary: 'There is no such record any more.',
      schema: changed('removed', Type.Null()),
      example: change('removed', null),
    },
  }
}
