// Made of the AsyncAPI document by scripts/generate-sdk.ts; a change belongs there.
import type { Bar, CashOperation, OrderDetail, Price, StockOperation } from './operations.ts'

/** What a key has of it, the newest 200 records. */
export interface OrdersSnapshotMessage {
  readonly type: 'snapshot'
  readonly channel: 'orders'
  /** Of the channel’s messages. */
  readonly sequence: number
  /** too_old: what lies between is not to be had any more. */
  readonly reason: 'subscribed' | 'too_old'
  /** Unix milliseconds. */
  readonly time: number
  /** How many there are. */
  readonly total: number
  readonly data: readonly {
    /** Names the record within the channel. */
    readonly key: string
    readonly data: OrderDetail
  }[]
}

/** A record as it is now. */
export interface OrdersUpdatedMessage {
  readonly type: 'delta'
  readonly channel: 'orders'
  /** Of the channel’s messages. */
  readonly sequence: number
  /** Sequence of the message before it. */
  readonly previous: number
  /** Names the message: a webhook tells the same one. */
  readonly id: string
  readonly event: 'order.updated'
  /** Changes when data takes another form. */
  readonly version: number
  /** Unix milliseconds. */
  readonly time: number
  /** Names the record within the channel. */
  readonly key: string
  readonly data: OrderDetail
}

/** A reorganisation of the chain has ended the record. */
export interface OrdersRemovedMessage {
  readonly type: 'delta'
  readonly channel: 'orders'
  /** Of the channel’s messages. */
  readonly sequence: number
  /** Sequence of the message before it. */
  readonly previous: number
  /** Names the message: a webhook tells the same one. */
  readonly id: string
  readonly event: 'order.removed'
  /** Changes when data takes another form. */
  readonly version: number
  /** Unix milliseconds. */
  readonly time: number
  /** Names the record within the channel. */
  readonly key: string
  readonly data: null
}

/** What a key has of it, the newest 200 records. */
export interface CashSnapshotMessage {
  readonly type: 'snapshot'
  readonly channel: 'cash'
  /** Of the channel’s messages. */
  readonly sequence: number
  /** too_old: what lies between is not to be had any more. */
  readonly reason: 'subscribed' | 'too_old'
  /** Unix milliseconds. */
  readonly time: number
  /** How many there are. */
  readonly total: number
  readonly data: readonly {
    /** Names the record within the channel. */
    readonly key: string
    readonly data: CashOperation
  }[]
}

/** A record as it is now. */
export interface CashUpdatedMessage {
  readonly type: 'delta'
  readonly channel: 'cash'
  /** Of the channel’s messages. */
  readonly sequence: number
  /** Sequence of the message before it. */
  readonly previous: number
  /** Names the message: a webhook tells the same one. */
  readonly id: string
  readonly event: 'cash_operation.updated'
  /** Changes when data takes another form. */
  readonly version: number
  /** Unix milliseconds. */
  readonly time: number
  /** Names the record within the channel. */
  readonly key: string
  readonly data: CashOperation
}

/** A reorganisation of the chain has ended the record. */
export interface CashRemovedMessage {
  readonly type: 'delta'
  readonly channel: 'cash'
  /** Of the channel’s messages. */
  readonly sequence: number
  /** Sequence of the message before it. */
  readonly previous: number
  /** Names the message: a webhook tells the same one. */
  readonly id: string
  readonly event: 'cash_operation.removed'
  /** Changes when data takes another form. */
  readonly version: number
  /** Unix milliseconds. */
  readonly time: number
  /** Names the record within the channel. */
  readonly key: string
  readonly data: null
}

/** What a key has of it, the newest 200 records. */
export interface StockSnapshotMessage {
  readonly type: 'snapshot'
  readonly channel: 'stock'
  /** Of the channel’s messages. */
  readonly sequence: number
  /** too_old: what lies between is not to be had any more. */
  readonly reason: 'subscribed' | 'too_old'
  /** Unix milliseconds. */
  readonly time: number
  /** How many there are. */
  readonly total: number
  readonly data: readonly {
    /** Names the record within the channel. */
    readonly key: string
    readonly data: StockOperation
  }[]
}

/** A record as it is now. */
export interface StockUpdatedMessage {
  readonly type: 'delta'
  readonly channel: 'stock'
  /** Of the channel’s messages. */
  readonly sequence: number
  /** Sequence of the message before it. */
  readonly previous: number
  /** Names the message: a webhook tells the same one. */
  readonly id: string
  readonly event: 'stock_operation.updated'
  /** Changes when data takes another form. */
  readonly version: number
  /** Unix milliseconds. */
  readonly time: number
  /** Names the record within the channel. */
  readonly key: string
  readonly data: StockOperation
}

