import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ccxt from 'ccxt'
import { bourseExchange, type ProductName } from '../src/index.ts'
import type { Exchange, Params } from '../src/venue.ts'

// An exchange without a venue: it is answered from a table, and tells what it has asked.

export const root = join(import.meta.dirname, '..', '..')

export interface Asked {
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

export interface Reply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: unknown
}

export type Answers = (asked: Asked) => Reply | Error

export interface Offline {
  readonly exchange: Exchange
  readonly asked: Asked[]
}

const BASE = 'https://venue.test'

export function offline(answers: Answers, more: Params = {}, product: ProductName = 'perp'): Offline {
  const asked: Asked[] = []
  const Bourse = bourseExchange(ccxt, product)
  const exchange = new Bourse({
    apiKey: 'key',
    secret: 'test-secret',
    walletAddress: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
    enableRateLimit: false,
    urls: { api: { rest: BASE } },
    ...more,
    options: { chainId: 31_337, confirmInterval: 1, confirmTimeout: 200, ...(more.options as Params) },
  })
  exchange.fetchImplementation = async (url: string, init: { method: string; headers: never; body?: string }) => {
    const { pathname, search } = new URL(url)
    const one = { method: init.method, target: pathname + search, headers: init.headers, body: init.body }
    asked.push(one)
    const reply = answers(one)
    if (reply instanceof Error) throw reply
    const text = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body)
    return new Response(text, { status: reply.status ?? 200, headers: reply.headers ?? {} })
  }
  return { exchange, asked }
}

interface Media {
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
  readonly example?: unknown
}
interface Document {
  readonly paths: Readonly<
    Record<string, Record<string, { readonly responses: Record<string, { readonly content: Record<string, Media> }> }>>
  >
}

const documents: Record<string, Document> = {}

export function documentOf(file: 'openapi.json' | 'perp-openapi.json'): Document {
  documents[file] ??= JSON.parse(readFileSync(join(root, 'docs', 'reference', file), 'utf8'))
  return documents[file] as Document
}

/** Answers of the venue as the reference shows them: the first example of each operation. */
export function documented(file: 'openapi.json' | 'perp-openapi.json', method: string, path: string): Reply {
  const operation = documentOf(file).paths[path]?.[method.toLowerCase()]
  const media = operation?.responses['200']?.content['application/json']
  const body = media?.example ?? Object.values(media?.examples ?? {})[0]?.value
  if (body === undefined) throw new Error(`the reference has no answer of ${method} ${path}`)
  return { body }
}
