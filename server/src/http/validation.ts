import ajvCompiler, { type BuildCompilerFromPool } from '@fastify/ajv-compiler'
import type { FastifySchemaValidationError } from 'fastify/types/schema.js'
import type { TSchema } from 'typebox'
import { AppError } from '../lib/errors.ts'
import { once } from '../lib/once.ts'
import { httpReasons } from './reasons.ts'

/**
 * Says in words what a field must be, for patterns and formats whose machine form helps nobody:
 * `Type.String({ pattern: '^0x…$', [EXPECTED]: 'a transaction hash: 0x and 64 hex digits' })`.
 */
export const EXPECTED = 'x-expected'

/** Validates and changes nothing: no defaults, no coercion, no dropped fields. */
export const ajvOptions = {
  customOptions: {
    removeAdditional: false,
    coerceTypes: false,
    useDefaults: false,
    allErrors: false,
    // Errors carry the schema and the value, of which the messages are made.
    verbose: true,
    allowUnionTypes: true,
    // When a body names its kind, only the errors of that kind's schema are told.
    discriminator: true,
    keywords: [EXPECTED],
    // The pass that shortens the generated code costs time at each start, for hundreds of schemas.
    code: { optimize: false },
  },
}

/**
 * Makes Fastify's validators, each of which compiles its schema when the first request meets it: of hundreds a process at its start needs
 * none, and compiling all was a tenth of the processor time of a start.
 */
export const buildValidator: BuildCompilerFromPool = (externalSchemas, options) => {
  const compile = ajvCompiler()(externalSchemas, options)
  return (route) => {
    const compiled = once(() => compile(route))
    const validator: Pick<Validator, 'errors'> & ((data: unknown) => unknown) = (data) => {
      const validate = compiled()
      const result = validate(data)
      validator.errors = validate.errors ?? null
      return result
    }
    // Fastify calls it, and reads why not; it needs nothing else of what ajv makes.
    return validator as Validator
  }
}

type Validator = ReturnType<ReturnType<BuildCompilerFromPool>>

type SchemaNode = { readonly [key: string]: unknown }

/** A copy of the schema in which every object refuses fields that it does not name. */
export function closed(schema: TSchema): TSchema {
  return closeNode(schema as SchemaNode) as TSchema
}

function closeNode(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closeNode)
  if (node === null || typeof node !== 'object') return node
  const schema = node as SchemaNode
  if ('allOf' in schema) throw new Error('a request schema must not use allOf: it cannot refuse unknown fields')
  const copy: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'properties' || key === 'patternProperties') copy[key] = closeProperties(value as SchemaNode)
    else copy[key] = key === 'items' || key === 'anyOf' || key === 'oneOf' ? closeNode(value) : value
  }
  if (schema.type === 'object') copy.additionalProperties ??= false
  return copy
}

function closeProperties(properties: SchemaNode): SchemaNode {
  return Object.fromEntries(Object.entries(properties).map(([name, node]) => [name, closeNode(node)]))
}

/** What ajv reports in verbose mode. */
interface Violation extends FastifySchemaValidationError {
  readonly schemaPath: string
  readonly parentSchema?: SchemaNode
  readonly data?: unknown
}

/** One clear sentence out of the validator's findings, as a `request_invalid`. `part` is body, querystring or params. */
export function validationError(errors: readonly FastifySchemaValidationError[], part: string): AppError {
  const violations = errors as readonly Violation[]
  // For a union, ajv reports each branch first and the union itself last.
  const [first] = violations
  const union = violations.find((violation) => violation.keyword === 'anyOf' || violation.keyword === 'oneOf')
  const message = union ? unionMessage(union, violations, part) : first ? violationMessage(first, part) : 'is invalid'
  return new AppError(httpReasons.request_invalid, message, { detail: fieldDetail(union ?? first) })
}

function fieldDetail(violation: Violation | undefined): Record<string, unknown> {
  const missing = violation?.params.missingProperty ?? violation?.params.additionalProperty
  const path = [violation ? fieldPath(violation.instancePath) : '', missing].filter(Boolean).join('.')
  return path === '' ? {} : { field: path }
}

