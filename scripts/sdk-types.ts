// TypeScript types out of the schemas of an OpenAPI document: equal objects stand once, under one name.
import type { JsonSchema } from '../server/src/http/reference.ts'

/** Names of components that would hide a word of the language. */
const RENAMED: Readonly<Record<string, string>> = { Symbol: 'ListedSymbol' }
/** Shorter objects are as well read where they stand. */
const WORTH_A_NAME = 160

export const pascal = (text: string): string =>
  text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')

/** The documentation of a declaration or field, at an indentation. */
export function docOf(text: unknown, indent = ''): string {
  if (typeof text !== 'string' || text === '') return ''
  const lines = wrapped(text.replaceAll('*/', '*\\/'), 112 - indent.length)
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join('')}${indent} */\n`
}

function wrapped(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + word.length < width) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

const isObject = (schema: JsonSchema): boolean => 'properties' in schema || 'patternProperties' in schema
const propertiesOf = (schema: JsonSchema) =>
  Object.entries((schema.properties ?? {}) as Readonly<Record<string, JsonSchema>>)

/** The parts of a schema that is a choice; a plain list of types is one too. */
function choices(schema: JsonSchema): readonly JsonSchema[] | null {
  for (const keyword of ['anyOf', 'oneOf']) {
    if (Array.isArray(schema[keyword])) return schema[keyword] as JsonSchema[]
  }
  return null
}

/** Two schemas that mean the same type have the same text. Where they stand may be described differently. */
function textOf(schema: JsonSchema): string {
  const { description: _description, ...rest } = schema
  return JSON.stringify(rest)
}

/** The types of one product's document. */
export class TypeNames {
  readonly #named = new Map<string, { name: string; schema: JsonSchema }>()
  readonly #taken = new Set<string>()
  readonly #seen = new Map<string, number>()
  readonly #components: Readonly<Record<string, JsonSchema>>

  constructor(components: Readonly<Record<string, JsonSchema>>, reserved: readonly string[]) {
    this.#components = components
    for (const name of reserved) this.#taken.add(name)
    for (const [name, schema] of Object.entries(components)) this.#name(schema, RENAMED[name] ?? name)
  }

  /** Counts what a schema is made of; what is counted twice is given a name. */
  count(schema: JsonSchema, hint: string): void {
    this.#walk(schema, hint, (one, name) => {
      const text = textOf(one)
      if (this.#named.has(text) || text.length < WORTH_A_NAME) return
      const times = (this.#seen.get(text) ?? 0) + 1
      this.#seen.set(text, times)
      if (times === 2) this.#name(one, name)
    })
  }

  /** The declarations of all named types, in the order of their names. */
  declarations(): string {
    const all = [...this.#named.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
    return all
      .map(({ name, schema }) => `${docOf(schema.description)}${this.declaration(name, schema, true)}`)
      .join('\n')
  }

  /** An object as an interface of its own, anything else as an alias. */
  declaration(name: string, schema: JsonSchema, isNamed = false): string {
    if ('properties' in schema && (isNamed || !this.#named.has(textOf(schema)))) {
      return `export interface ${name} {\n${this.#fields(schema, '  ')}}\n`
    }
    return `export type ${name} = ${this.type(schema, '', isNamed)}\n`
  }

  type(schema: JsonSchema, indent = '', isNamed = false): string {
    if (typeof schema.$ref === 'string') return this.#componentName(schema.$ref)
    const named = this.#named.get(textOf(schema))
    if (named && !isNamed) return named.name
    if ('const' in schema) return literal(schema.const)
    if (Array.isArray(schema.enum)) return schema.enum.map(literal).join(' | ')
    const parts = choices(schema)
    if (parts) return this.#union(parts, indent)
    return this.#plain(schema, indent)
  }

  #plain(schema: JsonSchema, indent: string): string {
    switch (schema.type) {
      case 'string':
      // An amount: the exact literal, never a float.
      case 'number':
        return 'string'
      case 'integer':
        return 'number'
      case 'boolean':
      case 'null':
        return schema.type
      case 'array': {
        const item = this.type(schema.items as JsonSchema, indent)
        return /[|{\s]/.test(item) && !item.startsWith('{') ? `readonly (${item})[]` : `readonly ${item}[]`
      }
      default:
        if (!isObject(schema)) throw new Error(`no type for ${JSON.stringify(schema).slice(0, 200)}`)
        return this.#object(schema, indent)
    }
  }

  #object(schema: JsonSchema, indent: string): string {
    if ('properties' in schema) {
      return propertiesOf(schema).length === 0 ? 'object' : `{\n${this.#fields(schema, `${indent}  `)}${indent}}`
    }
    const [value] = Object.values(schema.patternProperties as Readonly<Record<string, JsonSchema>>)
    return `Readonly<Record<string, ${this.type(value as JsonSchema, indent)}>>`
  }

  #fields(schema: JsonSchema, indent: string): string {
    const required = (schema.required ?? []) as readonly string[]
    return propertiesOf(schema)
      .map(([name, field]) => {
        const mark = required.includes(name) ? '' : '?'
        return `${docOf(field.description, indent)}${indent}readonly ${key(name)}${mark}: ${this.type(field, indent)}\n`
      })
      .join('')
  }

  /** Text or a number is one amount, as text. */
  #union(parts: readonly JsonSchema[], indent: string): string {
    return [...new Set(parts.map((part) => this.type(part, indent)))].join(' | ')
  }

  #walk(schema: JsonSchema, hint: string, visit: (schema: JsonSchema, hint: string) => void): void {
    if (isObject(schema)) visit(schema, hint)
    for (const [name, field] of propertiesOf(schema)) this.#walk(field, pascal(name), visit)
    for (const part of choices(schema) ?? []) this.#walk(part, variantOf(part) ?? hint, visit)
    for (const value of Object.values((schema.patternProperties ?? {}) as Record<string, JsonSchema>)) {
      this.#walk(value, hint, visit)
    }
    if (schema.items) this.#walk(schema.items as JsonSchema, singular(hint), visit)
  }

  #name(schema: JsonSchema, wanted: string): void {
    let name = wanted
    for (let nth = 2; this.#taken.has(name); nth++) name = `${wanted}${nth}`
    this.#taken.add(name)
    this.#named.set(textOf(schema), { name, schema })
  }

  #componentName(reference: string): string {
    const name = reference.split('/').at(-1) ?? ''
    return this.#named.get(textOf(this.#components[name] as JsonSchema))?.name ?? name
  }
}

/** What a variant is called by the value that tells it from the others: `limit` of `action` is a LimitAction. */
function variantOf(schema: JsonSchema): string | null {
  const told = propertiesOf(schema).find(([, field]) => typeof field.const === 'string')
  return told ? pascal(`${told[1].const} ${told[0]}`) : null
}

const literal = (value: unknown): string =>
  typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : JSON.stringify(value)
const key = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name))
const singular = (name: string): string => name.replace(/ies$/, 'y').replace(/s$/, '')
