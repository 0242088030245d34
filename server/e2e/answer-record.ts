import { Registry } from 'prom-client'
import type { Auth } from '../src/auth/auth.ts'
import { Verifier, type VerifierOptions } from '../src/auth/verifier.ts'
import { loadValues } from '../src/config.ts'
import { openSendDesk } from '../src/delegation/send-desk.ts'
import type { OpenApiDocument } from '../src/http/openapi.ts'
import type { Venue } from '../src/http/product.ts'
import type { RateDecision } from '../src/http/rate-limit.ts'
import { createServer } from '../src/http/server.ts'
import { TEST_STREAMS } from '../src/http/testing.ts'
import { systemClock } from '../src/lib/clock.ts'
import { createLogger } from '../src/lib/logger.ts'
import { stock } from '../src/stock/index.ts'
import { DocumentValidator } from './openapi-validator.ts'
import type { RawAnswer, RawRequest } from './raw-client.ts'

interface Seen {
  readonly request: RawRequest
  readonly answer: Pick<RawAnswer, 'status' | 'headers' | 'body' | 'text'>
}

/** The answers of a test run, to be held against the OpenAPI document. */
export class AnswerRecord {
  readonly #seen: Seen[] = []

  readonly note = (request: Seen['request'], answer: Seen['answer']): void => {
    this.#seen.push({ request, answer })
  }

  get size(): number {
    return this.#seen.length
  }

  /** Every answer of a documented operation that is not as the document says, once for each operation and fault. */
  problems(document: OpenApiDocument): string[] {
    const validator = new DocumentValidator(document)
    const problems = this.#seen.flatMap(({ request, answer }) => {
      const path = documentedPath(document, request)
      if (path === null) return []
      const reason = answer.headers['x-error-reason']?.toString()
      const { method } = request
      const problem = validator.answerProblem({ method, path, status: answer.status, reason, body: answer.body })
      return problem === null ? [] : [`${method} ${path}, HTTP ${answer.status}: ${problem}`]
    })
    return [...new Set(problems)]
  }

  /** The operations and statuses that the document has and no answer has shown. */
  missing(document: OpenApiDocument): string[] {
    const shown = new Set(
      this.#seen.map(
        ({ request, answer }) => `${request.method} ${documentedPath(document, request)} ${answer.status}`,
      ),
    )
    const documented = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).flatMap(([method, { responses }]) =>
        Object.keys(responses).map((status) => `${method.toUpperCase()} ${path} ${status}`),
      ),
    )
    return documented.filter((one) => !shown.has(one))
  }
}

/** The path of the operation that a request is for, as the document writes it: of two that fit, the one with fewer parameters. */
function documentedPath(document: OpenApiDocument, { method, path }: RawRequest): string | null {
  const parts = (path.split('?')[0] ?? '').split('/')
  const fits = Object.entries(document.paths).flatMap(([pattern, item]) => {
    const wanted = pattern.split('/')
    const same = wanted.length === parts.length && wanted.every((part, i) => part.startsWith('{') || part === parts[i])
    return same && method.toLowerCase() in item ? [pattern] : []
  })
  return fits.sort((a, b) => a.split('{').length - b.split('{').length)[0] ?? null
}

type BrokenPart = 'rate limit' | 'key directory' | 'unforeseen'

/**
 * Answers of the real server with the real operations, one part of which is broken: nobody may send any more (429), the
 * keys cannot be looked up (503), or the look-up fails in a way that nobody foresaw (500).
 */
export async function* answersWithBrokenPart(
  part: BrokenPart,
  requests: readonly RawRequest[],
  deployment: Venue['deployment'],
): AsyncGenerator<Seen> {
  const verifier = new Verifier({ keys: brokenKeys(part), nonces: NO_NONCES, clock: systemClock })
  const venue = { deployment, clock: systemClock, log: createLogger('silent') } as unknown as Venue
  const app = await createServer({
    mounts: [stock.open(venue, loadValues({})).serve({ auth: { verifier } as Auth, desk: openSendDesk(venue) })],
    venue,
    rateLimiter: {
      limit: 1,
      take: (): RateDecision => ({ allowed: part !== 'rate limit', remaining: 0, resetSec: 1 }),
    },
    trustedProxies: [],
    health: { notReady: async () => [], status: async () => ({}), metrics: new Registry() },
    reasonTables: [],
    streams: TEST_STREAMS,
  })
  try {
    for (const request of requests) {
      const { method, path, body } = request
      const headers = { 'x-api-key': 'somebody' }
      const asked = { method: method as 'GET', url: `/stock${path}`, headers }
      const sent = body === undefined ? asked : { ...asked, payload: body }
      const { statusCode: status, headers: answered, payload: text } = await app.inject(sent)
      yield { request, answer: { status, headers: answered as RawAnswer['headers'], body: JSON.parse(text), text } }
    }
  } finally {
    await app.close()
  }
}

const NO_NONCES: VerifierOptions['nonces'] = { consume: () => false, probe: () => null }

const brokenKeys = (part: BrokenPart): VerifierOptions['keys'] => ({
  find() {
    throw new TypeError('nobody foresaw this')
  },
  fresh: () => (part === 'key directory' ? Promise.reject(new Error('the database is away')) : undefined),
})
