import { type RawData, WebSocket } from 'ws'
import { sleep } from '../../lib/clock.ts'
import { AppError } from '../../lib/errors.ts'
import type { Logger } from '../../lib/logger.ts'
import { marketReasons } from '../reasons.ts'
import { parseWire } from './wire.ts'

const PING_MS = 10_000
const IDLE_MS = 60_000
const HANDSHAKE_MS = 10_000
const FIRST_RETRY_MS = 500
const LONGEST_RETRY_MS = 30_000

/** The client's side of a stream's protocol. */
export interface Talk {
  /** Sent as soon as the connection is open. */
  hello(send: (message: unknown) => void): void
  /** Takes a message. `ready` once the stream has been granted; throws when it is refused or makes no sense. */
  take(message: unknown, send: (message: unknown) => void): 'ready' | 'more'
  /** What must be done after each grant before the stream's data counts as complete. */
  caughtUp(): Promise<void>
}

export interface StreamOptions {
  readonly name: string
  readonly url: string
  readonly talk: Talk
  readonly log: Logger
  readonly firstRetryMs?: number
  readonly idleMs?: number
  readonly pingMs?: number
}

/**
 * A WebSocket that is there while somebody uses it: opened by the first use, opened again after a loss with growing, uneven
 * pauses, and closed when nobody has used it for a minute, since an account may have one connection and a standby must
 * leave it to the leader. A server that is silent to a ping is left.
 */
export class ReconnectingStream {
  readonly #options: StreamOptions
  #socket: WebSocket | null = null
  #usedMs = 0
  #running = false
  #ready = false
  #waiting: (() => void)[] = []
  #wake = new AbortController()

  constructor(options: StreamOptions) {
    this.#options = options
  }

  /** True while the stream is granted, caught up and alive. */
  get isReady(): boolean {
    return this.#ready
  }

  /** Opens the stream when it is not there, and keeps it for the next minute. */
  use(): void {
    this.#usedMs = Date.now()
    if (this.#running) return
    this.#running = true
    this.#wake = new AbortController()
    void this.#run().finally(() => {
      this.#running = false
    })
  }

  /** Resolves when the stream is ready. Throws `broker_unavailable` when it is not in time. */
  async untilReady(timeoutMs: number): Promise<void> {
    this.use()
    if (this.#ready) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.push(resolve)
    await Promise.race([promise, sleep(timeoutMs)])
    this.#waiting = this.#waiting.filter((one) => one !== resolve)
    if (!this.#ready) throw new AppError(marketReasons.broker_unavailable, `${this.#options.name} is not connected`)
  }

  close(): void {
    this.#usedMs = Number.NEGATIVE_INFINITY
    this.#wake.abort()
    this.#socket?.terminate()
  }

  #isUsed(): boolean {
    return Date.now() - this.#usedMs < (this.#options.idleMs ?? IDLE_MS)
  }

  async #run(): Promise<void> {
    const { name, log, firstRetryMs = FIRST_RETRY_MS } = this.#options
    for (let failures = 0; this.#isUsed(); ) {
      const { wasReady, problem } = await this.#connect()
      failures = wasReady ? 0 : failures + 1
      if (!this.#isUsed()) return
      log.warn({ stream: name, problem }, 'a stream of the broker is lost; it is connected again')
      const pauseMs = Math.min(firstRetryMs * 2 ** Math.min(failures, 10), LONGEST_RETRY_MS)
      await sleep(pauseMs * (0.5 + Math.random() / 2), this.#wake.signal)
    }
  }

  /** One connection from its first moment to its last. */
  async #connect(): Promise<{ wasReady: boolean; problem: string }> {
    const { url, talk, pingMs = PING_MS } = this.#options
    const socket = new WebSocket(url, { handshakeTimeout: HANDSHAKE_MS, followRedirects: false })
    this.#socket = socket
    let [wasReady, isAlive, problem] = [false, true, 'it was closed']
    const fail = (error: unknown) => {
      problem = error instanceof Error ? error.message : String(error)
      socket.terminate()
    }
    const send = (message: unknown) => socket.send(JSON.stringify(message))
    const granted = () =>
      talk.caughtUp().then(() => {
        if (socket.readyState !== WebSocket.OPEN) return
        wasReady = true
        this.#ready = true
        for (const resolve of this.#waiting.splice(0)) resolve()
      }, fail)
    const heartbeat = setInterval(() => {
      if (!isAlive || !this.#isUsed()) return fail(new Error(isAlive ? 'nobody uses it' : 'it is silent'))
      isAlive = false
      if (socket.readyState === WebSocket.OPEN) socket.ping()
    }, pingMs)
    socket.on('pong', () => {
      isAlive = true
    })
    socket.on('error', fail)
    socket.on('open', () => talk.hello(send))
    socket.on('message', (data) => {
      isAlive = true
      try {
        if (talk.take(parseWire(bytesOf(data)), send) === 'ready') void granted()
      } catch (error) {
        fail(error)
      }
    })
    await new Promise<void>((resolve) => socket.on('close', () => resolve()))
    clearInterval(heartbeat)
    this.#ready = false
    this.#socket = null
    return { wasReady, problem }
  }
}

/** Text and binary frames alike hold JSON. */
function bytesOf(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data)
  return Buffer.isBuffer(data) ? data : Buffer.from(data)
}
