import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { AppError } from '../lib/errors.ts'
import { newId } from '../lib/ids.ts'
import type { Mount } from './admission.ts'
import { plainEnvelope } from './mount.ts'
import type { Envelope, Venue } from './product.ts'
import { httpReasons } from './reasons.ts'
import { originForm } from './target.ts'

/** What Node says of bytes that are no request; `rawPacket` holds those that it was given last. */
interface ParserError extends Error {
  readonly code?: string | undefined
  readonly rawPacket?: unknown
}

interface Surrounding {
  readonly mounts: readonly Pick<Mount, 'prefix' | 'envelope'>[]
  readonly venue: Pick<Venue, 'clock' | 'log'>
}

const TOO_LONG = { status: 431, message: 'the headers of the request are too long' }
const TOO_LATE = { status: 408, message: 'the request did not arrive in time' }
const MALFORMED = { status: 400, message: 'this is no HTTP request that the server can read' }

/**
 * Answers what Node's parser refuses, before there is a request: in the format of the product whose prefix the request line
 * names, and closes the connection. A connection that is gone gets nothing. One with a whole request in work is cut without an answer:
 * the client would take this one for that request's, and for refused what is carried out.
 */
export function unreadable({ mounts, venue }: Surrounding): (error: ParserError, socket: Socket) => void {
  return (error, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable || owesAnswer(socket)) return void socket.destroy()
    const { status, message } = failureOf(error)
    const requestId = newId()
    const { name } = httpReasons.request_unreadable
    const failure = new AppError(httpReasons.request_unreadable, message)
    const { body } = envelopeOf(error, mounts).failure(failure, requestId, venue.clock.nowMs())
    venue.log.debug({ requestId, status, code: error.code }, 'a request could not be read')
    const headers = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      `x-request-id: ${requestId}`,
      `x-error-reason: ${name}`,
      'connection: close',
    ]
    socket.end(`${headers.join('\r\n')}\r\n\r\n${body}`)
  }
}

/** The first answer that a connection waits for, by Node's name for it; null where it waits for none. */
export const owedAnswer = ({ _httpMessage }: Duplex & { readonly _httpMessage?: ServerResponse | null }) =>
  _httpMessage ?? null

/** Of a request whose body is broken nothing has been carried out. */
function owesAnswer(socket: Socket): boolean {
  const answer = owedAnswer(socket)
  return answer !== null && (answer.req.complete || answer.headersSent)
}

function failureOf({ code }: ParserError) {
  if (code === 'HPE_HEADER_OVERFLOW') return TOO_LONG
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? TOO_LATE : MALFORMED
}

/** Where the request line cannot be seen any more, the first product's. */
function envelopeOf({ rawPacket }: ParserError, mounts: Surrounding['mounts']): Envelope {
  const packet = rawPacket instanceof Buffer ? rawPacket.subarray(0, 4096).toString('latin1') : ''
  const [line = ''] = packet.split('\r\n', 1)
  const target = /^[A-Z]+ (\S+)/.exec(line)?.[1]
  if (target === undefined) return mounts[0]?.envelope ?? plainEnvelope
  const path = originForm(target)
  const own = mounts.filter(({ prefix }) => prefix !== '' && (path === prefix || path.startsWith(`${prefix}/`)))
  return own[0]?.envelope ?? mounts.find(({ prefix }) => prefix === '')?.envelope ?? plainEnvelope
}
