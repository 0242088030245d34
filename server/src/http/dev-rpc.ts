import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../lib/errors.ts'
import { fromThisMachine } from './client-address.ts'
import { isLoopbackHost } from './ip-list.ts'
import { parseJson } from './json.ts'
import type { RequireOwnOrigin } from './origin.ts'

/** Answers one JSON-RPC request with its response object; it never rejects. */
export type JsonRpc = (request: unknown) => Promise<unknown>

export const DEV_RPC_PATH = '/dev/rpc'

/**
 * JSON-RPC of the embedded chain for a wallet in the venue's own page, which signs with the development accounts. It answers this
 * machine alone, by a name of this machine, so that neither another site's page nor a name that was turned to this address
 * reaches it.
 */
export function devRpc(app: FastifyInstance, answer: JsonRpc, ownOrigin: RequireOwnOrigin): void {
  app.post(DEV_RPC_PATH, async (request, reply) => {
    const refusal = refusalOf(request, ownOrigin)
    if (refusal !== null) return reply.code(403).send({ statusCode: 403, error: 'Forbidden', message: refusal })
    if (!/^application\/json\b/.test(request.headers['content-type'] ?? '')) {
      return reply.send(failure('send one JSON-RPC request as application/json'))
    }
    try {
      return reply.send(await answer(parseJson(request.body instanceof Buffer ? request.body : Buffer.alloc(0))))
    } catch (error) {
      if (error instanceof AppError) return reply.send(failure(error.message))
      throw error
    }
  })
}

const failure = (message: string) => ({ jsonrpc: '2.0', id: null, error: { code: -32_700, message } })

/** No proxy's word is taken for it. */
const isHere = fromThisMachine([])

function refusalOf({ raw }: FastifyRequest, ownOrigin: RequireOwnOrigin): string | null {
  if (!isHere(raw)) return 'this is for pages on the machine of the venue'
  if (!isLoopbackHost(raw.headers.host ?? '')) return 'use localhost or 127.0.0.1'
  return ownOrigin(raw)?.message ?? null
}
