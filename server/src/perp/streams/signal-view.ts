import Type, { type Static } from 'typebox'
import { WALLET } from '../../http/examples.ts'
import { orderExample } from '../portfolio/order-view.ts'
import type { Signal } from './signal-store.ts'

/** That something of an account has changed (perp-api 7.4, `portfolio`): the API's reads say what. */
export const signalSchema = Type.Object({
  type: Type.Enum(['order', 'range', 'position', 'gate'], {
    description: 'What has changed; gate: its money at Gate.',
  }),
  userAddress: Type.String(),
  instrument: Type.Optional(Type.String({ description: 'Of the pair; absent of gate.' })),
  expiry: Type.Optional(Type.String({ description: 'Unix seconds; 4294967295 is the perpetual. Absent of gate.' })),
  orderInfo: Type.Optional(
    Type.Object(
      {
        oid: Type.String({ description: 'tick · 2^24 + nonce, the tick as 24 bits.' }),
        orderId: Type.String(),
        type: Type.Enum(['placed', 'filled', 'canceled']),
      },
      { description: 'Of an order whose placement is recorded.' },
    ),
  ),
})

export const signalExample: Static<typeof signalSchema> = {
  type: 'order',
  userAddress: WALLET,
  instrument: orderExample.instrumentAddr,
  expiry: String(orderExample.expiry),
  orderInfo: { oid: String(orderExample.oid), orderId: orderExample.orderId, type: 'placed' },
}

export function signalView({ kind, trader, pair, order }: Signal): Static<typeof signalSchema> {
  const place = pair ? { instrument: pair.instrument, expiry: String(pair.expiry) } : {}
  const orderInfo = order?.id ? { oid: String(order.oid), orderId: String(order.id), type: order.change } : null
  return { type: kind, userAddress: trader, ...place, ...(orderInfo ? { orderInfo } : {}) }
}
