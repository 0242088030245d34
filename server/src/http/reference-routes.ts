import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../lib/errors.ts'
import { once } from '../lib/once.ts'
import { asyncApiDocument } from './asyncapi.ts'
import { errorIndexPage, errorPage, reasonsByName } from './error-reference.ts'
import { PAGE_HEADERS } from './html.ts'
import { type DocumentedProduct, openApiDocument } from './openapi.ts'
import { httpReasons } from './reasons.ts'
import type { ReasonTable } from './reference.ts'
import type { Surroundings } from './scope.ts'

const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' } as const

/** Sends a finished answer. */
type Send = (request: FastifyRequest, reply: FastifyReply, text: string | Buffer) => FastifyReply

/** Where a running venue serves the document of its nth product. */
export const documentUrl = (index: number, product: string, kind: 'openapi' | 'asyncapi' = 'openapi'): string =>
  index === 0 ? `/${kind}.json` : `/${kind}/${product}.json`

/**
 * `/openapi.json`, for a further product `/openapi/{name}.json`, the same with `asyncapi` of their streams, and `/docs/errors/{reason}`,
 * without a key: what the API is, made of the schemas and tables that it works by. Each is made once, when the first one asks. The page at
 * `/docs` is a file of the app.
 */
export function referenceRoutes(
  app: FastifyInstance,
  products: readonly DocumentedProduct[],
  tables: readonly ReasonTable[],
  around: Surroundings,
): void {
  for (const [index, product] of products.entries()) {
    const url = documentUrl(index, product.name)
    serveDocument(app, url, () => JSON.stringify(openApiDocument(product)), around)
    if (product.stream?.reference) {
      const streamUrl = documentUrl(index, product.name, 'asyncapi')
      serveDocument(app, streamUrl, () => JSON.stringify(asyncApiDocument(product)), around)
    }
    // The page names a product by its fragment.
    if (index > 0) app.get(`/docs/${product.name}`, async (_request, reply) => reply.redirect(`/docs#${product.name}`))
  }
  const references = products.map(({ reference }) => reference)
  const index = once(() => errorIndexPage(tables))
  const sendIndex = sender(PAGE_HEADERS, '/docs/errors', around)
  app.get('/docs/errors', async (request, reply) => sendIndex(request, reply, index()))
  const known = reasonsByName(tables)
  const sendPage = sender(PAGE_HEADERS, '/docs/errors/:reason', around)
  app.get('/docs/errors/:reason', async (request, reply) => {
    const { reason: name } = request.params as { reason: string }
    const reason = known.get(name)
    if (reason === undefined)
      throw new AppError(httpReasons.path_unknown, 'there is no such reason; /docs/errors lists all')
    return sendPage(request, reply, errorPage(reason, tables, references))
  })
}

/** A document is most of a megabyte: for who takes Brotli it is compressed, once, when the first one asks. */
function serveDocument(app: FastifyInstance, url: string, write: () => string, around: Surroundings): void {
  const text = once(write)
  const send = sender({ ...JSON_HEADERS, vary: 'accept-encoding' }, url, around)
  const compressed = once(() =>
    promisify(brotliCompress)(text(), { params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY } }),
  )
  app.get(url, async (request, reply) => {
    if (!TAKES_BROTLI.test(request.raw.headers['accept-encoding']?.toString() ?? ''))
      return send(request, reply, text())
    const bytes = await compressed()
    return send(request, reply.header('content-encoding', 'br'), bytes)
  })
}

const TAKES_BROTLI = /(^|[\s,])br\s*($|,|;\s*q=(?!0(\.0*)?\s*($|,)))/
/** A hundred milliseconds of another thread for the largest document, and a thirtieth of its size. */
const QUALITY = 5

function sender(headers: Readonly<Record<string, string>>, route: string, around: Surroundings): Send {
  const observe = around.metrics('none', 'GET', route)
  return (request, reply, text) => {
    observe(200, (performance.now() - request.arrivedMs) / 1000, null)
    if (around.draining()) reply.header('connection', 'close')
    return reply.headers(request.answerHeaders).headers(headers).send(text)
  }
}
