import type { TSchema } from 'typebox'
import Type from 'typebox'
import type { StreamReference } from '../../http/reference.ts'
import { conflatedMessages, keptMessages, venueMessages, venueRequests } from '../../http/stream-reference.ts'
import { INTERVALS } from '../../market/candles.ts'
import type { StockContext } from '../context.ts'
import { priceExample, priceViewSchema } from '../listing/symbol-view.ts'
import { orderDetailExample, orderDetailSchema } from '../orders/orders.ts'
import { cashOperationExample, cashOperationViewSchema } from '../portfolio/cash.ts'
import { stockOperationExample, stockOperationViewSchema } from '../portfolio/stock-operations.ts'
import { barExample, barSchema } from '../schemas.ts'
import { EVENT_OF_CHANNEL, type KeyChannel } from './key-channels.ts'

const DESCRIPTION = `What happens to a key's orders, cash and stock, and what the market does, over one WebSocket. docs/streams.md says how it is signed, how a
channel is resumed, and why a connection ends.

A kept channel (orders, cash, stock) needs a key that signs the upgrade; its sequences have no gap. Of a conflated one (quotes:{symbol},
candles:{symbol}:{interval}) the newest state alone counts. Fields may be added.`

const schemas: Readonly<Record<string, TSchema>> = {
  OrderDetail: orderDetailSchema,
  CashOperation: cashOperationViewSchema,
  StockOperation: stockOperationViewSchema,
  Price: priceViewSchema,
  Bar: barSchema,
}

/** The messages of the stock API's stream. */
export function stockStreamReference(context: StockContext): StreamReference {
  const kept = (name: KeyChannel, record: TSchema, example: unknown) =>
    keptMessages({ name, event: EVENT_OF_CHANNEL[name], record, example })
  return {
    title: 'Tokenized-stock stream',
    description: DESCRIPTION,
    requests: venueRequests,
    messages: {
      ...kept('orders', orderDetailSchema, orderDetailExample(context)),
      ...kept('cash', cashOperationViewSchema, cashOperationExample(context, 'deposit')),
      ...kept('stock', stockOperationViewSchema, stockOperationExample(context, 'withdraw')),
      ...conflatedMessages({
        name: 'quotes',
        pattern: '^quotes:[^:]+$',
        event: 'quote.updated',
        data: priceViewSchema,
        example: ['quotes:AAPL', priceExample],
      }),
      ...conflatedMessages({
        name: 'candles',
        pattern: `^candles:[^:]+:(${INTERVALS.join('|')})$`,
        event: 'candles.updated',
        data: Type.Array(barSchema),
        example: ['candles:AAPL:1m', [barExample]],
      }),
      ...venueMessages,
    },
    schemas,
  }
}
