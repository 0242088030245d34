import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type AsyncApiDocument, asyncApiDocument } from '../server/src/http/asyncapi.ts'
import { type OpenApiDocument, openApiDocument } from '../server/src/http/openapi.ts'
import type { JsonSchema } from '../server/src/http/reference.ts'
import { productsToDocument } from './generate-reference.ts'
import { decimalFields, generatedSdk, operationsOf, sdkSources } from './generate-sdk.ts'
import { errorsSource } from './sdk-errors.ts'
import { PERP_NAMES, STOCK_NAMES } from './sdk-names.ts'
import { resolved } from './sdk-types.ts'

const root = join(import.meta.dirname, '..')
const documents = productsToDocument().map((product) => ({
  name: product.name,
  document: openApiDocument(product),
  stream: asyncApiDocument(product),
}))

const success = (data: object) => ({
  200: { content: { 'application/json': { schema: { properties: { data } } } } },
})
const money = {
  type: 'object',
  required: ['amount', 'token', 'at'],
  properties: {
    amount: { type: 'number' },
    token: { type: 'string', description: 'Which token the amount is of, by its address on the chain.' },
    at: { type: 'integer' },
    state: { enum: ['open', 'done'] },
    note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
  },
}

function documentOf(paths: object): OpenApiDocument {
  return { paths, components: { schemas: {} } } as unknown as OpenApiDocument
}

function streamOf(schemas: object, payloads: Readonly<Record<string, JsonSchema>>): AsyncApiDocument {
  const messages = Object.entries(payloads).map(([name, payload]) => {
    const contentType = payload.type === 'string' ? 'text/plain' : 'application/json'
    return [name, { name, summary: `Tells ${name}.`, contentType, payload }]
  })
  const refs = Object.keys(payloads).map((name) => ({ $ref: `#/channels/stream/messages/${name}` }))
  return {
    operations: { tell: { messages: refs } },
    components: { messages: Object.fromEntries(messages), schemas },
  } as unknown as AsyncApiDocument
}

const operation = (operationId: string, more: object, data: object = money) => ({
  operationId,
  summary: 'Does it',
  'x-access': 'READ_ONLY',
  'x-errors': [],
  tags: [],
  security: [],
  ...more,
  responses: success(data),
})

describe('the generated client library', () => {
  it('is committed as the documents make it', () => {
    for (const [path, text] of generatedSdk()) {
      expect(existsSync(join(root, path)) && readFileSync(join(root, path), 'utf8'), path).toBe(text)
    }
  })

  it('has a function for each operation, under a name of its own', () => {
    for (const { name, document } of documents) {
      const names = operationsOf(name, document).map((one) => one.name)
      expect(new Set(names).size).toBe(names.length)
      const left = Object.keys(document.paths).filter((path) => !path.startsWith('/v4/public/mm/'))
      expect(names.length).toBe(left.flatMap((path) => Object.keys(document.paths[path] ?? {})).length)
    }
  })

  it.each([
    ['stock', STOCK_NAMES],
    ['perp', PERP_NAMES],
  ])('names every operation of %s, and no other', (product, names) => {
    const found = documents.find(({ name }) => name === product)
    const ids = found ? operationsOf(product, found.document).map((one) => one.document.operationId) : []
    expect(Object.keys(names).sort()).toEqual(ids.sort())
  })
})

