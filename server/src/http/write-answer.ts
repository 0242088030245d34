import type { OutgoingHttpHeaders } from 'node:http'
import type { FastifyReply } from 'fastify'
import type { PreparedJson } from './prepared-json.ts'

const JSON_CONTENT = 'application/json; charset=utf-8'
/** From this length on a prepared payload is written as it is, between the parts around it: copying it costs more than more parts do. */
const IN_PARTS_FROM = 64 * 1024

/** JSON text, whole or as a payload with what stands around it, which is ASCII. */
export type Body = string | readonly [before: string, payload: PreparedJson, after: string]

export const textOf = (body: Body): string => (typeof body === 'string' ? body : body[0] + body[1].text + body[2])

/**
 * Writes a whole answer of JSON. Not by Fastify's `send`, which looks at each header and at the form of a body that need not be looked at;
 * nothing of the server stands between that and the client. What Fastify set of its own accord (`connection: close`) goes along.
 * Answers how many bytes are kept for this answer alone until the client has taken it: a long prepared payload is shared.
 */
export function writeAnswer(reply: FastifyReply, httpStatus: number, headers: OutgoingHttpHeaders, body: Body): number {
  const length = lengthOf(body)
  headers['content-type'] = JSON_CONTENT
  headers['content-length'] = length
  reply.hijack()
  const { raw } = reply
  raw.writeHead(httpStatus, headers)
  if (typeof body !== 'string' && body[1].byteLength >= IN_PARTS_FROM) {
    const [before, { bytes }, after] = body
    raw.cork()
    raw.write(before)
    raw.write(bytes)
    raw.end(after)
    raw.uncork()
    return before.length + after.length
  }
  const text = textOf(body)
  // Text with a byte for each character is ASCII, which Latin-1 writes as it is, without looking for what else to encode.
  raw.end(text, length === text.length ? 'latin1' : 'utf8')
  return length
}

/** In bytes. */
function lengthOf(body: Body): number {
  if (typeof body === 'string') return Buffer.byteLength(body)
  const [before, { byteLength }, after] = body
  return before.length + byteLength + after.length
}
