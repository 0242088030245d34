// Writes the operations, messages, types and errors of the client library (sdk/src/<product>/operations.ts, messages.ts, errors.ts) as
// the venue's own OpenAPI and AsyncAPI documents have them, and which function an operation is, for the samples of the reference
// (web/src/reference/functions.ts). `node scripts/generate-sdk.ts` writes; with `--check` it compares, prints what differs and exits with 1.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type AsyncApiDocument, asyncApiDocument } from '../server/src/http/asyncapi.ts'
import { type DocumentedOperation, type OpenApiDocument, openApiDocument } from '../server/src/http/openapi.ts'
import type { JsonSchema } from '../server/src/http/reference.ts'
import { productsToDocument } from './generate-reference.ts'
import { errorsSource } from './sdk-errors.ts'
import { type Message, messagesOf, messagesSource, UNION } from './sdk-messages.ts'
import { PERP_NAMES, STOCK_NAMES } from './sdk-names.ts'
import { docOf, pascal, resolved, TypeNames } from './sdk-types.ts'

const root = join(import.meta.dirname, '..')
const HEAD = '// Made of the OpenAPI document by scripts/generate-sdk.ts; a change belongs there.\n'
const NAMES: Readonly<Record<string, Readonly<Record<string, string>>>> = { stock: STOCK_NAMES, perp: PERP_NAMES }

/** The older reads, with a signature of their own, of what the operations below /trader/ answer. */
const isLeftOut = (path: string): boolean => path.startsWith('/v4/public/mm/')

interface Operation {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly document: DocumentedOperation
  readonly query: readonly string[]
  readonly params: JsonSchema | null
  readonly data: JsonSchema
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema: JsonSchema
}

export function operationsOf(product: string, document: OpenApiDocument): Operation[] {
  const names = NAMES[product] ?? {}
  const whole = (schema: JsonSchema) => resolved(schema, document.components.schemas ?? {})
  return Object.entries(document.paths).flatMap(([path, item]) =>
    isLeftOut(path)
      ? []
      : Object.entries(item).map(([method, operation]) => {
          const parameters = (operation.parameters ?? []) as unknown as readonly Parameter[]
          const params = paramsOf(operation, parameters)
          return {
            name: names[operation.operationId] ?? operation.operationId,
            method: method.toUpperCase(),
            path,
            document: operation,
            query: parameters.filter((one) => one.in === 'query').map(({ name }) => name),
            params: params && whole(params),
            data: whole(dataOf(operation)),
          }
        }),
  )
}

/** Path, query and body as the one object that a function takes. */
function paramsOf(operation: DocumentedOperation, parameters: readonly Parameter[]): JsonSchema | null {
  const fields = parameters.filter((one) => one.in !== 'header')
  const body = bodyOf(operation)
  if (fields.length === 0) return body
  if (body && !('properties' in body)) throw new Error(`${operation.operationId}: a body of variants beside parameters`)
  const own = fields.map(({ name, description, schema }) => [
    name,
    { ...schema, ...(description ? { description } : {}) },
  ])
  const properties = { ...Object.fromEntries(own), ...((body?.properties ?? {}) as object) }
  if (Object.keys(properties).length !== own.length + Object.keys(body?.properties ?? {}).length) {
    throw new Error(`${operation.operationId}: a parameter and a field of the body have one name`)
  }
  const required = [
    ...fields.filter((one) => one.required).map(({ name }) => name),
    ...((body?.required ?? []) as readonly string[]),
  ]
  return { type: 'object', required, properties }
}

function bodyOf({ requestBody }: DocumentedOperation): JsonSchema | null {
  const content = requestBody?.content as Readonly<Record<string, { schema: JsonSchema }>> | undefined
  const schema = content?.['application/json']?.schema ?? null
  const isEmpty = schema !== null && 'properties' in schema && Object.keys(schema.properties as object).length === 0
  return isEmpty ? null : schema
}

