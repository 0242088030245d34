import type { Static, TSchema } from 'typebox'
import type { EventModule } from '../chain/follow/event-module.ts'
import type { Rpc } from '../chain/rpc.ts'
import type { Deployment, Hex } from '../chain/types.ts'
import type { Sql } from '../db/pool.ts'
import type { Clock } from '../lib/clock.ts'
import type { AppError, Reason } from '../lib/errors.ts'
import type { Logger } from '../lib/logger.ts'
import type { Idempotency } from './idempotency.ts'
import type { ProductReference } from './reference.ts'
import type { ProductStream } from './stream-source.ts'

export type Access = 'READ_ONLY' | 'WRITABLE'

/** Who makes a request, once the product's scheme has verified it. */
export interface Caller {
  readonly keyId: string
  readonly access: Access
  /** The wallet the key is bound to, lower-case; null when the key is unbound. */
  readonly userAddress: Hex | null
}

/** A request as the signature sees it. */
export interface SignedRequest {
  readonly method: string
  /** Path and raw query as they arrived, without the product's prefix. */
  readonly uri: string
  /** As Node gives them: names lower-case, a repeated `x-` header joined with a comma, bytes as latin1 characters. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The exact bytes of the body; empty when there is none. */
  readonly rawBody: Buffer
  /** The client's address after trusted proxies, IPv4-mapped IPv6 normalised (design 7, "Access"). */
  readonly clientIp: string
}

/** How a product authenticates; throws an `unauthenticated` AppError that never says which check failed. */
export interface Scheme {
  authenticate(request: SignedRequest, access: Access): Promise<Caller>
}

/** The product's wire format around payloads and failures; answers are JSON text. */
export interface Envelope {
  /** `dataJson` is the payload's own JSON text, so that a prepared payload is not serialised again. */
  success(dataJson: string, requestId: string, nowMs: number): string
  failure(error: AppError, requestId: string, nowMs: number): { readonly httpStatus: number; readonly body: string }
}

/** A payload that a handler keeps as JSON text, for answers that are asked for often and change seldom. */
export class PreparedJson {
  readonly text: string

  constructor(data: unknown) {
    this.text = JSON.stringify(data)
  }

  /** A payload that is JSON text already. */
  static fromText(text: string): PreparedJson {
    return Object.assign(new PreparedJson(null), { text })
  }
}

/** One operation: its schemas and its handler, in one file of the product's `routes/`. */
export interface Route<
  Params extends TSchema = TSchema,
  Query extends TSchema = TSchema,
  Body extends TSchema = TSchema,
> {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Path below the product's prefix, with `:name` parameters. */
  readonly path: string
  readonly summary: string
  readonly access: Access
  readonly schema: { readonly params?: Params; readonly query?: Query; readonly body?: Body; readonly data: TSchema }
  /** The payload, or a `PreparedJson` of it. A failure is thrown as an `AppError`. */
  handler(request: RouteRequest<Static<Params>, Static<Query>, Static<Body>>): Promise<unknown>
}

export interface RouteRequest<Params = unknown, Query = unknown, Body = unknown> {
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly caller: Caller
  /** The `Idempotency-Key` of a POST or DELETE, if one was sent. */
  readonly idempotency?: Idempotency
}

/** Checks a route's handler against its own schemas, then forgets their types so that routes fit in one list. */
export function defineRoute<Params extends TSchema, Query extends TSchema, Body extends TSchema>(
  route: Route<Params, Query, Body>,
): Route {
  return route as unknown as Route
}

/** What the products work with; made once in `main.ts`. */
export interface Venue {
  readonly sql: Sql
  readonly deployment: Deployment
  readonly clock: Clock
  readonly log: Logger
  readonly rpc: Rpc
}

/** A periodic job of the keeper. It must be safe to kill at any point and to run twice. */
export interface Task {
  readonly name: string
  readonly intervalMs: number
  run(venue: Venue): Promise<void>
}

/**
 * Work of an api process beside its answers. Every api process runs it, so it must be safe to do at once and to kill at any
 * point; `run` resolves when the signal aborts.
 */
export interface Service {
  readonly name: string
  run(venue: Venue, signal: AbortSignal): Promise<void>
}

/** A product of the venue: all that `roles/` needs to know of it. `Market` is what its tasks trade with. */
export interface Product<Market = unknown> {
  readonly name: string
  readonly envelope: Envelope
  readonly reasons: readonly Reason[]
  readonly events: EventModule
  /** What the keeper does for it. */
  tasks(market: Market): readonly Task[]
  routes(venue: Venue): readonly Route[]
  /** What it pushes to clients, if anything. */
  readonly stream?: ProductStream
  /** What the OpenAPI document and the reference say of it beyond its routes. */
  reference(venue: Pick<Venue, 'deployment'>): ProductReference
}