describe('an operation', () => {
  const idempotency = { name: 'idempotency-key', in: 'header', schema: { type: 'string' } }
  const body = (properties: object) => ({ content: { 'application/json': { schema: { type: 'object', properties } } } })
  const { operations: source } = sdkSources(
    'stock',
    documentOf({
      '/things/{id}': {
        get: operation('getThing', {
          parameters: [
            { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
            { name: 'limit', in: 'query', schema: { type: 'integer' } },
          ],
        }),
      },
      '/things/send': {
        post: operation('sendThing', {
          'x-access': 'WRITABLE',
          parameters: [idempotency],
          requestBody: body({ amount: { anyOf: [{ type: 'string' }, { type: 'number' }] } }),
        }),
      },
      '/things/calldata': { post: operation('buildThing', { requestBody: body({ a: { type: 'boolean' } }) }) },
      '/things': { delete: operation('deleteThings', { 'x-access': 'OPEN' }) },
      '/keys': { post: operation('makeKey', { 'x-access': 'WALLET', requestBody: body({ b: { type: 'boolean' } }) }) },
    }),
  )

  it('is called with one flat object, and says how it may be repeated', () => {
    expect(source).toContain("['read', 'GET', '/things/{id}', ['limit'], false, 'key'], params, options")
    expect(source).toContain("['send', 'POST', '/things/send', [], true, 'key'], params, options")
    expect(source).toContain("['read', 'POST', '/things/calldata', [], true, 'key'], params, options")
    expect(source).toContain("['once', 'DELETE', '/things', [], false, 'open'], {}, options")
    expect(source).toContain("['once', 'POST', '/keys', [], true, 'none'], params, options")
  })

  it('has amounts as text, both ways', () => {
    expect(source).toMatch(/interface SendThingParams {\s+readonly amount\?: string\s+}/)
    expect(source).toContain("DECIMALS: readonly string[] = ['amount']")
    expect(source).toMatch(/readonly amount: string\n/)
    expect(source).toMatch(/readonly at: number\n/)
  })

  it('shares a type with whatever has the same one', () => {
    expect(source.match(/readonly state\?: 'open' \| 'done'/g)).toHaveLength(1)
    expect(source).toContain('readonly note?: string | null')
  })
})

describe('the messages of a stream', () => {
  const report = {
    type: 'object',
    required: ['spread', 'told'],
    properties: {
      spread: { type: 'number' },
      told: { type: 'string', description: 'What was told of it, in words. '.repeat(4) },
    },
  }
  const told = (properties: object) => ({ type: 'object', required: Object.keys(properties), properties })
  const schemas = { Money: money, Report: report }
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
  const stream = streamOf(schemas, {
    moneySnapshot: told({ channel: { type: 'string', const: 'money' }, data: { type: 'array', items: ref('Money') } }),
    reportDelta: told({ channel: { type: 'string', pattern: '^reports:[^:]+:(1m|1d)$' }, data: ref('Report') }),
    pong: { type: 'string', const: 'pong' },
  })
  const { operations, messages } = sdkSources(
    'stock',
    documentOf({ '/money': { get: operation('getMoney', {}) } }),
    stream,
  )

  it('are each a type, and together one; a bare text has none', () => {
    expect(messages).toMatch(
      /export interface MoneySnapshotMessage {\s+readonly channel: 'money'\s+readonly data: readonly Money\[\]\s+}/,
    )
    expect(messages).toContain('export type ToldMessage = MoneySnapshotMessage | ReportDeltaMessage')
    expect(messages).not.toContain('Pong')
  })

  it('share what operations have, which stands there alone; the rest stands with them', () => {
    expect(operations).toContain('export type GetMoneyResult = Money\n')
    expect(operations).toContain('export interface Money {')
    expect(operations).not.toContain('Report')
    expect(messages).toContain("import type { Money } from './operations.ts'")
    expect(messages).not.toContain('interface Money {')
    expect(messages).toContain('export interface Report {')
  })

  it('name a channel by its pattern', () => {
    expect(messages).toContain('readonly channel: `reports:' + `\${string}:\${'1m' | '1d'}\``)
  })

  it('have amounts as text, which the client is told of', () => {
    expect(messages).toContain('readonly spread: string')
    expect(operations).toContain("DECIMALS: readonly string[] = ['amount', 'spread']")
  })

  it.each(documents)('of $name mean by a name what its operations mean by it', ({ document, stream }) => {
    const of = (components: OpenApiDocument['components']['schemas'] = {}) =>
      Object.fromEntries(Object.entries(components).map(([name, one]) => [name, resolved(one, components)]))
    const own = of(document.components.schemas)
    const named = Object.entries(of(stream?.components.schemas))
    expect(named.length).toBeGreaterThan(0)
    for (const [name, schema] of named) expect([name, schema]).toEqual([name, own[name] ?? schema])
  })
})

describe('a document that the library cannot follow is refused', () => {
  it('when a name is an amount here and a count there', () => {
    const count = { type: 'object', properties: { amount: { type: 'integer' } } }
    const paths = { '/a': { get: operation('getA', {}) }, '/b': { get: operation('getB', {}, count) } }
    expect(() => decimalFields(documentOf(paths))).toThrow('amount: an amount cannot be told from a count')
  })

  it('when a name is an amount in an answer and a count in a message', () => {
    const count = { type: 'object', properties: { amount: { type: 'integer' } } }
    const paths = { '/a': { get: operation('getA', {}) } }
    expect(() => sdkSources('stock', documentOf(paths), streamOf({}, { counted: count }))).toThrow(
      'amount: an amount cannot be told from a count',
    )
  })

  it('when a field of the path and one of the body have one name', () => {
    const both = {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
      requestBody: { content: { 'application/json': { schema: { properties: { id: { type: 'string' } } } } } },
    }
    expect(() => operationsOf('stock', documentOf({ '/a/{id}': { post: operation('postA', both) } }))).toThrow(
      'one name',
    )
  })

  it('when a code has no class of errors', () => {
    const unknown = { 'x-errors': [{ status: 418, code: 77, reason: 'teapot', retryable: false }] }
    const document = documentOf({ '/a': { get: operation('getA', unknown) } })
    expect(() => errorsSource('', 'stock', document)).toThrow('no class of error for HTTP 418, code 77')
  })
})
