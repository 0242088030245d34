import type { TSchema } from 'typebox'
import type { Reason } from '../lib/errors.ts'
import { named, namedSchemas, namesByText, plain } from './named-schemas.ts'
import { exampleOf } from './openapi-example.ts'
import type { KeyRateLimit, ProductStream, Route } from './product.ts'
import { httpReasons } from './reasons.ts'
import type { JsonSchema, ProductReference } from './reference.ts'
import { closed } from './validation.ts'

/** A product as the document shows it. */
export interface DocumentedProduct {
  readonly name: string
  /** Service prefix of the base URL; may be empty. */
  readonly prefix: string
  readonly routes: readonly Route[]
  readonly reference: ProductReference
  readonly keyRateLimit?: KeyRateLimit
  readonly stream?: ProductStream
}

/** An operation of the document (OpenAPI 3.1, "Operation Object"). */
export interface DocumentedOperation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description?: string
  /** The permission that the API key needs; `WALLET` where a wallet signs, `PUBLIC` for everybody, `OPEN` for everybody and, signed, for keys. */
  readonly 'x-access': string
  readonly 'x-errors': readonly DocumentedError[]
  readonly security: readonly unknown[]
  readonly parameters?: readonly JsonSchema[]
  readonly requestBody?: JsonSchema
  readonly responses: Readonly<Record<string, JsonSchema>>
}

/** One way in which an operation fails: its answer's HTTP status, code and `x-error-reason`. */
export interface DocumentedError {
  readonly status: number
  readonly code: number
  readonly reason: string
  readonly retryable: boolean
}

/** An OpenAPI 3.1 document, as far as this file writes it. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0'
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly jsonSchemaDialect: string
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>
  readonly components: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>
}

/**
 * The OpenAPI 3.1 document of a product, made of the schemas that validate its requests and of what it says of its wire
 * format.
 */
export function openApiDocument({ prefix, routes, reference, keyRateLimit }: DocumentedProduct): OpenApiDocument {
  const headers = answerHeaders(keyRateLimit)
  const paths: Record<string, Record<string, DocumentedOperation>> = {}
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, path, reference, headers) }
  }
  const used = new Set(Object.values(paths).flatMap((item) => Object.values(item).flatMap(({ tags }) => tags)))
  return {
    openapi: '3.1.0',
    info: { title: reference.title, version: '1', description: reference.description },
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    servers: [{ url: prefix === '' ? '/' : prefix }],
    tags: [...used].map((name) => ({ name })),
    paths,
    components: {
      schemas: namedSchemas(reference.schemas),
      responses: Object.fromEntries(
        distinct(Object.values(reference.failures).map(({ httpStatus }) => httpStatus)).map((status) => [
          failureName(status),
          failure(status, reference, headers),
        ]),
      ),
      headers,
      securitySchemes: Object.fromEntries(
        reference.headers.map(({ name, description }) => [name, { type: 'apiKey', in: 'header', name, description }]),
      ),
    },
  }
}

/** The route's own description, and why it may fail beyond what every operation may. */
function descriptionOf({ description, reasons = [] }: Route): { description?: string } {
  const mayFail = reasons.length === 0 ? [] : [`May fail with ${reasons.map(({ name }) => name).join(', ')}.`]
  const sentences = [...(description === undefined ? [] : [description]), ...mayFail]
  return sentences.length === 0 ? {} : { description: sentences.join(' ') }
}

/** Why an operation may fail as others of its access may. */
function commonReasons({ access }: Route, { reasons, keyReasons }: ProductReference): readonly Reason[] {
  if (access === 'PUBLIC' || access === 'WALLET') return reasons
  return [...reasons, ...keyReasons.READ_ONLY, ...(access === 'WRITABLE' ? keyReasons.WRITABLE : [])]
}

const isIdempotent = ({ reasons = [] }: Route): boolean => reasons.includes(httpReasons.idempotency_key_reused)

