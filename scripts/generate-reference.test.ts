import { describe, expect, it } from 'vitest'
import { DocumentValidator, MessageValidator, schemasOf } from '../server/e2e/openapi-validator.ts'
import type { AsyncApiDocument } from '../server/src/http/asyncapi.ts'
import type { OpenApiDocument } from '../server/src/http/openapi.ts'
import type { JsonSchema } from '../server/src/http/reference.ts'
import { generatedFiles, productsToDocument } from './generate-reference.ts'

const files = generatedFiles()
const documentOf = (name: string): OpenApiDocument => JSON.parse(files.get(`docs/reference/${name}.json`) ?? '')
const operationsOf = ({ paths }: OpenApiDocument) =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, ...operation })),
  )
const document = documentOf('openapi')
const operations = operationsOf(document)
const products = productsToDocument()
const routes = products[0]?.routes ?? []

/**
 * Every product's document, the routes that it is of, and the statuses of its operations: of all, of all but those of some access, and of
 * some. Nobody waits for a look-up of keys where a wallet signs, and nobody is refused for a signature where none is asked for.
 */
const documents = [
  {
    name: 'openapi',
    routes,
    always: ['200', '400', '429', '500'],
    ofSigned: ['503'],
    unsigned: ['WALLET'],
    ofSome: ['422'],
  },
  {
    name: 'perp-openapi',
    routes: products[1]?.routes ?? [],
    always: ['200', '400', '403', '429', '500'],
    ofSigned: ['401'],
    unsigned: ['PUBLIC'],
    ofSome: [],
  },
].map((one) => {
  const shown = documentOf(one.name)
  return { ...one, document: shown, operations: operationsOf(shown) }
})

/** What a server accepts unless it is told otherwise. */
const MOST_BODY_BYTES = 64 * 1024

/** Every `$ref` of a JSON value. */
function refsOf(node: unknown): string[] {
  if (node === null || typeof node !== 'object') return []
  const own = (node as { $ref?: unknown }).$ref
  return [...(typeof own === 'string' ? [own] : []), ...Object.values(node).flatMap(refsOf)]
}

/** Where a schema leaves open what may stand there. */
function openPlaces(node: unknown, place = ''): string[] {
  if (typeof node !== 'object' || node === null) return [place]
  const {
    type,
    properties,
    patternProperties,
    additionalProperties = false,
    items,
    anyOf,
    ...rest
  } = node as JsonSchema
  if (['$ref', 'const', 'enum'].some((keyword) => keyword in rest)) return []
  const fields = Object.entries({ ...(properties as object), ...(patternProperties as object) })
  const inside = [
    ...fields.flatMap(([name, field]) => openPlaces(field, `${place}.${name}`)),
    ...((anyOf ?? []) as readonly unknown[]).flatMap((part, nth) => openPlaces(part, `${place}|${nth}`)),
    ...(type === 'array' ? openPlaces(items, `${place}[]`) : []),
  ]
  const isOpen = type === 'object' ? fields.length === 0 || additionalProperties !== false : !type && !anyOf
  return isOpen ? [place, ...inside] : inside
}

const resolves = (root: unknown, ref: string): boolean =>
  ref.startsWith('#/') &&
  ref
    .slice(2)
    .split('/')
    .reduce<unknown>((node, part) => (node as Record<string, unknown> | undefined)?.[part], root) !== undefined

it('every product has its document here', () => {
  expect(documents.map(({ document }) => document.info.title)).toEqual(products.map(({ reference }) => reference.title))
})

