import type { JsonSchema } from './reference.ts'

/**
 * A value of a schema's type: a field's own example by its name, else what the schema itself says (its constant, its first
 * choice, its required fields). `name` is the field's. A text of a certain form needs an example by name: a test checks
 * that every example is what its schema admits.
 */
export function exampleOf(schema: JsonSchema, fields: Readonly<Record<string, unknown>>, name = ''): unknown {
  if (name in fields && admits(schema, fields[name])) return fields[name]
  if ('const' in schema) return schema.const
  if (Array.isArray(schema.enum)) return schema.enum[0]
  const choices = (schema.anyOf ?? schema.oneOf) as readonly JsonSchema[] | undefined
  if (choices) return exampleOf(choices.find(({ type }) => type !== 'null') ?? { type: 'null' }, fields, name)
  switch (schema.type) {
    case 'object':
      return objectExample(schema, fields)
    case 'array':
      return [exampleOf(schema.items as JsonSchema, fields, name)]
    case 'boolean':
      return false
    case 'integer':
    case 'number':
      return 1
    case 'string':
      return 'text'
    default:
      return null
  }
}

function objectExample(schema: JsonSchema, fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { properties = {}, required = [] } = schema as {
    properties?: Record<string, JsonSchema>
    required?: readonly string[]
  }
  const shown = Object.entries(properties).filter(([name]) => required.includes(name))
  return Object.fromEntries(shown.map(([name, property]) => [name, exampleOf(property, fields, name)]))
}

/** Whether a field's example is of a type that this schema of the field takes. */
function admits(schema: JsonSchema, value: unknown): boolean {
  const choices = (schema.anyOf ?? schema.oneOf) as readonly JsonSchema[] | undefined
  if (choices) return choices.some((choice) => admits(choice, value))
  if ('const' in schema) return schema.const === value
  if (Array.isArray(schema.enum)) return schema.enum.includes(value)
  if (typeof schema.pattern === 'string' && !(typeof value === 'string' && new RegExp(schema.pattern).test(value))) {
    return false
  }
  return [schema.type].flat().includes(typeOf(value)) || (schema.type === 'number' && typeOf(value) === 'integer')
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}
