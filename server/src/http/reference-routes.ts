import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../lib/errors.ts'
import { errorIndexPage, errorPage, reasonsByName } from './error-reference.ts'
import { PAGE_HEADERS } from './html.ts'
import { type DocumentedProduct, openApiDocument } from './openapi.ts'
import { httpReasons } from './reasons.ts'
import type { ReasonTable } from './reference.ts'
import { referencePage } from './reference-page.ts'
import type { Surroundings } from './scope.ts'

const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' } as const

/** Sends a finished answer. */
type Send = (request: FastifyRequest, reply: FastifyReply, text: string) => FastifyReply

/**
 * `/openapi.json`, `/docs` and `/docs/errors/{reason}`, without a key, for a further product `/openapi/{name}.json` and `/docs/{name}`: what the API is, made of the schemas and tables that
 * it works by (design 4). They are made once, at the start.
 */
export function referenceRoutes(
  app: FastifyInstance,
  products: readonly DocumentedProduct[],
  tables: readonly ReasonTable[],
  around: Surroundings,
): void {
  for (const [index, product] of products.entries()) {
    const document = openApiDocument(product)
    const documentUrl = index === 0 ? '/openapi.json' : `/openapi/${product.name}.json`
    serve(app, documentUrl, JSON_HEADERS, JSON.stringify(document), around)
    serve(
      app,
      index === 0 ? '/docs' : `/docs/${product.name}`,
      PAGE_HEADERS,
      referencePage(document, documentUrl),
      around,
    )
  }
  const references = products.map(({ reference }) => reference)
  serve(app, '/docs/errors', PAGE_HEADERS, errorIndexPage(tables), around)
  const pages = new Map(
    [...reasonsByName(tables)].map(([name, reason]) => [name, errorPage(reason, tables, references)]),
  )
  const send = sender(PAGE_HEADERS, '/docs/errors/:reason', around)
  app.get('/docs/errors/:reason', async (request, reply) => {
    const { reason } = request.params as { reason: string }
    const text = pages.get(reason)
    if (text === undefined)
      throw new AppError(httpReasons.path_unknown, 'there is no such reason; /docs/errors lists all')
    return send(request, reply, text)
  })
}

function serve(
  app: FastifyInstance,
  url: string,
  headers: Readonly<Record<string, string>>,
  text: string,
  around: Surroundings,
): void {
  const send = sender(headers, url, around)
  app.get(url, async (request, reply) => send(request, reply, text))
}

function sender(headers: Readonly<Record<string, string>>, route: string, around: Surroundings): Send {
  const observe = around.metrics('none', 'GET', route)
  return (request, reply, text) => {
    observe(200, (performance.now() - request.arrivedMs) / 1000, null)
    if (around.draining()) reply.header('connection', 'close')
    return reply.headers(headers).send(text)
  }
}