describe.each(documents)(
  'the OpenAPI document $name',
  ({ document, operations, routes, always, ofSigned, unsigned, ofSome }) => {
    it('has every operation of the product, with its permission', () => {
      const documented = operations.map(({ method, path, 'x-access': access }) => [method.toUpperCase(), path, access])
      const byPath = [...Map.groupBy(routes, ({ path }) => path).values()].flat()
      expect(documented).toEqual(
        byPath.map(({ method, path, access }) => [method, path.replaceAll(/:(\w+)/g, '{$1}'), access]),
      )
      expect(operations.length).toBeGreaterThan(20)
    })

    it('follows the rules of OpenAPI 3.1 that its schemas do not show', () => {
      expect(document.openapi).toMatch(/^3\.1\.\d+$/)
      expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length)
      for (const { path, method, parameters = [], requestBody, responses, tags, ...operation } of operations) {
        const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
        const declared = parameters.filter((parameter) => parameter.in === 'path')
        expect(declared.map(({ name }) => name)).toEqual(inPath)
        expect(declared.every(({ required }) => required === true)).toBe(true)
        expect(requestBody !== undefined && method !== 'post', `${method} ${path}`).toBe(false)
        expect(tags.every((tag) => document.tags.some(({ name }) => name === tag))).toBe(true)
        const whereSigned = unsigned.includes(operation['x-access']) ? [] : ofSigned
        const statuses = Object.keys(responses).filter((status) => !ofSome.includes(status))
        expect(statuses, `${method} ${path}`).toEqual([...always, ...whereSigned].sort())
      }
    })

    it('refers to nothing that is not there', () => {
      const refs = refsOf(document)
      expect(refs.length).toBeGreaterThan(100)
      expect(refs.filter((ref) => !resolves(document, ref))).toEqual([])
      expect(resolves(document, '#/components/schemas/Nothing')).toBe(false)
    })

    it('says of every answer what is in it, field by field', () => {
      const answers = operations.map(({ method, path, responses }) => {
        const content = responses[200]?.content as { 'application/json': { schema: { properties: { data: unknown } } } }
        return [`${method} ${path}`, content['application/json'].schema.properties.data] as const
      })
      const all = [...answers, ...Object.entries(document.components.schemas ?? {})]
      expect(all.flatMap(([name, schema]) => openPlaces(schema, name))).toEqual([])
    })

    it('asks for no text that is longer than a body may be', () => {
      const longest = JSON.stringify(document).matchAll(/"maxLength":(\d+)/g)
      const lengths = [...longest].map(([, length]) => Number(length))
      expect(lengths.filter((length) => length > MOST_BODY_BYTES - 1000)).toEqual([])
    })

    it('has schemas that compile, and examples that they admit', () => {
      const validator = new DocumentValidator(document)
      const schemas = [...schemasOf(document)]
      const bad = schemas.flatMap(({ pointer, examples }) =>
        [...examples, undefined].flatMap((example) => {
          const problem = validator.problem(pointer, example ?? null)
          return example === undefined || problem === null ? [] : [`${pointer}: ${problem}`]
        }),
      )
      expect(bad).toEqual([])
      expect(schemas.length).toBeGreaterThan(operations.length)
      // What stands in for a text of which no example is given.
      expect(JSON.stringify(schemas.map(({ examples }) => examples))).not.toContain('"text"')
      expect(schemas.flatMap(({ examples }) => examples).length).toBeGreaterThan(operations.length)
      for (const name of Object.keys(document.components.schemas ?? {})) {
        expect(validator.problem(`#/components/schemas/${name}`, 7), name).not.toBeNull()
      }
    })
  },
)

const streamDocuments = products.map((product, nth) => ({
  name: nth === 0 ? 'asyncapi' : `${product.name}-asyncapi`,
  reference: product.stream?.reference?.(),
}))

describe.each(streamDocuments)('the AsyncAPI document $name', ({ name, reference }) => {
  const document: AsyncApiDocument = JSON.parse(files.get(`docs/reference/${name}.json`) ?? '')
  const messages = Object.values(document.components.messages)

  it('has every message of the stream, each at the end that sends it', () => {
    const { requests = {}, messages = {} } = reference ?? {}
    const namesOf = (operation: string) =>
      document.operations[operation]?.messages.map(({ $ref }) => $ref.split('/').at(-1))
    expect([namesOf('request'), namesOf('tell')]).toEqual([Object.keys(requests), Object.keys(messages)])
    expect([document.operations.request?.action, document.operations.tell?.action]).toEqual(['receive', 'send'])
    expect(Object.keys(document.components.messages)).toEqual(Object.keys({ ...requests, ...messages }))
    expect(Object.keys(messages).length).toBeGreaterThan(10)
  })

  it('refers to nothing that is not there', () => {
    const refs = refsOf(document)
    expect(refs.length).toBeGreaterThan(messages.length)
    expect(refs.filter((ref) => !resolves(document, ref))).toEqual([])
  })

  it('says of every message what is in it, field by field, and shows one', () => {
    const validator = new MessageValidator(document)
    const told = Object.keys(reference?.messages ?? {}).map((one) => [one, document.components.messages[one]?.payload])
    const all = [...told, ...Object.entries(document.components.schemas)]
    expect(all.flatMap(([one, schema]) => openPlaces(schema, String(one)))).toEqual([])
    for (const [one, { examples }] of Object.entries(document.components.messages)) {
      const pointer = `#/components/messages/${one}/payload`
      expect(
        examples.map(({ payload }) => validator.problem(pointer, payload)),
        one,
      ).toEqual([null])
      expect(validator.problem(pointer, 7), one).not.toBeNull()
    }
  })

  it('has messages that are told apart', () => {
    const validator = new MessageValidator(document)
    for (const [one, { example }] of Object.entries(reference?.messages ?? {})) {
      expect(validator.namesOf('tell', example).names).toEqual([one])
    }
  })
})

