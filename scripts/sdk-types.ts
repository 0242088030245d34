// TypeScript types out of the schemas of a product's documents: equal objects stand once, under one name.
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

type Components = Readonly<Record<string, JsonSchema>>

/** The source a type is declared in: that of the operations where both have it. */
type Home = 'operations' | 'messages'

interface Named {
  readonly name: string
  readonly schema: JsonSchema
}

/** A schema with what it refers to in its place: two documents name the same differently. */
export function resolved(schema: JsonSchema, components: Components): JsonSchema {
  const below = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(below)
    return value !== null && typeof value === 'object' ? resolved(value as JsonSchema, components) : value
  }
  if (typeof schema.$ref === 'string')
    return resolved(components[schema.$ref.split('/').at(-1) ?? ''] ?? {}, components)
  return Object.fromEntries(Object.entries(schema).map(([keyword, value]) => [keyword, below(value)]))
}

/** The types of one product's documents, whose schemas are resolved. What operations are made of is counted before messages. */
export class TypeNames {
  readonly #named = new Map<string, Named>()
  readonly #taken = new Set<string>()
  readonly #times = new Map<string, number>()
  readonly #components = new Set<string>()
  readonly #ofOperations = new Set<string>()

  /** Names that no counted type may have. */
  reserve(names: readonly string[]): void {
    for (const name of names) this.#taken.add(name)
  }

  /** Gives each component its own name. Answers those that are new. */
  nameComponents(components: Components): JsonSchema[] {
    return Object.entries(components).flatMap(([name, component]) => {
      const schema = resolved(component, components)
      const text = textOf(schema)
      if (this.#components.has(text)) return []
      this.#components.add(text)
      this.#name(schema, RENAMED[name] ?? name)
      return [schema]
    })
  }

  /** Counts what components are made of; where they are used they are counted as one. */
  countComponents(schemas: readonly JsonSchema[], home: Home): void {
    for (const schema of schemas) {
      const own = this.#homeOf(schema) === 'operations' ? 'operations' : home
      this.#walk(schema, 'Component', (one, name) => this.#see(one, name, own), true)
    }
  }

  /** Counts what a schema is made of; what is counted twice is given a name. */
  count(schema: JsonSchema, hint: string, home: Home): void {
    this.#walk(schema, hint, (one, name) => this.#see(one, name, home))
  }

  #see(schema: JsonSchema, hint: string, home: Home): void {
    const text = textOf(schema)
    if (home === 'operations') this.#ofOperations.add(text)
    if (this.#named.has(text) || text.length < WORTH_A_NAME) return
    const times = (this.#times.get(text) ?? 0) + 1
    this.#times.set(text, times)
    if (times === 2) this.#name(schema, hint)
  }

  #homeOf(schema: JsonSchema): Home {
    return this.#ofOperations.has(textOf(schema)) ? 'operations' : 'messages'
  }

  /** The declarations of the named types of a document, in the order of their names. */
  declarations(home: Home): string {
    const all = this.#of(home).sort((a, b) => (a.name < b.name ? -1 : 1))
    return all
      .map(({ name, schema }) => `${docOf(schema.description)}${this.declaration(name, schema, true)}`)
      .join('\n')
  }

  /** Names of the operations' types that a source speaks of, comments and texts aside. */
  usedIn(source: string): string[] {
    const words = new Set(source.replaceAll(/\/\*\*.*?\*\/|'[^']*'/gs, ' ').match(/\w+/g))
    const names = this.#of('operations').map(({ name }) => name)
    return names.filter((name) => words.has(name)).sort()
  }

  #of(home: Home): Named[] {
    return [...this.#named.values()].filter(({ schema }) => this.#homeOf(schema) === home)
  }

  /** An object as an interface of its own, anything else as an alias. */
  declaration(name: string, schema: JsonSchema, isNamed = false): string {
    if ('properties' in schema && (isNamed || !this.#named.has(textOf(schema)))) {
      return `export interface ${name} {\n${this.#fields(schema, '  ')}}\n`
    }
    return `export type ${name} = ${this.type(schema, '', isNamed)}\n`
  }

  type(schema: JsonSchema, indent = '', isNamed = false): string {
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
        return textType(schema.pattern)
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

  #walk(schema: JsonSchema, hint: string, visit: (schema: JsonSchema, hint: string) => void, isWhole = false): void {
    if (isObject(schema)) visit(schema, hint)
    if (!isWhole && this.#components.has(textOf(schema))) return
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
}

/** What a variant is called by the value that tells it from the others: `limit` of `action` is a LimitAction. */
function variantOf(schema: JsonSchema): string | null {
  const told = propertiesOf(schema).find(([, field]) => typeof field.const === 'string')
  return told ? pascal(`${told[1].const} ${told[0]}`) : null
}

/** Of words between colons a template, such as the name of a channel; any other text is a string. */
function textType(pattern: unknown): string {
  if (typeof pattern !== 'string' || !/^\^\w+(:(\[\^:\]\+|\([\w|]+\)))+\$$/.test(pattern)) return 'string'
  const parts = pattern.slice(1, -1).split(/:(?=\[|\()/)
  const types = parts.slice(1).map((part) => (part.startsWith('(') ? oneOf(part.slice(1, -1).split('|')) : 'string'))
  return `\`${[parts[0], ...types.map((type) => `\${${type}}`)].join(':')}\``
}

const oneOf = (words: readonly string[]): string => words.map(literal).join(' | ')
const literal = (value: unknown): string =>
  typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : JSON.stringify(value)
const key = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name))
const singular = (name: string): string => name.replace(/ies$/, 'y').replace(/s$/, '')
