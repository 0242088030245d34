import type { Static, TSchema } from 'typebox'
import type { DevelopmentDeployment, ProductDeployment } from '../chain/deploy/product-deployment.ts'
import type { EventModule } from '../chain/follow/event-module.ts'
import type { Rpc } from '../chain/rpc.ts'
import type { SignerNeed } from '../chain/send/signer.ts'
import type { Deployment, Hex } from '../chain/types.ts'
import type { Sql } from '../db/pool.ts'
import type { Clock } from '../lib/clock.ts'
import type { AppError, Reason } from '../lib/errors.ts'
import type { Logger } from '../lib/logger.ts'
import type { Values, VariablePart } from '../lib/variables.ts'
import type { Caller, CallerOf, RouteAccess } from './caller.ts'
import type { Idempotency } from './idempotency.ts'
import type { RateLimitRule } from './rate-limit.ts'
import type { ProductReference, StreamReference } from './reference.ts'
import type { Scheme } from './scheme.ts'
import type { StreamProtocol } from './stream-message.ts'
import type { StreamSource } from './stream-source.ts'

/** The block that a payload describes. */
export interface BlockInfo {
  readonly height: bigint
  /** The block's own time, Unix seconds. */
  readonly timestampSec: bigint
}

/** The product's wire format around payloads and failures; answers are JSON text. */
export interface Envelope {
  /**
   * What stands before and after the payload's own JSON text, so that a prepared payload is not serialised again; `block` is what a
   * handler named by `AtBlock`. Both are ASCII, and a request id is a UUID, so that it is JSON between quotes as it is.
   */
  success(requestId: string, nowMs: number, block?: BlockInfo): readonly [before: string, after: string]
  failure(error: AppError, requestId: string, nowMs: number): { readonly httpStatus: number; readonly body: string }
}

/** A payload, or a `PreparedJson` of it, with the block that it describes. */
export class AtBlock {
  readonly block: BlockInfo
  readonly data: unknown

  constructor(block: BlockInfo, data: unknown) {
    this.block = block
    this.data = data
  }
}

/** What the requests and answers of an operation look like, for the reference; each is of its schema's type. */
export interface RouteExamples<Params = unknown, Query = unknown, Body = unknown, Data = unknown> {
  readonly params?: Params
  readonly query?: Query
  /** Bodies that a client could send, by a name for each. */
  readonly bodies?: Readonly<Record<string, Body>>
  readonly data?: Data
}

/** One operation: all that is known of it, in one file of the product's `routes/`. */
export interface Route<
  Params extends TSchema = TSchema,
  Query extends TSchema = TSchema,
  Body extends TSchema = TSchema,
  Data extends TSchema = TSchema,
  A extends RouteAccess = RouteAccess,
> {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Path below the product's prefix, with `:name` parameters. */
  readonly path: string
  readonly summary: string
  /** What a client needs to know beyond the summary, in whole sentences. */
  readonly description?: string
  readonly access: A
  /**
   * Why whoever asks would be refused at this moment, null for no reason. It is asked before anything else is done for a request,
   * authentication too: a process that is asked for more than it can do has no time for those it turns away.
   */
  readonly busy?: () => AppError | null
  /** Refused to pages of other sites (`http/origin.ts`): it gives away a key. */
  readonly ownOrigin?: true
  readonly schema: { readonly params?: Params; readonly query?: Query; readonly body?: Body; readonly data: Data }
  /**
   * Why it may fail, beyond the reasons that every operation of the product has. One with `idempotency_key_reused` takes
   * an `Idempotency-Key` (`http/idempotency.ts`).
   */
  readonly reasons?: readonly Reason[]
  readonly examples?: RouteExamples<Static<Params>, Static<Query>, Static<Body>, Static<Data>>
  /**
   * The payload, a `PreparedJson` of it, or either with its block (`AtBlock`), or a promise of it. A failure is thrown as an
   * `AppError`. What is known is best given at once: each wait for what is there costs a request a turn of the queue.
   */
  handler(request: RouteRequest<Static<Params>, Static<Query>, Static<Body>, CallerOf<A>>): unknown
}