describe('the OpenAPI document of the first product', () => {
  it('demands all six headers of an operation for keys, and offers them where anybody may ask', () => {
    const six = ['x-api-key', 'x-api-ts', 'x-api-nonce', 'x-api-sign', 'x-api-chain-id', 'x-api-p']
    const signed = Object.fromEntries(six.map((name) => [name, []]))
    const forms: Record<string, unknown> = { READ_ONLY: [signed], WRITABLE: [signed], OPEN: [{}, signed], WALLET: [] }
    for (const { security, 'x-access': access } of operations) expect(security).toEqual(forms[access])
    expect(operations.filter(({ 'x-access': access }) => access === 'OPEN').length).toBe(8)
    expect(operations.filter(({ 'x-access': access }) => access === 'WALLET').map(({ path }) => path)).toEqual([
      '/api/v1/session',
    ])
    expect(Object.keys(document.components.securitySchemes ?? {})).toEqual(six)
  })

  it('shows of every operation what it takes and what it answers, and says which failures it has', () => {
    const named = (schema: { properties?: object } | undefined) => Object.keys(schema?.properties ?? {})
    for (const { method, path, schema, examples = {} } of routes) {
      const operation = `${method} ${path}`
      expect(examples, operation).toHaveProperty('data')
      expect(Object.keys(examples.bodies ?? {}).length > 0, operation).toBe(schema.body !== undefined)
      expect(Object.keys(examples.params ?? {}), operation).toEqual(named(schema.params))
      expect(Object.keys(examples.query ?? {}).sort(), operation).toEqual(named(schema.query).sort())
    }
    for (const { 'x-errors': errors, 'x-access': access } of operations) {
      const reasons = errors.map(({ reason }) => reason)
      expect(reasons).toContain('rate_limited')
      for (const ofKeys of ['unauthenticated', 'authentication_unavailable']) {
        expect(reasons.includes(ofKeys)).toBe(access !== 'WALLET')
      }
    }
  })
})

it('says of every write to the perpetual API whose signature may come again that its first answer may be lost', () => {
  const perp: OpenApiDocument = JSON.parse(files.get('docs/reference/perp-openapi.json') ?? '')
  const loses = (of: OpenApiDocument, method: string) =>
    Object.values(of.paths).flatMap((item) => {
      const found = item[method]
      if (!found || found['x-access'] === 'WALLET') return []
      return found['x-errors'].some(({ reason }) => reason === 'first_answer_unknown')
    })
  expect(new Set(loses(perp, 'post'))).toEqual(new Set([true]))
  expect(new Set(loses(perp, 'get'))).toEqual(new Set([false]))
  // There a nonce lets a signature in once.
  expect(new Set(loses(document, 'post'))).toEqual(new Set([false]))
})

it.each([
  ['anything', {}],
  ['an object of any fields', { type: 'object' }],
  ['more fields', { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: true }],
  ['a list of anything', { type: 'array' }],
  ['a field of anything', { type: 'object', properties: { a: { description: 'In words.' } } }],
  ['a choice of anything', { anyOf: [{ type: 'null' }, { type: 'object', properties: {} }] }],
])('tells a schema that leaves open %s', (_, schema) => {
  expect(openPlaces(schema)).toHaveLength(1)
})

describe('a validator of answers', () => {
  const validator = new DocumentValidator(document)
  const answer = { method: 'GET', path: '/api/v1/users/{userId}', status: 200, reason: undefined }
  const envelope = { code: 200, errMsg: '', uuid: '11111111-1111-4111-8111-111111111111', t: 1 }
  const data = { userId: '0x12', userAddress: '0x12' }
  const failed = { ...envelope, code: 10_000, errMsg: 'why', data: null }

  it('accepts what is documented', () => {
    expect(validator.answerProblem({ ...answer, body: { ...envelope, data } })).toBeNull()
    expect(validator.answerProblem({ ...answer, status: 400, reason: 'request_invalid', body: failed })).toBeNull()
  })

  it.each([
    ['another field', { ...answer, body: { ...envelope, data: { ...data, colour: 'red' } } }],
    ['a field less', { ...answer, body: { ...envelope, data: { userId: '0x12' } } }],
    ['another type', { ...answer, body: { ...envelope, data: { ...data, userId: 12 } } }],
    ['no uuid', { ...answer, body: { ...envelope, data, uuid: 'x' } }],
    ['another code', { ...answer, body: { ...envelope, code: 201, data } }],
    ['another status', { ...answer, status: 404, reason: 'request_invalid', body: failed }],
    ['another reason', { ...answer, status: 400, reason: 'symbol_unknown', body: failed }],
    ['the code of another reason', { ...answer, status: 400, reason: undefined, body: failed }],
    ['another operation', { ...answer, path: '/api/v1/nothing', body: { ...envelope, data } }],
  ])('refuses %s', (_name, seen) => {
    expect(validator.answerProblem(seen)).not.toBeNull()
  })
})
