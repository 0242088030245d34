import { type Html, html, page } from './html.ts'
import type { DocumentedOperation, OpenApiDocument } from './openapi.ts'
import type { JsonSchema } from './reference.ts'

interface Operation extends DocumentedOperation {
  readonly method: string
  readonly path: string
}

/** The reference as one page of HTML, made of the OpenAPI document alone. */
export function referencePage(document: OpenApiDocument, documentUrl: string): string {
  const operations = operationsOf(document)
  const groups = document.tags.map(({ name }) => ({
    name,
    operations: operations.filter(({ tags }) => tags[0] === name),
  }))
  const start = commonStart(operations)
  const schemas = Object.entries(document.components.schemas ?? {})
  const nav = html`<p><b>${document.info.title}</b></p>
${groups.map(({ name, operations }) => html`<b>${name}</b><ul>${operations.map((operation) => navEntry(operation, start))}</ul>`)}
<b>Schemas</b><ul>${schemas.map(([name]) => html`<li><a href="#schema-${name}">${name}</a></li>`)}</ul>
<ul><li><a href="/docs/errors">All errors</a></li><li><a href="${documentUrl}">OpenAPI 3.1</a></li></ul>`
  const main = html`<h1>${document.info.title}</h1>
${document.info.description.split('\n\n').map((text) => html`<p>${text}</p>`)}
<h4>Base URL</h4><p><code>${document.servers[0]?.url ?? ''}</code> on this host</p>
<h4>Headers of every request</h4>${signingHeaders(document)}
${groups.map(({ name, operations }) => html`<h2>${name}</h2>${operations.map(section)}`)}
<h2>Schemas</h2>${schemas.map(([name, schema]) => html`<h3 id="schema-${name}">${name}</h3>${fieldTable(schema)}`)}`
  return page(document.info.title, nav, main)
}

function operationsOf(document: OpenApiDocument): Operation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  )
}

const badge = (method: string): Html => html`<span class="method ${method.toLowerCase()}">${method}</span>`

/** What every path of the document begins with; the list of operations leaves it out. */
function commonStart(operations: readonly Operation[]): string {
  const [first = [], ...others] = operations.map(({ path }) => path.split('/').slice(0, -1))
  const differs = first.findIndex((part, index) => others.some((parts) => parts[index] !== part))
  return first.slice(0, differs < 0 ? undefined : differs).join('/')
}

const navEntry = ({ method, path, operationId }: Operation, start: string): Html =>
  html`<li><a href="#${operationId}">${badge(method)}${path.slice(start.length)}</a></li>`

function signingHeaders({ components }: OpenApiDocument): Html {
  const rows = Object.entries(components.securitySchemes ?? {})
  return html`<table>${rows.map(([name, { description }]) => html`<tr><td><code>${name}</code></td><td>${String(description)}</td></tr>`)}</table>`
}

function section(operation: Operation): Html {
  const { method, path, operationId, summary, parameters = [], requestBody, responses } = operation
  const body = requestBody && content(requestBody)
  const success = content(responses['200'] ?? {})
  const data = (success.schema?.properties as Record<string, JsonSchema> | undefined)?.data ?? {}
  return html`<h3 id="${operationId}">${badge(method)}<code>${path}</code></h3>
<p>${summary} <span class="tag">${operation['x-access']}</span></p>
${parameters.length === 0 ? '' : html`<h4>Parameters</h4>${parameterTable(parameters)}`}
${body?.schema ? html`<h4>Body</h4>${fieldTable(body.schema)}${examples(body)}` : ''}
<h4>Answer: <code>data</code></h4>${fieldTable(data)}${examples(success)}
<h4>Failures</h4>${errorTable(operation)}`
}

interface Content {
  readonly schema?: JsonSchema
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
}

const content = (part: JsonSchema): Content =>
  (part.content as Record<string, Content> | undefined)?.['application/json'] ?? {}

