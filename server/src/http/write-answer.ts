import type { OutgoingHttpHeaders } from 'node:http'
import type { FastifyReply } from 'fastify'

const JSON_CONTENT = 'application/json; charset=utf-8'

/** JSON text, whole or in parts. */
export type Body = string | readonly [before: string, payload: Buffer, after: string]

export const textOf = (body: Body): string => (typeof body === 'string' ? body : body.join(''))

/**
 * Writes a whole answer of JSON. Not by Fastify's `send`, which looks at each header and at the form of a body that need not be looked at;
 * nothing of the server stands between that and the client. What Fastify set of its own accord (`connection: close`) goes along.
 */
export function writeAnswer(reply: FastifyReply, httpStatus: number, headers: OutgoingHttpHeaders, body: Body): void {
  const bytes = lengthOf(body)
  headers['content-type'] = JSON_CONTENT
  headers['content-length'] = bytes
  reply.hijack()
  const { raw } = reply
  raw.writeHead(httpStatus, headers)
  if (typeof body === 'string') {
    // Text with a byte for each character is ASCII, which Latin-1 writes as it is, without looking for what else to encode.
    raw.end(body, bytes === body.length ? 'latin1' : 'utf8')
    return
  }
  const [before, payload, after] = body
  raw.cork()
  raw.write(before)
  raw.write(payload)
  raw.end(after)
  raw.uncork()
}

const lengthOf = (body: Body): number =>
  typeof body === 'string'
    ? Buffer.byteLength(body)
    : Buffer.byteLength(body[0]) + body[1].length + Buffer.byteLength(body[2])
