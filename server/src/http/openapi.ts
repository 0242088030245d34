import type { TSchema } from 'typebox'
import type { Reason } from '../lib/errors.ts'
import { exampleOf } from './openapi-example.ts'
import type { Route } from './product.ts'
import { httpReasons } from './reasons.ts'
import type { JsonSchema, OperationReference, ProductReference } from './reference.ts'
import { closed } from './validation.ts'

/** A product as the document shows it. */
export interface DocumentedProduct {
  /** Service prefix of the base URL; may be empty. */
  readonly prefix: string
  readonly routes: readonly Route[]
  readonly reference: ProductReference
}

/** An operation of the document (OpenAPI 3.1, "Operation Object"). */
export interface DocumentedOperation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description?: string
  /** The permission that the API key needs. */
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
export function openApiDocument({ prefix, routes, reference }: DocumentedProduct): OpenApiDocument {
  const paths: Record<string, Record<string, DocumentedOperation>> = {}
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, path, reference) }
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
      schemas: namedSchemas(reference),
      responses: Object.fromEntries(
        distinct(Object.values(reference.failures).map(({ httpStatus }) => httpStatus)).map((status) => [
          failureName(status),
          failure(status, reference),
        ]),
      ),
      headers: ANSWER_HEADERS,
      securitySchemes: Object.fromEntries(
        reference.headers.map(({ name, description }) => [name, { type: 'apiKey', in: 'header', name, description }]),
      ),
    },
  }
}

/** Why the operation may fail, beyond what every operation may. */
function describeErrors(route: Route, reference: ProductReference): { description?: string } {
  const reasons = ownReasons(route, reference)
  return reasons.length === 0 ? {} : { description: `May fail with ${reasons.map(({ name }) => name).join(', ')}.` }
}

const ownReasons = (route: Route, reference: ProductReference): readonly Reason[] =>
  operationReference(route, reference).reasons ?? []

const isIdempotent = (route: Route, reference: ProductReference): boolean =>
  ownReasons(route, reference).includes(httpReasons.idempotency_key_reused)

/** Failures by HTTP status and code. */
function errorsOf(reasons: readonly Reason[], reference: ProductReference): DocumentedError[] {
  const errors = [...new Set(reasons)].map(({ name, kind, retryable }) => {
    const { httpStatus: status, code } = reference.failures[kind]
    return { status, code, reason: name, retryable }
  })
  return errors.sort((a, b) => a.status - b.status || a.code - b.code || (a.reason < b.reason ? -1 : 1))
}

/** Statuses or codes, each once, in order. */
const distinct = (numbers: readonly number[]): number[] => [...new Set(numbers)].sort((a, b) => a - b)