function dataOf({ responses }: DocumentedOperation): JsonSchema {
  const content = responses[200]?.content as Readonly<Record<string, { schema: JsonSchema }>>
  const envelope = content['application/json']?.schema as { properties: { data: JsonSchema } }
  return envelope.properties.data
}

/** What may happen when the request is sent twice: nothing, the same once (by its Idempotency-Key), or the same again. */
function kindOf({ method, path, document }: Operation): 'read' | 'send' | 'once' {
  const parameters = (document.parameters ?? []) as unknown as readonly Parameter[]
  if (parameters.some(({ name }) => name === 'idempotency-key')) return 'send'
  return method === 'GET' || /\/(calldata|preview|prepare|build)$/.test(path) ? 'read' : 'once'
}

/** Signed always, where there is a signer, or never. */
function accessOf({ document }: Operation): 'key' | 'open' | 'none' {
  if (document['x-access'] === 'OPEN') return 'open'
  return ['READ_ONLY', 'WRITABLE'].includes(document['x-access']) ? 'key' : 'none'
}

const hasBody = ({ document }: Operation): boolean => document.requestBody !== undefined
const isOptional = (params: JsonSchema): boolean =>
  'properties' in params && ((params.required ?? []) as readonly string[]).length === 0

function functionSource(product: string, operation: Operation): string {
  const { name, method, path, document, query, params } = operation
  const type = pascal(name)
  const optional = params !== null && isOptional(params)
  const parameter = params === null ? '' : `params: ${type}Params${optional ? ' = {}' : ''}, `
  const spec = [
    `'${kindOf(operation)}'`,
    `'${method}'`,
    `'${path}'`,
    `[${query.map((one) => `'${one}'`).join(', ')}]`,
    String(hasBody(operation)),
    `'${accessOf(operation)}'`,
  ].join(', ')
  const doc = docOf([`${document.summary}.`, document.description ?? ''].join(' ').trim())
  return `${doc}export function ${name}(client: Client<'${product}'>, ${parameter}options: CallOptions = {}): Promise<${type}Result> {
  return client.call([${spec}], ${params === null ? '{}' : 'params'}, options)
}
`
}

/** Names of fields that the wire has as JSON numbers and the client as text. */
export function decimalFields(document: OpenApiDocument, messages: readonly Message[] = []): string[] {
  const names = new Map<string, Set<unknown>>()
  const visit = (value: unknown, name: string): void => {
    if (value === null || typeof value !== 'object') return
    const schema = value as JsonSchema
    if (typeof schema.type === 'string') names.set(name, (names.get(name) ?? new Set()).add(schema.type))
    for (const [field, one] of Object.entries((schema.properties ?? {}) as object)) visit(one, field)
    for (const one of Object.values((schema.patternProperties ?? {}) as object)) visit(one, name)
    for (const one of (schema.anyOf ?? []) as readonly unknown[]) visit(one, name)
    if (schema.items) visit(schema.items, `${name}[]`)
  }
  const answers = Object.entries(document.paths).filter(([path]) => !isLeftOut(path))
  for (const [, item] of answers) for (const one of Object.values(item)) visit(dataOf(one), '')
  for (const schema of Object.values(document.components.schemas ?? {})) visit(schema, '')
  for (const { schema } of messages) visit(schema, '')
  return [...names]
    .flatMap(([name, types]) => {
      if (!types.has('number')) return []
      if (types.has('integer') || name.endsWith('[]')) throw new Error(`${name}: an amount cannot be told from a count`)
      return [name]
    })
    .sort()
}

/** What both documents of a product are made of: what stands in them twice has one name. */
function typesOf(
  operations: readonly Operation[],
  document: OpenApiDocument,
  messages: readonly Message[],
  stream: AsyncApiDocument | null,
): TypeNames {
  const types = new TypeNames()
  types.reserve(['Client', 'CallOptions', UNION, ...messages.map(({ name }) => name)])
  for (const { name } of operations) types.reserve([`${pascal(name)}Params`, `${pascal(name)}Result`])
  const components = types.nameComponents(document.components.schemas ?? {})
  const told = types.nameComponents(stream?.components.schemas ?? {})
  types.countComponents(components, 'operations')
  for (const { name, data, params } of operations) {
    types.count(data, pascal(name).replace(/^(Get|Post)/, ''), 'operations')
    if (params) types.count(params, `${pascal(name)}Fields`, 'operations')
  }
  types.countComponents(told, 'messages')
  for (const { name, schema } of messages) types.count(schema, name, 'messages')
  return types
}

