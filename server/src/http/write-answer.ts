import type { OutgoingHttpHeaders } from 'node:http'
import type { FastifyReply } from 'fastify'

const JSON_CONTENT = 'application/json; charset=utf-8'

/**
 * Writes a whole answer of JSON. Not by Fastify's `send`, which looks at each header and at the form of a body that need not be looked at;
 * nothing of the server stands between that and the client. What Fastify set of its own accord (`connection: close`) goes along.
 */
export function writeAnswer(reply: FastifyReply, httpStatus: number, headers: OutgoingHttpHeaders, json: string): void {
  const bytes = Buffer.byteLength(json)
  headers['content-type'] = JSON_CONTENT
  headers['content-length'] = bytes
  reply.hijack()
  reply.raw.writeHead(httpStatus, headers)
  // Text with a byte for each character is ASCII, which Latin-1 writes as it is, without looking for what else to encode.
  reply.raw.end(json, bytes === json.length ? 'latin1' : 'utf8')
}