/** Failures by HTTP status and code. */
function errorsOf(reasons: readonly Reason[], reference: ProductReference): DocumentedError[] {
  const errors = [...new Set(reasons)].map(({ name, kind, retryable }) => {
    const { httpStatus: status, code } = reference.ownFailures?.[name] ?? reference.failures[kind]
    return { status, code, reason: name, retryable }
  })
  return errors.sort((a, b) => a.status - b.status || a.code - b.code || (a.reason < b.reason ? -1 : 1))
}

/** Statuses or codes, each once, in order. */
const distinct = (numbers: readonly number[]): number[] => [...new Set(numbers)].sort((a, b) => a - b)

function operation(
  route: Route,
  path: string,
  reference: ProductReference,
  headers: AnswerHeaders,
): DocumentedOperation {
  const signed = Object.fromEntries(reference.headers.map(({ name }) => [name, []]))
  const errors = errorsOf([...commonReasons(route, reference), ...(route.reasons ?? [])], reference)
  const parameters = parametersOf(route, reference)
  const { body } = route.schema
  return {
    operationId: operationId(route.method, path),
    tags: [groupOf(route.path, reference)],
    summary: route.summary,
    ...descriptionOf(route),
    'x-access': route.access,
    'x-errors': errors,
    security: { READ_ONLY: [signed], WRITABLE: [signed], OPEN: [{}, signed], WALLET: [], PUBLIC: [] }[route.access],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body ? { requestBody: requestBody(route, body) } : {}),
    responses: {
      200: success(route, reference, headers),
      ...Object.fromEntries(
        distinct(errors.map(({ status }) => status)).map((status) => [
          status,
          { $ref: `#/components/responses/${failureName(status)}` },
        ]),
      ),
    },
  }
}

/** `GET /api/v1/orders/{orderId}` as `getOrdersOrderId`. */
function operationId(method: string, path: string): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== '' && word !== 'api' && !/^v\d+$/.test(word))
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

function groupOf(path: string, { groups, title }: ProductReference): string {
  return groups.find(([beginning]) => path.startsWith(beginning))?.[1] ?? title
}

interface ObjectSchema extends JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
}

function parametersOf(route: Route, reference: ProductReference): JsonSchema[] {
  const { examples = {}, schema } = route
  const list = (parameters: TSchema | undefined, place: 'path' | 'query', values: unknown = {}) => {
    const { properties = {}, required = [] } = (parameters ?? {}) as ObjectSchema
    return Object.entries(properties).map(([name, { description, ...rest }]) => ({
      name,
      in: place,
      required: required.includes(name),
      ...(description === undefined ? {} : { description }),
      schema: plain(rest),
      example: exampleOf(rest, { ...reference.parameters, ...(values as Readonly<Record<string, unknown>>) }, name),
    }))
  }
  return [
    ...list(schema.params, 'path', examples.params),
    ...list(schema.query, 'query', examples.query),
    ...(isIdempotent(route) ? [IDEMPOTENCY_KEY] : []),
  ]
}

const IDEMPOTENCY_KEY: JsonSchema = {
  name: 'idempotency-key',
  in: 'header',
  required: false,
  description:
    'The same key and request again get the first answer, with idempotent-replayed: true; a refusal with that header is final.',
  schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
  example: '7c9f0d0a-6f3e-4b58-9f0f-0b6f3f1f5a11',
}

function requestBody({ examples }: Route, body: TSchema): JsonSchema {
  const schema = plain(closed(body) as JsonSchema)
  const bodies = examples?.bodies ?? { request: exampleOf(schema, {}) }
  const values = Object.entries(bodies).map(([name, value]) => [name, { value }])
  return {
    required: true,
    content: { 'application/json': { schema, examples: Object.fromEntries(values) } },
  }
}

function success(route: Route, reference: ProductReference, headers: AnswerHeaders): JsonSchema {
  const data = route.schema.data as JsonSchema
  const shown = route.examples?.data ?? exampleOf(data, {})
  const example = exampleOf(reference.success(data), { ...reference.fields, data: shown })
  const left = isIdempotent(route) ? FAILURE_HEADERS : [...FAILURE_HEADERS, REPLAY_HEADER]
  return {
    description: 'Success.',
    headers: headerRefs(Object.keys(headers).filter((name) => !left.includes(name))),
    content: {
      'application/json': { schema: plain(reference.success(named(data, namesByText(reference.schemas)))), example },
    },
  }
}

