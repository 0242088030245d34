import fc from 'fast-check'
import type { OpenApiDocument } from '../src/http/openapi.ts'
import type { RawRequest } from './raw-client.ts'

// Requests that no sound client sends, made of what the OpenAPI document says of each operation: a sound request, of which
// something is wrong.

/** An operation with a sound request for it. */
export interface Target {
  readonly method: string
  /** With `{name}` parameters. */
  readonly path: string
  readonly parameters: Readonly<Record<string, string>>
  readonly queryNames: readonly string[]
  /** Sound bodies; none when it takes none. */
  readonly bodies: readonly Readonly<Record<string, unknown>>[]
  readonly fields: readonly string[]
  /** True when a request that is sound by accident would change a row; every body then has a field too many. */
  readonly stores: boolean
}

/**
 * These build and check only, or are refused in a venue without transactions and delegations. An order's hash is recorded with
 * whatever its client calls it, which hardly anything makes malformed.
 */
const STORES_NOTHING = /\/(calldata|preview|prepare|send|enable|disable|(deposits|withdrawals)\/tx)$/

/** Every operation of the document; `known` has the values that are there in the venue under test, by field name. */
export function targetsOf(document: OpenApiDocument, known: Readonly<Record<string, unknown>>): Target[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { parameters = [], requestBody }]) => {
      const named = (place: string) => parameters.filter((parameter) => parameter.in === place)
      const value = ({ name, example }: { name?: unknown; example?: unknown }) => String(known[String(name)] ?? example)
      const bodies = bodiesOf(requestBody).map((body) => ({ ...body, ...presentIn(body, known) }))
      return {
        method: method.toUpperCase(),
        path,
        parameters: Object.fromEntries(named('path').map((parameter) => [String(parameter.name), value(parameter)])),
        queryNames: named('query').map(({ name }) => String(name)),
        bodies,
        fields: fieldsOf(requestBody),
        stores: method !== 'get' && !STORES_NOTHING.test(path),
      }
    }),
  )
}

interface RequestBody {
  readonly content?: {
    readonly 'application/json': {
      readonly schema: { readonly properties?: Readonly<Record<string, unknown>> }
      readonly examples: Readonly<Record<string, { readonly value: Record<string, unknown> }>>
    }
  }
}

const contentOf = (body: unknown) => (body as RequestBody | undefined)?.content?.['application/json']
const bodiesOf = (body: unknown) => Object.values(contentOf(body)?.examples ?? {}).map(({ value }) => value)
const fieldsOf = (body: unknown) => Object.keys(contentOf(body)?.schema.properties ?? {})
const presentIn = (body: object, known: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(known).filter(([name]) => name in body))

const ADDRESS = `0x${'12'.repeat(20)}`
const hostileText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    ...['', ' ', '\u0000', '0x', ADDRESS, `${ADDRESS}\n`, `0x${'g'.repeat(64)}`, `0x${'0'.repeat(63)}`],
    ...["'; drop table stock_claims; --", '../../etc/passwd', '%00', '%', '%ff', '%2e%2e%2f', '%25', '\ud800'],
    ...['\u0130\u00df\ufb01', '1e400', '-0', '9'.repeat(200), 'A'.repeat(5000), '__proto__', 'constructor', 'NaN'],
    ...['𝟙𝟚', '-1', '0', '1.5', '1e21', '9007199254740993', 'null', 'true', '[]', '{}', 'Buy', 'Limit', 'DAY', 'GTC'],
  ),
)
const hostileValue = fc.oneof(
  hostileText,
  fc.jsonValue({ maxDepth: 3 }),
  fc.double(),
  fc.bigInt().map((number) => Number(number)),
  fc.constantFrom(null, true, [], {}, [[[]]], { toString: 'x' }, -1, 0, 1.5, 1e21, 2 ** 53, 2 ** 32, -0),
)
const UNKNOWN_FIELDS = ['__proto__', 'toString', 'colour', '']

/** Text that is no JSON, or JSON that means more than one thing. */
const rawBody = fc.oneof(
  fc.json(),
  fc.string({ unit: 'binary' }),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  fc.constantFrom('', '[', '{"a":1,"a":2}', '['.repeat(10_000), `${'{"a":'.repeat(20)}1${'}'.repeat(20)}`, '\ufeff{}'),
  fc
    .constantFrom('1e5', '-0', '1E-400', '00', '0.10', '-', '1.', '0x1', '9'.repeat(400), '1e999999999')
    .map((number) => `{"notional":${number},"tokenAmount":${number},"deadline":${number}}`),
  fc.constant(`{"txHash":"${'x'.repeat(100_000)}"}`),
)

