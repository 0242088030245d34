import Type, { type Static, type TProperties, type TSchema } from 'typebox'
import { Value } from 'typebox/value'

export type Environment = Readonly<Record<string, string | undefined>>
/** Values by the names of their variables, each as its schema says; one that is not set and has no default is absent. */
export type Values = Readonly<Record<string, unknown>>

/** The variables that one room of the venue, or one product, reads. */
export interface VariablePart<Shape extends TProperties = TProperties> {
  /** Each variable's schema; its `description` completes "it must be …". */
  readonly properties: Shape
  /** Rules between variables, those of other parts too: one line for each that is broken. `given` names what is set. */
  problems?(values: Values, given: ReadonlySet<string>): readonly string[]
}

/** The values of a part's variables. */
export type ValuesOf<Part extends { readonly properties: TProperties }> = Static<Type.TObject<Part['properties']>>

/** Keeps the schemas' types. */
export const defineVariables = <Shape extends TProperties>(part: VariablePart<Shape>): VariablePart<Shape> => part

/** A whole number from 1 to `maximum`, `value` when it is not set. */
export const positive = (value: number, maximum: number, description: string) =>
  Type.Integer({ minimum: 1, maximum, default: value, description: `${description}; 1 to ${maximum}` })

/** Marks a variable whose value is a secret: it may come from a file, named by the same variable with `_FILE` (`withSecretFiles`). */
export const secret = <Schema extends TSchema>(schema: Schema): Schema => Object.assign(schema, { [SECRET]: true })

const SECRET = Symbol('secret')

/** The names of the parts' secrets. */
export const secretNames = (parts: readonly VariablePart[]): string[] =>
  Object.entries(propertiesOf(parts)).flatMap(([name, schema]) => (SECRET in schema ? [name] : []))

/**
 * The environment with the content of the file that `<NAME>_FILE` names in the place of each secret, white space at its ends cut
 * off: a secret in a file is in no list of processes and in no inherited environment. `problems` has a line for each that is
 * given twice, cannot be read or is empty.
 */
export function withSecretFiles(
  names: readonly string[],
  environment: Environment,
  readText: (path: string) => string,
): { readonly environment: Environment; readonly problems: readonly string[] } {
  const read: Record<string, string | undefined> = { ...environment }
  const problems: string[] = []
  for (const name of names) {
    const file = `${name}_FILE`
    const path = environment[file]
    delete read[file]
    if (!path) continue
    if (environment[name]) problems.push(`${name} and ${file} are both set: keep one`)
    try {
      read[name] = readText(path).trim()
      if (!read[name]) problems.push(`${file} names an empty file`)
    } catch (error) {
      problems.push(
        `${file} names a file that cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown cause'})`,
      )
    }
  }
  return { environment: read, problems }
}

/**
 * Reads the variables of all parts from the environment, where an empty value counts as unset. `problems` has one line for each
 * bad variable, which names it and says what it must be; values are right only when it is empty.
 */
export function readVariables(
  parts: readonly VariablePart[],
  environment: Environment,
): { readonly values: Values; readonly problems: readonly string[] } {
  const properties = propertiesOf(parts)
  const given = Object.entries(properties).flatMap(([name, schema]) => {
    const text = environment[name]
    return text ? [[name, read(schema, text)] as const] : []
  })
  const values = Value.Default(Type.Object(properties), Object.fromEntries(given)) as Values
  const invalid = Object.entries(properties)
    .filter(([name, schema]) => values[name] !== undefined && !Value.Check(schema, values[name]))
    .map(([name, schema]) => notValid(name, schema))
  const names = new Set(given.map(([name]) => name))
  return { values, problems: [...invalid, ...parts.flatMap((part) => part.problems?.(values, names) ?? [])] }
}

/** The schemas of all parts. Throws when two of them read the same variable: each has one owner. */
export function propertiesOf(parts: readonly VariablePart[]): TProperties {
  const all: Record<string, TSchema> = {}
  for (const { properties } of parts) {
    for (const [name, schema] of Object.entries(properties)) {
      if (name in all) throw new Error(`the variable ${name} belongs to two parts of the configuration`)
      all[name] = schema
    }
  }
  return all
}

/** The line for a variable whose value its schema refuses; the value itself may be a secret and is not shown. */
export const notValid = (name: string, schema: TSchema | undefined): string =>
  `${name} is not valid: it must be ${(schema as { description?: string } | undefined)?.description}`

/** Digits become an integer where one is wanted; anything else stays text and fails the check instead of being bent. */
const read = (schema: TSchema, text: string): string | number =>
  (schema as { type?: string }).type === 'integer' && /^\d+$/.test(text) ? Number(text) : text
