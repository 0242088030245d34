import { createRequire } from 'node:module'
import type { AsyncApiDocument } from '../src/http/asyncapi.ts'
import type { OpenApiDocument } from '../src/http/openapi.ts'
import type { JsonSchema } from '../src/http/reference.ts'

// Judges an OpenAPI document and real answers, and an AsyncAPI document and real messages, by the validator that Fastify brings along, in JSON Schema 2020-12.

interface Validate {
  (value: unknown): boolean
  readonly errors?: unknown
}
interface Ajv {
  addSchema(schema: unknown, key: string): void
  compile(schema: unknown): Validate
}

const ofFastify = createRequire(createRequire(import.meta.url).resolve('fastify'))
const { Ajv2020 } = ofFastify('ajv/dist/2020.js') as { Ajv2020: new (options: object) => Ajv }
const addFormats = ofFastify('ajv-formats') as (ajv: Ajv) => void

const DOCUMENT = 'document'

/** An answer as it came over the wire. */
export interface SeenAnswer {
  readonly method: string
  /** The operation's path as the document writes it. */
  readonly path: string
  readonly status: number
  readonly reason: string | undefined
  readonly body: unknown
}

/** Checks values against the schemas of a document; no field is allowed that is not documented. */
class SchemaValidator<Document> {
  protected readonly document: Document
  readonly #ajv: Ajv
  readonly #validators = new Map<string, Validate>()

  constructor(document: Document) {
    this.document = document
    this.#ajv = new Ajv2020({ strict: false, allErrors: true })
    addFormats(this.#ajv)
    this.#ajv.addSchema(closedObjects(document), DOCUMENT)
  }

  /** What is wrong with a value under the schema at a pointer such as `#/components/schemas/Order`; null when nothing. */
  problem(pointer: string, value: unknown): string | null {
    let validate = this.#validators.get(pointer)
    if (!validate) {
      validate = this.#ajv.compile({ $ref: `${DOCUMENT}${pointer}` })
      this.#validators.set(pointer, validate)
    }
    return validate(value) ? null : JSON.stringify(validate.errors)
  }
}

/** Checks what goes over a stream against its document. */
export class MessageValidator extends SchemaValidator<AsyncApiDocument> {
  /** The messages that a value is, among those of an operation; or what is wrong where it is none. */
  namesOf(operation: string, value: unknown): { readonly names: readonly string[]; readonly problem: string | null } {
    const all = this.document.operations[operation]?.messages.map(({ $ref }) => $ref.split('/').at(-1) ?? '') ?? []
    const problems = all.map((name) => this.problem(`#/components/messages/${name}/payload`, value))
    const names = all.filter((_, nth) => problems[nth] === null)
    return { names, problem: names.length > 0 ? null : JSON.stringify(value).slice(0, 2000) }
  }
}

/** Checks answers against a document. */
export class DocumentValidator extends SchemaValidator<OpenApiDocument> {
  /** What is wrong with an answer; null when it is as documented. */
  answerProblem({ method, path, status, reason, body }: SeenAnswer): string | null {
    const operation = this.document.paths[path]?.[method.toLowerCase()]
    if (!operation) return 'the operation is not documented'
    const response = operation.responses[String(status)]
    if (!response) return `status ${status} is not documented`
    const named = reason ?? (status === 200 ? undefined : 'unauthenticated')
    const { code } = body as { code: number }
    const documented = operation['x-errors'].find((error) => error.reason === named)
    if (named !== undefined && documented === undefined) return `reason ${named} is not documented`
    if (documented && (documented.status !== status || documented.code !== code)) {
      return `reason ${named} is documented as HTTP ${documented.status}, code ${documented.code}`
    }
    const place = typeof response.$ref === 'string' ? response.$ref : pointerTo('paths', path, method, status)
    return this.problem(`${place}/content/application~1json/schema`, body)
  }
}

function pointerTo(...parts: readonly (string | number)[]): string {
  const [root, path, method, status] = parts
  const escaped = String(path).replaceAll('~', '~0').replaceAll('/', '~1')
  return `#/${root}/${encodeURIComponent(escaped)}/${String(method).toLowerCase()}/responses/${status}`
}

/** The pointer to each schema of a document, with the examples that stand beside it. */
export function* schemasOf(document: OpenApiDocument): Generator<{ pointer: string; examples: readonly unknown[] }> {
  yield* schemasBelow(document, '#')
}

function* schemasBelow(node: unknown, pointer: string): Generator<{ pointer: string; examples: readonly unknown[] }> {
  if (node === null || typeof node !== 'object') return
  const { schema, example, examples } = node as Record<string, unknown>
  if (schema !== null && typeof schema === 'object') {
    const values = Object.values((examples ?? {}) as Record<string, { value: unknown }>).map(({ value }) => value)
    yield { pointer: `${pointer}/schema`, examples: [...(example === undefined ? [] : [example]), ...values] }
  }
  for (const [name, child] of Object.entries(node)) {
    if (/^(schema|example|examples)$/.test(name)) continue
    yield* schemasBelow(child, `${pointer}/${encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))}`)
  }
}

/** A copy in which every object with named fields refuses others. */
function closedObjects<T>(node: T): T {
  if (Array.isArray(node)) return node.map(closedObjects) as T
  if (node === null || typeof node !== 'object') return node
  const copy = Object.fromEntries(Object.entries(node).map(([name, child]) => [name, closedObjects(child)]))
  const { type, properties, additionalProperties } = copy as JsonSchema
  const isClosed = type === 'object' && properties !== undefined && additionalProperties !== true
  return (isClosed ? { ...copy, additionalProperties: false } : copy) as T
}