/** A reorganisation of the chain has ended the record. */
export interface StockRemovedMessage {
  readonly type: 'delta'
  readonly channel: 'stock'
  /** Of the channel’s messages. */
  readonly sequence: number
  /** Sequence of the message before it. */
  readonly previous: number
  /** Names the message: a webhook tells the same one. */
  readonly id: string
  readonly event: 'stock_operation.removed'
  /** Changes when data takes another form. */
  readonly version: number
  /** Unix milliseconds. */
  readonly time: number
  /** Names the record within the channel. */
  readonly key: string
  readonly data: null
}

/** What is so now. */
export interface QuotesSnapshotMessage {
  readonly type: 'snapshot'
  readonly channel: `quotes:${string}`
  /** Of the channel’s messages. */
  readonly sequence: number
  /** too_old: what lies between is not to be had any more. */
  readonly reason: 'subscribed' | 'too_old'
  /** Unix milliseconds. */
  readonly time: number
  readonly data: Price
}

/** What has changed. */
export interface QuotesDeltaMessage {
  readonly type: 'delta'
  readonly channel: `quotes:${string}`
  /** Of the channel’s messages. */
  readonly sequence: number
  /** Sequence of the message before it. */
  readonly previous: number
  readonly event: 'quote.updated'
  /** Changes when data takes another form. */
  readonly version: number
  /** Unix milliseconds. */
  readonly time: number
  readonly data: Price
}

/** What is so now. */
export interface CandlesSnapshotMessage {
  readonly type: 'snapshot'
  readonly channel: `candles:${string}:${'1m' | '3m' | '5m' | '15m' | '1h' | '1d' | '1w'}`
  /** Of the channel’s messages. */
  readonly sequence: number
  /** too_old: what lies between is not to be had any more. */
  readonly reason: 'subscribed' | 'too_old'
  /** Unix milliseconds. */
  readonly time: number
  readonly data: readonly Bar[]
}

/** What has changed. */
export interface CandlesDeltaMessage {
  readonly type: 'delta'
  readonly channel: `candles:${string}:${'1m' | '3m' | '5m' | '15m' | '1h' | '1d' | '1w'}`
  /** Of the channel’s messages. */
  readonly sequence: number
  /** Sequence of the message before it. */
  readonly previous: number
  readonly event: 'candles.updated'
  /** Changes when data takes another form. */
  readonly version: number
  /** Unix milliseconds. */
  readonly time: number
  readonly data: readonly Bar[]
}

/** What came after the sequence follows. */
export interface ResumedMessage {
  readonly type: 'resumed'
  /** Such as orders. */
  readonly channel: string
  /** Of the channel’s messages. */
  readonly sequence: number
  /** Unix milliseconds. */
  readonly time: number
}

/** The channel is followed no more. */
export interface UnsubscribedMessage {
  readonly type: 'unsubscribed'
  /** Such as orders. */
  readonly channel: string
}

/** Every 15 seconds. */
export interface HeartbeatMessage {
  readonly type: 'heartbeat'
  /** Unix milliseconds. */
  readonly time: number
}

/** The answer to a ping. */
export interface PongMessage {
  readonly type: 'pong'
  /** That of the ping. */
  readonly id: number | string | null
  /** Unix milliseconds. */
  readonly time: number
}

/** A request was refused, or a channel is followed no more. */
export interface ErrorMessage {
  readonly type: 'error'
  /** A name, such as message_invalid. */
  readonly reason: string
  /** What is wrong and what would be right. */
  readonly message: string
  /** What it is about. */
  readonly channel?: string
}

/** The connection ends. */
export interface ClosingMessage {
  readonly type: 'closing'
  /** Of the close frame that follows. */
  readonly code: number
  /** The close frame’s, such as stopping. */
  readonly reason: string
  /** The same in words. */
  readonly message: string
}

/** Whatever the venue sends. */
export type ToldMessage =
  | OrdersSnapshotMessage
  | OrdersUpdatedMessage
  | OrdersRemovedMessage
  | CashSnapshotMessage
  | CashUpdatedMessage
  | CashRemovedMessage
  | StockSnapshotMessage
  | StockUpdatedMessage
  | StockRemovedMessage
  | QuotesSnapshotMessage
  | QuotesDeltaMessage
  | CandlesSnapshotMessage
  | CandlesDeltaMessage
  | ResumedMessage
  | UnsubscribedMessage
  | HeartbeatMessage
  | PongMessage
  | ErrorMessage
  | ClosingMessage
