// The venue's OpenAPI document as the page of the reference shows it.
import { type CodeSample, codeSamples, type ProductName, type SampleVenue } from './samples.ts'

/** An OpenAPI document, as far as this page looks into it. */
export interface Document {
  readonly info: { readonly title: string; readonly description: string }
  readonly servers: readonly { readonly url: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: Readonly<Record<string, Readonly<Record<string, { readonly description?: string }>>>>
}

export interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly description?: string
  readonly example?: unknown
}

export interface Operation {
  readonly operationId: string
  readonly description?: string
  readonly 'x-access': string
  readonly 'x-errors': readonly {
    readonly status: number
    readonly code: number
    readonly reason: string
    readonly retryable: boolean
  }[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: {
    readonly content: Readonly<
      Record<string, { readonly examples?: Readonly<Record<string, { readonly value: unknown }>> }>
    >
  }
}

const ACCESS: Readonly<Record<string, string>> = {
  READ_ONLY: 'Signed with any key.',
  WRITABLE: 'Signed with a key that may write.',
  WALLET: 'Needs no key: a wallet signs the body.',
  OPEN: 'Needs no key; a signed request is checked.',
  PUBLIC: 'Needs no key.',
}

/** Where the venue serves what a product's stream tells. */
const STREAM_DOCUMENTS: Readonly<Record<ProductName, string>> = {
  stock: '/asyncapi.json',
  perp: '/asyncapi/perp.json',
}

/** What the document's description ends with: the page has the reasons in a list, with links. */
const REASONS = / ?May fail with [\w, ]+\.$/

/**
 * The document with what a reader wants beside each operation: who may call it, why it fails, and samples that run. How requests are
 * signed stands in words: fields for ready-made headers, which the page would offer for a security scheme, sign nothing.
 */
export function shownDocument(document: Document, venue: SampleVenue): Document {
  const { securitySchemes = {}, ...components } = document.components
  const paths = Object.entries(document.paths).map(([path, item]) => [
    path,
    Object.fromEntries(Object.entries(item).map(([method, one]) => [method, shown(method, path, one, venue)])),
  ])
  const headers = Object.entries(securitySchemes).map(
    ([name, { description = '' }]) => `| \`${name}\` | ${description} |`,
  )
  const signing = ['### Headers of a signed request', '', '| header | |', '| --- | --- |', ...headers].join('\n')
  const links = `[Messages of the stream](${STREAM_DOCUMENTS[venue.product]}) (AsyncAPI 3.0) · [All errors](/docs/errors)`
  const { info } = document
  return {
    ...document,
    info: { ...info, description: [info.description, signing, links].join('\n\n') },
    paths: Object.fromEntries(paths),
    components,
  }
}

function shown(
  method: string,
  path: string,
  operation: Operation,
  venue: SampleVenue,
): Omit<Operation, 'security'> & { readonly 'x-codeSamples': readonly CodeSample[] } {
  const { security: _fields, ...rest } = operation as Operation & { readonly security?: unknown }
  const parameters = operation.parameters?.map(withoutValue)
  const said = [
    (operation.description ?? '').replace(REASONS, ''),
    ACCESS[operation['x-access']] ?? '',
    failuresOf(operation),
  ]
  return {
    ...rest,
    ...(parameters ? { parameters } : {}),
    description: said.filter((text) => text !== '').join('\n\n'),
    'x-codeSamples': codeSamples({ method: method.toUpperCase(), path, operation }, venue),
  }
}

/** What need not be given is shown with an example in words: a value would be sent by whoever tries the operation. */
function withoutValue(parameter: Parameter): Parameter {
  const { example, description = '', ...rest } = parameter
  return parameter.required ? parameter : { ...rest, description: `${description} Example: \`${example}\``.trim() }
}

/** A line for each HTTP status and code, with the pages of the reasons. */
function failuresOf({ 'x-errors': errors }: Operation): string {
  const lines = new Map<string, string[]>()
  for (const { status, code, reason, retryable } of errors) {
    const line = `HTTP ${status}, code ${code}`
    const again = retryable ? ' (may be tried again)' : ''
    lines.set(line, [...(lines.get(line) ?? []), `[\`${reason}\`](/docs/errors/${reason})${again}`])
  }
  return ['**Failures**', '', ...[...lines].map(([line, reasons]) => `- ${line}: ${reasons.join(', ')}`)].join('\n')
}
