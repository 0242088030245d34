import Type, { type TProperties, type TSchema } from 'typebox'
import type { StreamReference } from '../../http/reference.ts'
import { candleExample } from '../market-data/candle-view.ts'
import { fullInstrumentExample, fullInstrumentSchema } from '../market-data/instrument-full-schema.ts'
import { booksExample, booksSchema } from '../market-data/order-book-view.ts'
import { expirySchema } from '../market-data/pair-state-schemas.ts'
import { pairExample, pairSchema } from '../market-data/pair-view.ts'
import { blockNumSchema } from './common-feed.ts'
import { privateMessages, recordSchemas } from './private-messages.ts'
import { signalExample, signalSchema } from './signal-view.ts'
import { changedPairSchema, klineSchema } from './state-channels.ts'
import { paramsSchema } from './subscription.ts'
import { tradeExample, tradeSchema } from './trade-view.ts'

const DESCRIPTION = `What happens on the market of perpetuals, and, where an API key signs the upgrade, what happens to its wallet. docs/perp-streams.md says
what each type tells, how the upgrade is signed, how a wallet's channel is resumed, and why a connection ends.

Each request is answered by an ack. Fields may be added.`

const PAIR = { instrument: pairExample.instrumentAddr, expiry: pairExample.expiry }
const idSchema = Type.Integer({ description: 'The client’s own; its ack has the same.' })

/** The messages of the perpetual API's stream (perp-api 7). */
export const perpStreamReference = (chainId: number): StreamReference => ({
  title: 'Perpetual futures stream',
  description: DESCRIPTION,
  requests: {
    ping: { summary: 'Ask for a pong: the bare text.', schema: Type.Literal('ping'), example: 'ping' },
    subscribe: request(chainId, 'SUBSCRIBE', 'Follow what the params name.'),
    unsubscribe: request(chainId, 'UNSUBSCRIBE', 'Follow it no more: the same params again.'),
  },
  messages: {
    pong: { summary: 'The answer to a ping: the bare text.', schema: Type.Literal('pong'), example: 'pong' },
    ack: {
      summary: 'The answer to a request, or that what it asked for is followed no more.',
      schema: Type.Object({
        id: Type.Union([Type.Integer(), Type.Null()], { description: 'That of the request; null where it had none.' }),
        result: Type.String({ description: 'success, or what is wrong.' }),
      }),
      example: { id: 1, result: 'success' },
    },
    ...publicMessages(chainId),
    ...privateMessages(chainId),
  },
  schemas: {
    ...recordSchemas,
    FullInstrument: fullInstrumentSchema,
    Pair: pairSchema,
    Books: booksSchema,
    Kline: klineSchema,
    Trade: tradeSchema,
    Signal: signalSchema,
  },
})

function request(chainId: number, method: 'SUBSCRIBE' | 'UNSUBSCRIBE', summary: string) {
  const schema = Type.Object({ id: idSchema, method: Type.Literal(method), params: paramsSchema })
  return { summary, schema, example: { id: 1, method, params: { chainId, ...PAIR, type: 'orderBook' } } }
}

function publicMessages(chainId: number): StreamReference['messages'] {
  const chain = { chainId: Type.Integer() }
  const pair = { ...chain, instrument: Type.String(), expiry: expirySchema }
  const message = (stream: string, summary: string, head: TProperties, data: TSchema, example: object) => ({
    [stream]: {
      summary,
      schema: Type.Object({ stream: Type.Literal(stream), ...head, data }),
      example: { stream, ...example },
    },
  })
  const ofPair = (stream: string, summary: string, data: TSchema, example: unknown) =>
    message(stream, summary, pair, data, { chainId, ...PAIR, data: example })
  const ofChain = (stream: string, summary: string, data: TSchema, example: unknown) =>
    message(stream, summary, chain, data, { chainId, data: example })
  return {
    ...ofPair('orderBook', 'The books of a pair at all ratios.', booksSchema, booksExample),
    ...ofPair('kline', 'A candle of a pair.', klineSchema, klineExample(chainId)),
    ...ofPair('instrument', 'The full instrument of a pair.', fullInstrumentSchema, fullInstrumentExample),
    ...ofPair('marketPairInfoChanged', 'A pair as the market list has it.', changedPairSchema, {
      chainId,
      instrument: PAIR.instrument,
      ...pairExample,
    }),
    ...ofPair('trades', 'Trades of a pair, the newest one last.', Type.Array(tradeSchema), [tradeExample(chainId)]),
    ...ofChain('blockNumChanged', 'A block is indexed.', blockNumSchema, {
      chainId,
      blockNum: 4_211,
      blockTime: pairExample.updateTime,
    }),
    ...ofChain('marketListChanged', 'Every open pair.', Type.Array(pairSchema), [pairExample]),
    ...message('portfolio', 'Something of an account has changed.', {}, signalSchema, { data: signalExample }),
  }
}

function klineExample(chainId: number): Type.Static<typeof klineSchema> {
  const { openTime, closeTime, symbol: _, ...bar } = candleExample
  const times = { timestamp: openTime, startTime: openTime, endTime: closeTime }
  return { chainId, ...PAIR, interval: '1h', ...bar, volumeUSD: bar.quoteVolume, ...times }
}
