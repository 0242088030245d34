import type { Sql } from '../../db/pool.ts'
import type { Logger } from '../../lib/logger.ts'
import type { AlpacaBooks } from './books.ts'
import { takeOrder } from './order-store.ts'
import { readOrder } from './order-wire.ts'
import { ReconnectingStream, type Talk } from './stream.ts'
import { asObject, invalid, text, type WireObject } from './wire.ts'

export interface TradeUpdatesOptions {
  readonly tradingUrl: string
  readonly keyId: string
  readonly secretKey: string
  readonly sql: Sql
  readonly log: Logger
  readonly books: AlpacaBooks
  readonly firstRetryMs?: number
}

export interface TradeUpdates {
  /** Keeps the stream open for as long as it is used. */
  use(): void
  readonly isReady: boolean
  close(): void
}

/**
 * The account's trade updates (https://docs.alpaca.markets/docs/websocket-streaming). They are hints: each brings the order
 * as it stood, and lets the books look at once for what was executed. What they miss, and what they say twice or in another
 * order, changes nothing.
 */
export function tradeUpdates(options: TradeUpdatesOptions): TradeUpdates {
  const { tradingUrl, log, books } = options
  const talk: Talk = {
    hello: (send) => send({ action: 'auth', key: options.keyId, secret: options.secretKey }),
    take(message, send) {
      const { stream, data } = readMessage(message)
      if (stream === 'authorization') {
        if (data.status !== 'authorized') throw invalid('the key is refused')
        send({ action: 'listen', data: { streams: ['trade_updates'] } })
      } else if (stream === 'listening') {
        return listens(data)
      } else if (stream === 'trade_updates') {
        takeUpdateOf(options, data)
      }
      return 'more'
    },
    caughtUp: async () => books.missed(),
  }
  const url = `${tradingUrl.replace(/^http/, 'ws')}/stream`
  const { firstRetryMs } = options
  return new ReconnectingStream({
    name: 'trade updates',
    url,
    talk,
    log,
    ...(firstRetryMs === undefined ? {} : { firstRetryMs }),
  })
}

function readMessage(message: unknown): { readonly stream: string; readonly data: WireObject } {
  const object = asObject(message, 'the message')
  return { stream: text(object, 'stream'), data: asObject(object.data, 'the data of the message') }
}

function listens({ streams }: WireObject): 'ready' {
  if (Array.isArray(streams) && streams.includes('trade_updates')) return 'ready'
  throw invalid('the trade updates are refused')
}

/** An update that cannot be used is a hint all the same. */
function takeUpdateOf({ sql, log, books }: TradeUpdatesOptions, data: WireObject): void {
  books.hint()
  if (data.event === 'trade_bust' || data.event === 'trade_correct') {
    log.error({ event: data.event, execution: data.execution_id }, 'the broker takes back or corrects an execution')
  }
  try {
    const order = readOrder(asObject(data.order, 'the order'))
    takeOrder(sql, order).catch((err) => log.warn({ err }, 'a trade update could not be stored'))
  } catch (err) {
    log.warn({ err, event: data.event }, 'a trade update cannot be read')
  }
}