export interface RouteRequest<Params = unknown, Query = unknown, Body = unknown, Who = Caller> {
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly caller: Who
  /** The `Idempotency-Key` of a POST or DELETE, if one was sent. */
  readonly idempotency?: Idempotency | undefined
  /** Aborts when the client goes away before its answer; for work that is not worth doing then. */
  disconnected?(): AbortSignal
}

/** Checks a route's handler and examples against its own schemas, then forgets their types so that routes fit in one list. */
export function defineRoute<
  Params extends TSchema,
  Query extends TSchema,
  Body extends TSchema,
  Data extends TSchema,
  A extends RouteAccess,
>(route: Route<Params, Query, Body, Data, A>): Route {
  return route as unknown as Route
}

/** The venue's shared parts, made once in `main.ts`. */
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
  /** Between two rounds. */
  readonly intervalMs: number
  /**
   * The same while there is nothing new: no block has come, and no task has changed anything. Left out where a task looks at what is
   * outside the venue.
   */
  readonly quietMs?: number
  // biome-ignore lint/suspicious/noConfusingVoidType: most rounds have nothing to say.
  run(venue: Venue): Promise<RoundEnd | undefined | void>
}

/**
 * How a round of a task ended, where that matters for when the next ones come: it `changed` something that other tasks look at, or it
 * is `waiting` for what nothing tells of, and looks again as if there were something new.
 */
export type RoundEnd = 'changed' | 'waiting'

/**
 * Background work of an api process. Every api process runs it, so it must be safe to do at once and to kill at any
 * point; `run` resolves when the signal aborts.
 */
export interface Service {
  readonly name: string
  run(venue: Venue, signal: AbortSignal): Promise<void>
}

/**
 * A product's stream: a WebSocket at a path below its prefix, for API keys, for everybody, or for everybody with more for whom
 * signs the upgrade.
 */
export type ProductStream = {
  readonly path: string
  /** Its messages, where they are others than the venue's own. */
  readonly protocol?: StreamProtocol
  /** What the reference says of its messages; made when it is asked for. */
  readonly reference?: () => StreamReference
} & (
  | { readonly access: 'READ_ONLY'; open(): StreamSource<Caller> }
  | { readonly access: 'PUBLIC'; open(): StreamSource<null> }
  | { readonly access: 'OPEN'; open(): StreamSource<Caller | null> }
)

/** Channels that are private to an API key, or to the wallet that it is bound to. */
export interface ChannelsOfKeys {
  readonly names: readonly string[]
  /** Where given, the channels are the wallet's, and all of its keys with a scope for this `productType` follow the same ones. */
  readonly walletScope?: string
}

/** A figure of the whole venue for /metrics, read from its tables at each scrape. */
export interface VenueGauge {
  readonly name: string
  readonly help: string
  readonly labelNames?: readonly string[]
  read(venue: Venue): Promise<readonly Sample[]>
}
export type Sample = readonly [labels: Readonly<Record<string, string>>, value: number]

/** A path below the product's prefix that is the product's with everything under it, unknown paths too. */
export interface OwnedPath {
  /** Such as `/api/v1`; no owned path lies under another. */
  readonly path: string
  /** `key`: an unknown path is authenticated before it is refused, so that the answer tells a stranger nothing. */
  readonly unknown: 'key' | 'public'
}

/** How many requests each API key may send, beside the limit of every address. Counted once the key is known. */
export interface KeyRateLimit extends RateLimitRule {
  /** What its headers begin with; `ratelimit` puts them in the place of the address's. */
  readonly headers: string
}

/** A product in the role api: its place in the server, its operations and its wire format. */
export interface ServedProduct {
  readonly name: string
  /** Service prefix of the product's base URL; it is not part of the signed URI. May be empty. */
  readonly prefix: string
  readonly owns: readonly OwnedPath[]
  /** True where plain HTTP is refused, but on loopback (`http/transport.ts`). */
  readonly httpsOnly?: boolean
  readonly envelope: Envelope
  readonly scheme: Scheme
  readonly routes: readonly Route[]
  readonly keyRateLimit?: KeyRateLimit
  /** What it pushes to clients, if anything. */
  readonly stream?: ProductStream
  /** What a page of the app has to know of it, in `/app-config.json`; no secrets. */
  readonly app?: Readonly<Record<string, unknown>>
  /** What the OpenAPI document and the reference say of it beyond its routes. */
  readonly reference: ProductReference
  /** What every api process does for it beside answering. */
  readonly services: readonly Service[]
}

