import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Auth } from '../auth/auth.ts'
import { memoryNonceStore } from '../auth/nonce-store.ts'
import { Verifier } from '../auth/verifier.ts'
import { openSendDesk } from '../delegation/send-desk.ts'
import { configuredWith } from '../delegation/testing-values.ts'
import { testServer, testVenue } from '../http/testing.ts'
import { openProducts, products } from './products.ts'

/** Contracts, a database and a node of which nothing is asked: a request without a key gets no further. */
const contracts = new Proxy<Record<string, `0x${string}`>>({}, { get: () => `0x${'00'.repeat(20)}` })
const venue = testVenue({ deployment: { chainId: 31_337, startBlock: 0n, contracts } })
const keys = { find: () => undefined, fresh: () => undefined }
const verifier = new Verifier({ keys, nonces: memoryNonceStore(venue.clock), clock: venue.clock })
const values = configuredWith(products.map(({ variables }) => variables))
const served = openProducts(products, venue, values).map((product) =>
  product.serve({ auth: { verifier } as unknown as Auth, desk: openSendDesk(venue) }),
)

let app: FastifyInstance
beforeAll(async () => {
  app = await testServer([], { venue, mounts: served })
})
afterAll(() => app?.close())

/** The status and code of a failed authentication. */
const REFUSED: Readonly<Record<string, readonly [status: number, code: number]>> = {
  stock: [400, 401],
  perp: [401, 40_101],
}

describe.each(served.map((product) => [product.name, product] as const))('a request of %s', (name, product) => {
  const keyed = product.routes.filter(({ access }) => access === 'READ_ONLY' || access === 'WRITABLE')

  it.each(keyed.map(({ method, path }) => [`${method} ${path}`, method, path] as const))(
    'without any headers of a key is refused: %s',
    async (_, method, path) => {
      const url = `${product.prefix}${path.replaceAll(/:\w+/g, 'x')}`
      const answer = await app.inject({ method, url })
      expect([answer.statusCode, answer.json().code]).toEqual(REFUSED[name])
    },
  )
})
