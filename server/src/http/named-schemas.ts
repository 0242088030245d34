import type { JsonSchema, ProductReference } from './reference.ts'

// Schemas that stand once in a document, under a name, and are referred to wherever they are used.

type NamedSchemas = ProductReference['schemas']

/** The named schemas, each of which may refer to the others. */
export function namedSchemas(schemas: NamedSchemas): Record<string, JsonSchema> {
  const names = namesByText(schemas)
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, plain(inside(schema as JsonSchema, names))]),
  )
}

/** Names of schemas by their text: the builder copies schemas. */
type SchemaNames = ReadonlyMap<string, string>

/** Names by schema text; the first of two equal schemas gives its name. */
export const namesByText = (schemas: NamedSchemas): SchemaNames =>
  new Map(
    Object.entries(schemas)
      .map(([name, schema]) => [JSON.stringify(schema), name] as const)
      .reverse(),
  )

/** The schema with a reference wherever a named one stands. */
export function named(schema: JsonSchema, names: SchemaNames): JsonSchema {
  const name = names.get(JSON.stringify(schema))
  return name === undefined ? inside(schema, names) : { $ref: `#/components/schemas/${name}` }
}

const inside = (schema: JsonSchema, names: SchemaNames): JsonSchema =>
  Object.fromEntries(Object.entries(schema).map(([keyword, value]) => [keyword, below(value, names)]))

function below(value: unknown, names: SchemaNames): unknown {
  if (Array.isArray(value)) return value.map((one) => below(one, names))
  return value !== null && typeof value === 'object' ? named(value as JsonSchema, names) : value
}

/** A schema as it goes over the wire, without the builder's own marks. */
export const plain = (schema: JsonSchema): JsonSchema => JSON.parse(JSON.stringify(schema))