/** What a product meets of rooms that stand to the left of this one; `roles/products.ts` names their types. */
export interface Rooms {
  /** Keys, signatures and nonces, in the role api. */
  readonly auth: unknown
  /** What sends for users share, in the role api. */
  readonly desk: unknown
  /** What the keeper trades with. */
  readonly market: unknown
  /** The stocks of an embedded market. */
  readonly listings: unknown
}

/** A command of the operator's command line: `npm run bourse -- <topic> …`. */
export interface Command {
  readonly topic: string
  readonly usage: string
  /** What to print, with an exit code other than 0 where the command has one. Throws with what is wrong. */
  run(args: readonly string[], context: CommandContext): Promise<string | { text: string; exitCode: number }>
}

export interface CommandContext {
  readonly sql: Sql
  readonly chainId: number
  /** Who gives the command, for the audit log. */
  readonly actor: string
  readonly clock: Clock
  readonly values: Values
}

/** An embedded venue that has just started, for whoever describes it in dev.json. */
export interface EmbeddedVenue<Auth = unknown> {
  readonly venue: Venue
  readonly auth: Auth
  /** The base URL of the server. */
  readonly url: string
  /** Funded accounts, for users. */
  readonly accounts: readonly { readonly address: Hex; readonly privateKey: Hex }[]
  /** What the product wrote at an earlier start; null at the first. */
  readonly earlier: unknown
}

/** How a product shows itself to people and scripts on an embedded venue. */
export interface Description {
  /** Its part of dev.json, under its name. */
  readonly dev: unknown
  /** Its line on the screen: a name such as `stock API`, and what to know. */
  readonly summary: readonly [name: string, text: string]
}

/**
 * A product of the venue: one folder, whose `index.ts` exports one of these, and one entry in the list of `roles/products.ts`.
 * What stands here is known before the configuration is read; the rest is `open`ed with it, once a process.
 */
export interface Product<R extends Rooms = Rooms> {
  readonly name: string
  /** Its part of the configuration. */
  readonly variables: VariablePart
  /** The signers that act for it, each with its purpose and the variable of its key. */
  readonly signers: readonly SignerNeed[]
  readonly commands: readonly Command[]
  /**
   * The folder of the migrations that make its tables, whose numbers no other migration has; null where they are among the venue's, in
   * `db/migrations`.
   */
  readonly migrations: string | null
  readonly reasons: readonly Reason[]
  readonly events: EventModule
  /** What it tells API keys of their own. */
  readonly keyChannels: ChannelsOfKeys
  /** Sections of its reconciliation with their headings, in the order of the report; null when it compares nothing. */
  readonly reconciliation: Readonly<Record<string, string>> | null
  /** How its contracts come onto a chain by a plan file; null when it has none. */
  readonly deployment: ProductDeployment | null
  /** How they come onto an embedded chain, where these stocks are listed. */
  development(listings: R['listings']): DevelopmentDeployment | null
  /** The `productType` in the scopes of its API keys. */
  keyScope(values: Values): string
  /** Its API keys work from every address, whatever list they have. */
  readonly keysFromAnywhere?: boolean
  /** The values have passed `variables`. */
  open(venue: Venue, values: Values): OpenProduct<R>
}

export interface OpenProduct<R extends Rooms = Rooms> {
  /** For the role api; asked once, so that the one context of its operations in this process is made here. */
  serve(rooms: Pick<R, 'auth' | 'desk'>): ServedProduct
  /** What the keeper does for it, with nothing remembered; asked each time that a process takes the lead. */
  tasks(market: R['market']): readonly Task[]
  readonly gauges: readonly VenueGauge[]
  /** What the keeper's part of /status says of it, field by field; no two products give the same field. */
  readonly status: Readonly<Record<string, () => Promise<unknown>>>
  describe(embedded: EmbeddedVenue<R['auth']>): Promise<Description>
}