function violationMessage(violation: Violation, part: string): string {
  const { keyword, params, parentSchema } = violation
  const field = fieldPath(violation.instancePath)
  const nested = field === '' ? '' : `${field}.`
  if (part === 'body' && field === '' && keyword === 'type') return 'the body must be a JSON object'
  if (keyword === 'discriminator') return discriminatorMessage(violation, nested)
  if (keyword === 'required') return `${nested}${params.missingProperty} is required`
  if (keyword === 'additionalProperties') {
    return `unknown ${part === 'body' ? 'field' : 'parameter'} ${nested}${params.additionalProperty}${known(parentSchema)}`
  }
  const subject = field === '' ? `the ${part}` : field
  const expected = typeof parentSchema?.[EXPECTED] === 'string' ? parentSchema[EXPECTED] : expectation(violation)
  return `${subject} must be ${expected}${got(violation.data)}`
}

/** A body whose kind is missing or unknown. */
function discriminatorMessage({ params, parentSchema }: Violation, nested: string): string {
  const tag = String(params.tag)
  const branches = (parentSchema?.oneOf ?? []) as readonly { readonly properties: Record<string, SchemaNode> }[]
  const kinds = branches.map(({ properties }) => properties[tag]?.const)
  return `${nested}${tag} must be one of ${kinds.join(', ')}${got(params.tagValue)}`
}

function known(schema: SchemaNode | undefined): string {
  const names = Object.keys((schema?.properties as object | undefined) ?? {})
  return names.length === 0 ? ': none is accepted here' : `, accepted are ${names.join(', ')}`
}

function unionMessage(union: Violation, violations: readonly Violation[], part: string): string {
  const expected = union.parentSchema?.[EXPECTED]
  const branches = violations.filter(
    (violation) => violation !== union && violation.instancePath === union.instancePath,
  )
  const deeper = violations.find((violation) => violation.instancePath.length > union.instancePath.length)
  if (deeper) return violationMessage(deeper, part)
  const constants = branches.filter((branch) => branch.keyword === 'const').map((branch) => branch.params.allowedValue)
  const texts =
    constants.length === branches.length && constants.length > 0
      ? `one of ${constants.join(', ')}`
      : [...new Set(branches.map((branch) => String(branch.parentSchema?.[EXPECTED] ?? expectation(branch))))].join(
          ' or ',
        )
  return `${fieldPath(union.instancePath) || `the ${part}`} must be ${expected ?? texts}${got(union.data)}`
}

/** The requirement, to follow the words "must be". */
function expectation(violation: Violation): string {
  const { keyword, params } = violation
  switch (keyword) {
    case 'type':
      return [params.type].flat().map(withArticle).join(' or ')
    case 'enum':
      return `one of ${(params.allowedValues as unknown[]).join(', ')}`
    case 'const':
      return String(params.allowedValue)
    case 'minimum':
      return `at least ${params.limit}`
    case 'maximum':
      return `at most ${params.limit}`
    case 'exclusiveMinimum':
      return `greater than ${params.limit}`
    case 'exclusiveMaximum':
      return `less than ${params.limit}`
    case 'minLength':
      return `at least ${params.limit} characters long`
    case 'maxLength':
      return `at most ${params.limit} characters long`
    case 'minItems':
      return `a list of at least ${params.limit}`
    case 'maxItems':
      return `a list of at most ${params.limit}`
    case 'pattern':
      return `text of the form ${params.pattern}`
    case 'format':
      return `text in the format ${params.format}`
    default:
      return `valid (${violation.message ?? keyword})`
  }
}

function withArticle(type: unknown): string {
  return `${/^[aeio]/.test(String(type)) ? 'an' : 'a'} ${String(type)}`
}

/** `/orders/0/price` as `orders[0].price`. */
function fieldPath(instancePath: string): string {
  return instancePath
    .slice(1)
    .replaceAll(/\/(\d+)/g, '[$1]')
    .replaceAll('/', '.')
    .replaceAll('~1', '/')
    .replaceAll('~0', '~')
}

/** The value received, when it is short enough to help. */
function got(data: unknown): string {
  if (data !== null && typeof data === 'object') return ''
  const text = JSON.stringify(data)
  return text === undefined || text.length > 60 ? '' : `, got ${text}`
}