/** What Node's client lets through in a path; the rest is escaped, or sent as a broken escape. */
const pathText = hostileText.map((text) =>
  text
    .replaceAll(/[^\x21-\x7e]/gu, (char) => (char.isWellFormed() ? encodeURIComponent(char) : '%ED%A0%80'))
    .replaceAll(/[?#]/g, ''),
)

const HEADERS = ['x-api-key', 'x-api-ts', 'x-api-nonce', 'x-api-sign', 'x-api-chain-id', 'x-api-p']
const headerText = fc.constantFrom(
  ...['', ' ', '0', '-1', '1e13', '0x7a69', '031337', '31337,31337', '9'.repeat(400), 'A'.repeat(2000), 'bourse'],
  ...['Bourse Bourse', '1700000000000', '9999999999999', '17000000000001.5', 'null', 'z'.repeat(64), '0'.repeat(64)],
  ...['\u00ff\u00fe', "' or 1=1 --", '%0a', '11111111-1111-4111-8111-111111111111', '\t'],
)

/** Undefined but for one time in `oneIn`. */
const sometimes = <T>(oneIn: number, arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: oneIn - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary })

/** Headers that are wrong beside a sound signature. */
const BESIDE: readonly (readonly [name: string, value: string])[] = [
  ['content-type', 'text/plain'],
  ['content-type', 'application/json; charset=latin1'],
  ['content-type', 'multipart/form-data; x'],
  ['content-encoding', 'gzip'],
  ['idempotency-key', ''],
  ['idempotency-key', 'x'.repeat(300)],
  ['idempotency-key', 'one and the same'],
  ['x-forwarded-for', "'"],
]

const malformed = (targets: readonly Target[]) =>
  fc.record({
    target: fc.constantFrom(...targets),
    inPath: sometimes(2, pathText),
    query: fc.array(fc.tuple(fc.nat(), pathText), { maxLength: 3 }),
    asksQuery: fc.boolean(),
    sound: fc.nat(),
    changes: fc.array(fc.tuple(fc.nat(), hostileValue), { minLength: 1, maxLength: 3 }),
    left: sometimes(4, fc.nat()),
    raw: sometimes(5, rawBody),
    method: sometimes(12, fc.constantFrom('DELETE', 'PUT', 'PATCH', 'OPTIONS', 'POST')),
    header: sometimes(4, fc.tuple(fc.constantFrom(...HEADERS), headerText)),
    beside: sometimes(12, fc.constantFrom(...BESIDE)),
  })

type Malformed = ReturnType<typeof malformed> extends fc.Arbitrary<infer T> ? T : never

/** A malformed request and the operation it is aimed at. */
export interface MalformedRequest {
  readonly target: Target
  readonly request: RawRequest
  /** A signing header with a wrong value, which spoils the signature; null for a request that is signed soundly. */
  readonly spoiled: readonly [name: string, value: string] | null
}

/** The same requests for the same seed. */
export const malformedRequests = (targets: readonly Target[], seed: number, count: number): MalformedRequest[] =>
  fc.sample(malformed(targets), { seed, numRuns: count }).map((one) => ({
    target: one.target,
    request: requestOf(one),
    spoiled: one.header ?? null,
  }))

function requestOf(one: Malformed): RawRequest {
  const { target, method, beside } = one
  const verb = method ?? target.method
  const body = bodyOf(one)
  return {
    method: verb,
    path: `${pathOf(one)}${queryOf(one)}`,
    ...(body === undefined || verb === 'GET' ? {} : { body }),
    headers: beside ? { [beside[0]]: beside[1] } : {},
  }
}

function pathOf({ target, inPath }: Malformed): string {
  return target.path.replaceAll(
    /\{(\w+)\}/g,
    (_all, name) => inPath ?? encodeURIComponent(target.parameters[name] ?? ''),
  )
}

function queryOf({ target, query, asksQuery }: Malformed): string {
  // An operation that has neither parameter nor body is malformed by its query alone.
  const needed = target.bodies.length === 0 && !target.path.includes('{')
  if (!asksQuery && !needed) return ''
  const names = [...target.queryNames, 'colour', '']
  const pairs = query.map(([index, text]) => `${names[index % names.length]}=${text.replaceAll('&', '%26')}`)
  return `?${(pairs.length === 0 ? ['colour=red'] : pairs).join('&')}`
}

function bodyOf({ target, sound, changes, left, raw }: Malformed): string | Buffer | undefined {
  const base = target.bodies[sound % Math.max(1, target.bodies.length)]
  if (raw !== undefined || !base) return raw
  const names = [...target.fields, ...UNKNOWN_FIELDS]
  const entries = new Map<string, unknown>(Object.entries(base))
  for (const [index, value] of changes) entries.set(names[index % names.length] ?? '', value)
  if (target.stores) entries.set('colour', 'red')
  if (left !== undefined) entries.delete(Object.keys(base)[left % Object.keys(base).length] ?? '')
  return `{${[...entries].map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value) ?? 'null'}`).join(',')}}`
}