function examples({ example, examples = {} }: Content): Html {
  const all = [...(example === undefined ? [] : [['Example', example] as const]), ...named(examples)]
  return html`${all.map(([name, value]) => html`<details><summary>${name}</summary><pre>${JSON.stringify(value, null, 2)}</pre></details>`)}`
}

const named = (examples: NonNullable<Content['examples']>) =>
  Object.entries(examples).map(([name, { value }]) => [`Example: ${name}`, value] as const)

function parameterTable(parameters: readonly JsonSchema[]): Html {
  const row = ({ name, in: place, required, schema, description = '', example }: JsonSchema) => html`<tr>
<td><code>${String(name)}</code></td><td>${String(place)}${required ? ', required' : ''}</td><td>${typeOf(schema as JsonSchema)}</td>
<td>${String(description)} <span class="dim">${example === undefined ? '' : `e.g. ${String(example)}`}</span></td></tr>`
  return html`<table><tr><th>name</th><th>in</th><th>type</th><th></th></tr>${parameters.map(row)}</table>`
}

function errorTable({ 'x-errors': errors }: Operation): Html {
  const row = ({ status, code, reason, retryable }: Operation['x-errors'][number]) => html`<tr>
<td>${status}</td><td>${code}</td><td><a href="/docs/errors/${reason}"><code>${reason}</code></a></td><td>${retryable ? 'may be tried again' : ''}</td></tr>`
  return html`<table><tr><th>HTTP</th><th>code</th><th>x-error-reason</th><th></th></tr>${errors.map(row)}</table>`
}

interface Field {
  readonly name: string
  readonly schema: JsonSchema
  readonly required: boolean
}

/** The fields of a schema, one a row, those of inner objects below their own. */
function fieldTable(schema: JsonSchema): Html {
  const rows = fieldsOf(schema, '')
  if (rows.length === 0) return html`<p>${typeOf(schema)}</p>`
  const kind = typeOf(schema)
  const row = ({ name, schema, required }: Field) => html`<tr><td><code>${name}</code></td><td>${typeOf(schema)}</td>
<td>${required ? '' : html`<span class="dim">optional. </span>`}${String(schema.description ?? '')}</td></tr>`
  return html`<p class="dim">${kind}</p><table>${rows.map(row)}</table>`
}

function fieldsOf(schema: JsonSchema, indent: string): Field[] {
  const { properties, required = [] } = inner(schema) as {
    properties?: Record<string, JsonSchema>
    required?: readonly string[]
  }
  return Object.entries(properties ?? {}).flatMap(([name, property]) => [
    { name: indent + name, schema: property, required: required.includes(name) },
    ...fieldsOf(property, `${indent}  `),
  ])
}

/** The object that a schema is about: itself, its rows, or what it is when it is not null. */
function inner(schema: JsonSchema): JsonSchema {
  if (schema.type === 'array') return inner(schema.items as JsonSchema)
  const choice = (schema.anyOf as readonly JsonSchema[] | undefined)?.find(({ type }) => type === 'object')
  return choice ?? schema
}

function typeOf(schema: JsonSchema): Html {
  const choices = (schema.anyOf ?? schema.oneOf) as readonly JsonSchema[] | undefined
  if (choices) return html`${choices.map((choice, index) => html`${index === 0 ? '' : ' or '}${typeOf(choice)}`)}`
  const name = typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1) : undefined
  if (name !== undefined) return html`<a href="#schema-${name}">${name}</a>`
  if (schema.type === 'array') return html`list of ${typeOf(schema.items as JsonSchema)}`
  if (Array.isArray(schema.enum)) return html`${schema.enum.map((one) => JSON.stringify(one)).join(', ')}`
  if ('const' in schema) return html`${JSON.stringify(schema.const)}`
  return html`${String(schema['x-expected'] ?? [schema.type ?? 'any value'].flat().join(' or '))}`
}
