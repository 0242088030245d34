import type { TSchema } from 'typebox'
import type { ErrorKind, Reason } from '../lib/errors.ts'
import type { Access } from './caller.ts'

/** A JSON schema (2020-12), or a part of one. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
}

/** A header of a signed request; every one is required. */
export interface SigningHeader {
  readonly name: string
  readonly description: string
}

/** A product's wire format in words and schemas, from which the OpenAPI document is made (`http/openapi.ts`). */
export interface ProductReference {
  readonly title: string
  readonly description: string
  readonly headers: readonly SigningHeader[]
  /** The envelope around the payload's schema. */
  success(data: JsonSchema): JsonSchema
  /** The envelope of a failure with one of these codes. */
  failure(codes: readonly number[]): JsonSchema
  /** HTTP status and code of each kind of failure. */
  readonly failures: Readonly<Record<ErrorKind, { readonly httpStatus: number; readonly code: number }>>
  /** Reasons that have a status or code of their own, by name. */
  readonly ownFailures?: Readonly<Record<string, { readonly httpStatus: number; readonly code: number }>>
  /** Schemas with a name of their own: wherever one of them stands, the document refers to it. */
  readonly schemas: Readonly<Record<string, TSchema>>
  /** Groups of operations by the beginning of their paths, the first that fits. */
  readonly groups: readonly (readonly [pathPrefix: string, title: string])[]
  /** Why any operation may fail. */
  readonly reasons: readonly Reason[]
  /** Why one that takes an API key may fail beyond that; `WRITABLE` of those alone that ask for the permission to write. */
  readonly keyReasons: Readonly<Record<Access, readonly Reason[]>>
  /** Failures worth showing: the message of a reason. */
  readonly messages: Readonly<Record<string, string>>
  /** Failures beside `rate_limited` whose answers say in Retry-After when to come again. */
  readonly toldWhen: readonly Reason[]
  /** Example values of parameters that mean the same in every operation, by name; an operation's own go before. */
  readonly parameters?: Readonly<Record<string, unknown>>
  /** Example values of the envelope's own fields, by name. */
  readonly fields: Readonly<Record<string, unknown>>
}

/** A message of a stream. */
export interface StreamMessage {
  readonly summary: string
  /** A text that is no JSON where the schema is of a `string`. */
  readonly schema: TSchema
  readonly example: unknown
}

/** A product's stream in words and schemas, from which the AsyncAPI document is made (`http/asyncapi.ts`). */
export interface StreamReference {
  readonly title: string
  readonly description: string
  /** What a client may send, by name. */
  readonly requests: Readonly<Record<string, StreamMessage>>
  /** What the venue sends, by name; every message is as one of them. */
  readonly messages: Readonly<Record<string, StreamMessage>>
  /** Schemas with a name of their own, as in `ProductReference`. */
  readonly schemas: Readonly<Record<string, TSchema>>
}

/** The reasons of a module, a page of the error reference. */
export interface ReasonTable {
  /** Name of its page: letters and dashes. */
  readonly name: string
  readonly title: string
  /** One paragraph on where these failures come from. */
  readonly about: string
  /** False when they meet the operator (at the start, in the log, at the command line) and never a client. */
  readonly onWire: boolean
  readonly reasons: readonly Reason[]
}
