// Requests of the reference: signed as the client library signs, and to no other place than the venue.

import { createClient as createPerp } from '@bourse/sdk/perp'
import { type Client, createClient as createStock, type Signer } from '@bourse/sdk/stock'
import type { Setup } from '../app-state.ts'
import type { ProductName } from './samples.ts'

export interface Requests {
  readonly setup: Setup
  readonly signerOf: (product: ProductName) => Signer | undefined
  /** The documents of the page by path, each as it is shown. */
  readonly documents: Readonly<Record<string, (text: string) => unknown>>
}

export function clientOf(setup: Setup, product: 'stock', signer?: Signer): Client<'stock'>
export function clientOf(setup: Setup, product: 'perp', signer?: Signer): Client<'perp'>
export function clientOf(setup: Setup, product: ProductName, signer?: Signer): Client
export function clientOf(setup: Setup, product: ProductName, signer?: Signer): Client {
  const { chainId } = setup
  const options = { baseUrl: setup[product]?.prefix ?? '', chainId, ...(signer ? { signer } : {}) }
  return product === 'stock'
    ? createStock({ ...options, productType: setup.stock?.product ?? '' })
    : createPerp(options)
}

/** What the page's library is given as `fetch`. */
export function fetchOf({ setup, signerOf, documents }: Requests): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    const url = new URL(request.url)
    if (url.origin !== location.origin) throw new TypeError(`${url.origin} is not this venue`)
    const show = documents[url.pathname]
    if (show) return Response.json(show(await answered(await fetch(url))))
    return fetch(await signed(request, url, setup, signerOf))
  }
}

async function answered(response: Response): Promise<string> {
  if (!response.ok) throw new Error(`${response.url}: HTTP ${response.status}`)
  return response.text()
}

async function signed(request: Request, url: URL, setup: Setup, signerOf: Requests['signerOf']): Promise<Request> {
  const product = productOf(url.pathname, setup)
  const body = await request.text()
  const { method } = request
  const signer = product && signerOf(product)
  const headers = new Headers({ accept: 'application/json' })
  for (const name of ['content-type', 'idempotency-key']) {
    const value = request.headers.get(name)
    if (value !== null && (name !== 'content-type' || body !== '')) headers.set(name, value)
  }
  sortQuery(url)
  if (product && signer) {
    const client = clientOf(setup, product, signer)
    const uri = url.pathname.slice(client.options.baseUrl.length) + url.search
    for (const [name, value] of Object.entries(await client.product.sign(client, { method, uri, body })))
      headers.set(name, value)
  }
  const sent = { method, headers, cache: 'no-store', credentials: 'omit', redirect: 'error' } as const
  return new Request(url, body === '' ? sent : { ...sent, body })
}

/** The product that a path is of: the one with the longer prefix. */
function productOf(path: string, setup: Setup): ProductName | null {
  const products = (['stock', 'perp'] as const).filter((name) => path.startsWith(`${setup[name]?.prefix ?? '\n'}/`))
  products.sort((one, other) => (setup[other]?.prefix.length ?? 0) - (setup[one]?.prefix.length ?? 0))
  return products[0] ?? null
}

/** As it is signed: sorted by name, equal names in their order. */
function sortQuery(url: URL): void {
  const pairs = url.search.slice(1).split('&').filter(Boolean)
  const name = (pair: string) => pair.split('=', 1)[0] ?? ''
  pairs.sort((one, other) => (name(one) < name(other) ? -1 : name(one) > name(other) ? 1 : 0))
  url.search = pairs.join('&')
}
