import type ccxt from 'ccxt'

/** What `import ccxt from 'ccxt'` is. */
export type Ccxt = typeof ccxt
export type Exchange = InstanceType<Ccxt['Exchange']>

export type Params = Record<string, unknown>
/** A record as the venue has it. */
export type Raw = Record<string, unknown>
export type Market = ReturnType<Exchange['market']>

/** Access, method and path of an operation of the venue. */
export type Call = readonly ['public' | 'private', 'GET' | 'POST' | 'DELETE', string]

/** A file of one product: what the class is made of. */
export interface Product {
  /** What ccxt knows the class by. */
  readonly id: string
  readonly name: string
  readonly calls: Readonly<Record<string, Call>>
  /** Each becomes a method of the class, with the exchange as its first argument; `has` says true for those and no others. */
  readonly operations: Readonly<Record<string, Operation>>
  readonly description: Params
  /** The code of an answer that succeeded. */
  readonly successCode: number
  /** By reason, then by code: names of ccxt's errors. */
  readonly errors: ErrorTable
  /** Options without which nothing is signed. */
  readonly neededOptions: readonly string[]
  /** Headers of a signed request; `target` is its path with the query. */
  readonly headers: (exchange: Exchange, request: SignedRequest) => Record<string, string>
  /** What the paths of `calls` begin with, below the venue's address. */
  readonly prefix: string
  readonly streamPath: string
  readonly ping: unknown
  readonly receive: (exchange: Venue, message: Raw, fail: (hash: string, error: Error) => void) => void
}

export type Operation = (exchange: Venue, ...args: never[]) => unknown

export interface SignedRequest {
  readonly method: string
  readonly target: string
  readonly body: string
  /** Unix milliseconds. */
  readonly timestamp: string
}

export interface ErrorTable {
  readonly reasons: Readonly<Record<string, ErrorName>>
  readonly codes: Readonly<Record<string, ErrorName>>
}

/** Classes of ccxt that the venue's refusals become. */
export type ErrorName =
  | 'AuthenticationError'
  | 'PermissionDenied'
  | 'AccountNotEnabled'
  | 'BadRequest'
  | 'BadSymbol'
  | 'ArgumentsRequired'
  | 'OperationRejected'
  | 'MarketClosed'
  | 'InsufficientFunds'
  | 'InvalidOrder'
  | 'OrderNotFound'
  | 'OrderNotFillable'
  | 'OrderImmediatelyFillable'
  | 'DuplicateOrderId'
  | 'CancelPending'
  | 'InvalidNonce'
  | 'RateLimitExceeded'
  | 'ExchangeNotAvailable'
  | 'RequestTimeout'

/** An exchange of this adapter: ccxt's own, with the few things that its parts share. */
export interface Venue extends Exchange {
  readonly ccxt: Ccxt
  readonly product: Product
  /** Asks the venue and answers all that it says. */
  answer(call: Call, params?: Params, headers?: Record<string, string>): Promise<Raw>
  /** The same, and answers `data` of it. */
  ask<Data>(call: Call, params?: Params, headers?: Record<string, string>): Promise<Data>
  /** Whether the venue itself has said that nothing was done. */
  isRefusal(error: unknown): boolean
  /** Follows a channel of the stream: what came since the last call, at least one. */
  follow<Item>(channel: Channel<Item>): Promise<Item[]>
  /** Puts items to those who follow under this name. */
  deliver(hash: string, items: readonly unknown[]): void
  readonly sequences: Map<string, number>
}

/** The Unix second by the venue's clock, as far as `timeDifference` knows it. */
export const venueSec = (venue: Venue): number =>
  Math.floor((venue.milliseconds() - Number(venue.options.timeDifference)) / 1000)

/** A channel of the venue's stream as somebody follows it. */
export interface Channel<Item = unknown> {
  /** What followers are told under. */
  readonly hash: string
  /** What the venue is asked for: once for a connection. */
  readonly subscription: string
  readonly message: Params
  /** How many items wait at most; the oldest go first. 1 where only the newest counts. */
  readonly keep: number
  /** Makes of what has come what is answered. Where it fails, nothing is lost: the next call has the same again. */
  readonly read?: (items: never[]) => Promise<Item[]>
}
