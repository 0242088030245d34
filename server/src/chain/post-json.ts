import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'

const unzip = promisify(gunzip)

// A connection that waits for its next request keeps no process alive, and is not used again when it may have been forgotten on the way.
const KEPT = { keepAlive: true, timeout: 4000 }
const overHttp = { request: httpRequest, agent: new HttpAgent(KEPT) }
const overHttps = { request: httpsRequest, agent: new HttpsAgent(KEPT) }

export interface HttpAnswer {
  readonly status: number
  readonly text: string
}

export class PostTimeout extends Error {
  override readonly name = 'PostTimeout'
  /** Whether the request may have been sent: there was a connection. */
  readonly isConnected: boolean

  constructor(isConnected: boolean) {
    super(isConnected ? 'no answer in time' : 'no connection in time')
    this.isConnected = isConnected
  }
}

/**
 * Posts JSON in one attempt over connections that are kept, at a third of the processor time that `fetch` takes. Rejects with
 * the socket's error, with `PostTimeout` when the whole answer is not there in time, or with the reason of an abort.
 */
export async function postJson(
  url: string,
  json: string,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<HttpAnswer> {
  signal?.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const { promise: stopped, reject: stop } = Promise.withResolvers<never>()
  const { request, agent } = url.startsWith('https:') ? overHttps : overHttp
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(json),
    'accept-encoding': 'gzip',
  }
  const sent = request(url, { method: 'POST', agent, headers }, resolve).on('error', reject)
  const timer = setTimeout(() => stop(new PostTimeout(isConnected(sent))), timeoutMs)
  const abort = () => stop(signal?.reason)
  signal?.addEventListener('abort', abort)
  try {
    sent.end(json)
    return await Promise.race([promise.then(answerOf), stopped])
  } catch (error) {
    sent.destroy()
    throw error
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}

/** False while a connection, or its encryption, is being set up. */
function isConnected({ socket }: ClientRequest): boolean {
  if (socket === null || socket.connecting) return false
  return !('secureConnecting' in socket) || socket.secureConnecting !== true
}

async function answerOf(response: IncomingMessage): Promise<HttpAnswer> {
  const bytes = await bytesOf(response)
  const body = response.headers['content-encoding'] === 'gzip' ? await unzip(bytes) : bytes
  return { status: response.statusCode ?? 0, text: body.toString() }
}

const bytesOf = (response: IncomingMessage): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    response
      .on('data', (part: Buffer) => parts.push(part))
      .on('end', () => resolve(Buffer.concat(parts)))
      .on('error', reject)
  })