/** The source of a product's operations, and of the messages of its stream. */
export function sdkSources(product: string, document: OpenApiDocument, stream: AsyncApiDocument | null = null) {
  const operations = operationsOf(product, document)
  const messages = stream ? messagesOf(stream) : []
  const types = typesOf(operations, document, messages, stream)
  const decimals = decimalFields(document, messages)
  return {
    operations: operationsSource(product, operations, types, decimals),
    messages: stream && messagesSource(types, messages),
  }
}

function operationsSource(
  product: string,
  operations: readonly Operation[],
  types: TypeNames,
  decimals: readonly string[],
): string {
  const bodies = operations.map((operation) => {
    const { name, params, data } = operation
    const declared = params === null ? '' : types.declaration(`${pascal(name)}Params`, params)
    return [declared, types.declaration(`${pascal(name)}Result`, data), functionSource(product, operation)]
      .filter(Boolean)
      .join('\n')
  })
  return [
    `${HEAD}import type { CallOptions, Client } from '../core/client.ts'\n`,
    `/** Amounts that the wire has as JSON numbers; a client gets their exact text. */
export const DECIMALS: readonly string[] = [${decimals.map((name) => `'${name}'`).join(', ')}]\n`,
    types.declarations('operations'),
    ...bodies,
  ].join('\n')
}

const functionsSource = (functions: Readonly<Record<string, Readonly<Record<string, string>>>>): string =>
  `${HEAD}
/** The client library's function of an operation, by product, method and path. */
export const FUNCTIONS: Readonly<Record<'stock' | 'perp', Readonly<Record<string, string>>>> = ${JSON.stringify(functions)}
`

/** Every generated file by its path, formatted as the project is. */
export function generatedSdk(): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  const functions: Record<string, Record<string, string>> = {}
  for (const product of productsToDocument()) {
    const document = openApiDocument(product)
    const folder = `sdk/src/${product.name}`
    const { operations: source, messages } = sdkSources(product.name, document, asyncApiDocument(product))
    files.set(`${folder}/operations.ts`, formatted(source))
    if (messages) files.set(`${folder}/messages.ts`, formatted(messages))
    files.set(`${folder}/errors.ts`, formatted(errorsSource(HEAD, product.name, document)))
    const operations = operationsOf(product.name, document)
    functions[product.name] = Object.fromEntries(
      operations.map(({ name, method, path }) => [`${method} ${path}`, name]),
    )
  }
  files.set('web/src/reference/functions.ts', formatted(functionsSource(functions)))
  return files
}

function formatted(source: string): string {
  const biome = join(root, 'node_modules', '.bin', 'biome')
  const { status, stdout, stderr } = spawnSync(biome, ['format', '--stdin-file-path=sdk/src/x.ts'], {
    cwd: root,
    input: source,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  if (status !== 0) throw new Error(`biome does not format what was generated: ${stderr}`)
  return stdout
}

if (import.meta.main) {
  const files = generatedSdk()
  const isCheck = process.argv.includes('--check')
  const read = (path: string) => (existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : null)
  const stale = [...files].filter(([path, text]) => read(path) !== text)
  for (const [path, text] of stale) {
    if (isCheck) console.log(`${path} is not what the API makes of it: run node scripts/generate-sdk.ts`)
    else writeFileSync(join(root, path), text)
  }
  console.log(`${files.size} generated files of the client library, ${stale.length} ${isCheck ? 'stale' : 'written'}`)
  process.exitCode = isCheck && stale.length > 0 ? 1 : 0
}