/** The answer of every failure with this status; which of them an operation has, its `x-errors` say. */
function failure(status: number, reference: ProductReference, headers: AnswerHeaders): JsonSchema {
  const later = reference.toldWhen.map(({ name, kind }) => reference.ownFailures?.[name] ?? reference.failures[kind])
  const saysWhen = status === 429 || later.some(({ httpStatus }) => httpStatus === status)
  const every = [...Object.values(reference.failures), ...Object.values(reference.ownFailures ?? {})]
  const wires = every.filter(({ httpStatus }) => httpStatus === status)
  const schema = reference.failure(distinct(wires.map(({ code }) => code)))
  const { reasons, keyReasons } = reference
  const common = [...reasons, ...keyReasons.READ_ONLY, ...keyReasons.WRITABLE]
  const shown = errorsOf(common, reference).filter((error) => error.status === status)
  const examples = shown.flatMap(({ reason, code }) => {
    const errMsg = reference.messages[reason]
    const said = { code, errMsg, msg: errMsg }
    return errMsg === undefined ? [] : [[reason, { value: exampleOf(schema, { ...reference.fields, ...said }) }]]
  })
  const left = [...(REPLAYED_REFUSALS.includes(status) ? [] : [REPLAY_HEADER]), ...(saysWhen ? [] : ['retry-after'])]
  return {
    description: `Failure, HTTP ${status}.`,
    headers: headerRefs(Object.keys(headers).filter((name) => !left.includes(name))),
    content: { 'application/json': { schema: plain(schema), examples: Object.fromEntries(examples) } },
  }
}

const failureName = (status: number): string => `Failure${status}`

/** HTTP statuses of a refusal that a repeat may be told: what was stored under its key could not be done when its turn came. */
const REPLAYED_REFUSALS: readonly number[] = [400, 403]

const FAILURE_HEADERS = ['x-error-reason', 'retry-after']
const REPLAY_HEADER = 'idempotent-replayed'
type AnswerHeaders = Readonly<Record<string, JsonSchema>>

const ANSWER_HEADERS: AnswerHeaders = {
  'x-request-id': {
    description:
      'The same UUID as in the body, but where a write that came again with its signature gets the body of the first answer.',
    schema: { type: 'string', format: 'uuid' },
  },
  'ratelimit-limit': { description: 'Requests that one address may send in a window.', schema: { type: 'integer' } },
  'ratelimit-remaining': { description: 'How many of them are left.', schema: { type: 'integer' } },
  'ratelimit-reset': { description: 'Seconds until the window ends.', schema: { type: 'integer' } },
  'x-error-reason': {
    description: 'Why the request failed; absent when its authentication did. /docs/errors explains each.',
    schema: { type: 'string' },
  },
  'idempotent-replayed': {
    description:
      'true when this is the answer of an earlier request with the same Idempotency-Key, or a success that one with the same signature had.',
    schema: { type: 'string', const: 'true' },
  },
  'retry-after': {
    description: 'Seconds to wait before the next request; absent where it is not known when that may succeed.',
    schema: { type: 'integer' },
  },
}

/** The headers of every answer, with those that count an API key where the product has them apart from the address's. */
function answerHeaders(keyRateLimit: KeyRateLimit | undefined): AnswerHeaders {
  if (!keyRateLimit) return ANSWER_HEADERS
  const { headers } = keyRateLimit
  if (headers === 'ratelimit') {
    const description =
      'Requests that one API key may send in a window; where no key signs, those that one address may.'
    return { ...ANSWER_HEADERS, 'ratelimit-limit': { description, schema: { type: 'integer' } } }
  }
  return {
    ...ANSWER_HEADERS,
    [`${headers}-limit`]: {
      description: 'Requests that one API key may send in a window.',
      schema: { type: 'integer' },
    },
    [`${headers}-remaining`]: { description: 'How many of them are left.', schema: { type: 'integer' } },
    [`${headers}-reset`]: { description: 'Seconds until the window of the key ends.', schema: { type: 'integer' } },
  }
}

const headerRefs = (names: readonly string[]): JsonSchema =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
