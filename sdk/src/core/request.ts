import type { CallOptions } from './client.ts'

/**
 * An operation: what happens when it comes twice (nothing; the same once, by its Idempotency-Key; the same again), method, path,
 * names of the query, whether it has a body, and whether it is signed: always, where there is a signer, or never.
 */
export type CallSpec = readonly [
  kind: 'read' | 'send' | 'once',
  method: string,
  path: string,
  query: readonly string[],
  hasBody: boolean,
  access: 'key' | 'open' | 'none',
]

/** A request as every attempt makes it, but for its signature. */
export interface PreparedRequest {
  readonly kind: CallSpec[0]
  readonly method: string
  /** Path and query below the base URL, the query sorted by name. */
  readonly uri: string
  /** Exact text; empty when there is none. */
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  readonly access: CallSpec[5]
  readonly idempotencyKey: string | null
}

export function preparedRequest(
  [kind, method, path, query, hasBody, access]: CallSpec,
  params: object,
  { idempotencyKey }: CallOptions,
): PreparedRequest {
  const fields = new Map(Object.entries(params).filter(([, value]) => value !== undefined))
  const take = (name: string): unknown => {
    const value = fields.get(name)
    fields.delete(name)
    return value
  }
  const target = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(required(path, name, take(name)))),
  )
  const pairs = [...query].sort().flatMap((name) => {
    const value = take(name)
    return value === undefined ? [] : [`${name}=${encodeURIComponent(String(value))}`]
  })
  const key = kind === 'send' ? (idempotencyKey ?? crypto.randomUUID()) : null
  return {
    kind,
    method,
    uri: pairs.length === 0 ? target : `${target}?${pairs.join('&')}`,
    body: hasBody ? JSON.stringify(Object.fromEntries(fields)) : '',
    headers: {
      ...(hasBody ? { 'content-type': 'application/json' } : {}),
      ...(key === null ? {} : { 'idempotency-key': key }),
    },
    access,
    idempotencyKey: key,
  }
}

function required(path: string, name: string, value: unknown): unknown {
  if (value === undefined || value === '') throw new TypeError(`${path} needs ${name}`)
  return value
}