function operation(route: Route, path: string, reference: ProductReference): DocumentedOperation {
  const errors = errorsOf([...reference.reasons, ...ownReasons(route, reference)], reference)
  const parameters = parametersOf(route, reference)
  const { body } = route.schema
  return {
    operationId: operationId(route.method, path),
    tags: [groupOf(route.path, reference)],
    summary: route.summary,
    ...describeErrors(route, reference),
    'x-access': route.access,
    'x-errors': errors,
    security: [Object.fromEntries(reference.headers.map(({ name }) => [name, []]))],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body ? { requestBody: requestBody(route, body, reference) } : {}),
    responses: {
      200: success(route, reference),
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

const operationReference = ({ method, path }: Route, reference: ProductReference): OperationReference =>
  reference.operations[`${method} ${path}`] ?? {}

const fieldsOf = (route: Route, reference: ProductReference): Readonly<Record<string, unknown>> => ({
  ...reference.fields,
  ...operationReference(route, reference).fields,
})

interface ObjectSchema extends JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
}

function parametersOf(route: Route, reference: ProductReference): JsonSchema[] {
  const { params, query } = route.schema
  const fields = fieldsOf(route, reference)
  const list = (schema: TSchema | undefined, place: 'path' | 'query') => {
    const { properties = {}, required = [] } = (schema ?? {}) as ObjectSchema
    return Object.entries(properties).map(([name, { description, ...rest }]) => ({
      ...{ name, in: place, required: required.includes(name) },
      ...(description === undefined ? {} : { description }),
      schema: plain(rest),
      example: exampleOf(rest, fields, name),
    }))
  }
  return [
    ...list(params, 'path'),
    ...list(query, 'query'),
    ...(isIdempotent(route, reference) ? [IDEMPOTENCY_KEY] : []),
  ]
}

const IDEMPOTENCY_KEY: JsonSchema = {
  name: 'idempotency-key',
  in: 'header',
  required: false,
  description: 'The same key and request again get the first answer, with idempotent-replayed: true.',
  schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
  example: '7c9f0d0a-6f3e-4b58-9f0f-0b6f3f1f5a11',
}

function requestBody(route: Route, body: TSchema, reference: ProductReference): JsonSchema {
  const schema = plain(closed(body) as JsonSchema)
  const { bodies } = operationReference(route, reference)
  const examples = bodies ?? { request: exampleOf(schema, fieldsOf(route, reference)) }
  const values = Object.entries(examples).map(([name, value]) => [name, { value }])
  return {
    required: true,
    content: { 'application/json': { schema, examples: Object.fromEntries(values) } },
  }
}

function success(route: Route, reference: ProductReference): JsonSchema {
  const data = route.schema.data as JsonSchema
  const example = exampleOf(reference.success(data), fieldsOf(route, reference))
  const left = isIdempotent(route, reference) ? FAILURE_HEADERS : [...FAILURE_HEADERS, REPLAY_HEADER]
  return {
    description: 'Success.',
    headers: headerRefs(Object.keys(ANSWER_HEADERS).filter((name) => !left.includes(name))),
    content: { 'application/json': { schema: plain(reference.success(named(data, reference))), example } },
  }
}

/** The answer of every failure with this status; which of them an operation has, its `x-errors` say. */
function failure(status: number, reference: ProductReference): JsonSchema {
  const wires = Object.values(reference.failures).filter(({ httpStatus }) => httpStatus === status)
  const schema = reference.failure(distinct(wires.map(({ code }) => code)))
  const shown = errorsOf(reference.reasons, reference).filter((error) => error.status === status)
  const examples = shown.flatMap(({ reason, code }) => {
    const errMsg = reference.messages[reason]
    return errMsg === undefined ? [] : [[reason, { value: exampleOf(schema, { ...reference.fields, code, errMsg }) }]]
  })
  const left = status === 429 ? [REPLAY_HEADER] : [REPLAY_HEADER, 'retry-after']
  return {
    description: `Failure, HTTP ${status}.`,
    headers: headerRefs(Object.keys(ANSWER_HEADERS).filter((name) => !left.includes(name))),
    content: { 'application/json': { schema: plain(schema), examples: Object.fromEntries(examples) } },
  }
}

const failureName = (status: number): string => `Failure${status}`

const FAILURE_HEADERS = ['x-error-reason', 'retry-after']
const REPLAY_HEADER = 'idempotent-replayed'
const ANSWER_HEADERS: Readonly<Record<string, JsonSchema>> = {
  'x-request-id': { description: 'The same UUID as in the body.', schema: { type: 'string', format: 'uuid' } },
  'ratelimit-limit': { description: 'Requests that one address may send in a window.', schema: { type: 'integer' } },
  'ratelimit-remaining': { description: 'How many of them are left.', schema: { type: 'integer' } },
  'ratelimit-reset': { description: 'Seconds until the window ends.', schema: { type: 'integer' } },
  'x-error-reason': {
    description: 'Why the request failed; absent when its authentication did. /docs/errors explains each.',
    schema: { type: 'string' },
  },
  'idempotent-replayed': {
    description: 'true when this is the answer of an earlier request with the same Idempotency-Key.',
    schema: { type: 'string', const: 'true' },
  },
  'retry-after': { description: 'Seconds to wait before the next request.', schema: { type: 'integer' } },
}

const headerRefs = (names: readonly string[]): JsonSchema =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

/** The named schemas, each of which may refer to the others. */
function namedSchemas(reference: ProductReference): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(reference.schemas).map(([name, schema]) => [name, plain(inside(schema as JsonSchema, reference))]),
  )
}

/** The schema with a reference wherever a named one stands; the builder copies schemas, so they are told by their text. */
function named(schema: JsonSchema, reference: ProductReference): JsonSchema {
  const text = JSON.stringify(schema)
  const name = Object.entries(reference.schemas).find(([, one]) => JSON.stringify(one) === text)?.[0]
  return name === undefined ? inside(schema, reference) : { $ref: `#/components/schemas/${name}` }
}

function inside(schema: JsonSchema, reference: ProductReference): JsonSchema {
  const entries = Object.entries(schema).map(([keyword, value]) => [keyword, below(value, reference)])
  return Object.fromEntries(entries)
}

function below(value: unknown, reference: ProductReference): unknown {
  if (Array.isArray(value)) return value.map((one) => below(one, reference))
  return value !== null && typeof value === 'object' ? named(value as JsonSchema, reference) : value
}

/** What of a schema goes over the wire: the builder's own marks stay behind. */
const plain = (schema: JsonSchema): JsonSchema => JSON.parse(JSON.stringify(schema))
