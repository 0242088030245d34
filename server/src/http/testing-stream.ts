import { once } from 'node:events'
import { WebSocket } from 'ws'
import { AppError } from '../lib/errors.ts'
import type { Caller } from './caller.ts'
import { httpReasons } from './reasons.ts'
import type { StreamDelta, StreamSource } from './stream-source.ts'

// Channels that a test writes to, and clients that note what they are sent.

/** A message as it came. */
// biome-ignore lint/suspicious/noExplicitAny: what is in it is what the test looks at
export type Seen = any

/** A client of a stream. */
export class StreamClient {
  readonly socket: WebSocket
  readonly seen: Seen[] = []
  closed: { code: number; reason: string } | null = null
  #arrived: () => void = () => {}

  constructor(url: string, headers: Readonly<Record<string, string>>, options: { autoPong?: boolean } = {}) {
    this.socket = new WebSocket(url, { headers, ...options })
    this.socket.on('error', () => {})
    this.socket.on('message', (data) => {
      this.seen.push(JSON.parse(data.toString()))
      this.#arrived()
    })
    this.socket.on('close', (code, reason) => {
      this.closed = { code, reason: reason.toString() }
      this.#arrived()
    })
  }

  async opened(): Promise<this> {
    await once(this.socket, 'open')
    return this
  }

  send(message: unknown): void {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message))
  }

  /** Waits for what a test looks for among what has come; fails when the connection ends before, or after `timeoutMs`. */
  async until<T>(find: (seen: readonly Seen[]) => T | undefined | false, timeoutMs = 240_000): Promise<T> {
    const deadline = Date.now() + timeoutMs
    for (;;) {
      const found = find(this.seen)
      if (found !== undefined && found !== false) return found
      if (this.closed) throw new Error(`closed with ${this.closed.code} ${this.closed.reason} after ${this.#summary()}`)
      if (Date.now() > deadline) throw new Error(`nothing fitting came in ${timeoutMs} ms: ${this.#summary()}`)
      await this.#change()
    }
  }

  message(type: string, channel?: string): Promise<Seen> {
    return this.until((seen) =>
      seen.find((one) => one.type === type && (channel === undefined || one.channel === channel)),
    )
  }

  /** Follows a channel; resolves with the snapshot, or with the word that it goes on from `from`. */
  async subscribe(channel: string, from?: number): Promise<Seen> {
    const before = this.seen.length
    this.send({ op: 'subscribe', channel, ...(from === undefined ? {} : { from }) })
    const answers = ['snapshot', 'resumed', 'error']
    return this.until((seen) => seen.slice(before).find((one) => one.channel === channel && answers.includes(one.type)))
  }

  deltas(channel: string): Seen[] {
    return this.seen.filter((one) => one.type === 'delta' && one.channel === channel)
  }

  async end(): Promise<{ code: number; reason: string }> {
    while (!this.closed) await this.#change()
    return this.closed
  }

  close(): void {
    this.socket.terminate()
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, 200)
      this.#arrived = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  #summary = (): string => JSON.stringify(this.seen.slice(-3)).slice(0, 500)
}

/** The HTTP answer to an upgrade that is refused. */
export async function refusedUpgrade(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ status: number; headers: Readonly<Record<string, unknown>>; body: Seen }> {
  const socket = new WebSocket(url, { headers })
  socket.on('error', () => {})
  const [, response] = await once(socket, 'unexpected-response')
  let text = ''
  for await (const chunk of response) text += chunk
  return { status: response.statusCode, headers: response.headers, body: JSON.parse(text) }
}

/** The notification after which a `MemorySource` is looked at. */
export const MEMORY_HINT = 'memory_source'

/** Channels in memory: every name is one but `none`; their messages are kept from `keptFrom` on. */
export class MemorySource implements StreamSource<Caller | null> {
  readonly hints = [MEMORY_HINT]
  readonly released: string[] = []
  readonly channels = new Map<string, string[]>()
  keptFrom = 1n

  push(channel: string, dataJson: string): void {
    this.#of(channel).push(dataJson)
  }

  #of(channel: string): string[] {
    const messages = this.channels.get(channel) ?? []
    this.channels.set(channel, messages)
    return messages
  }

  async resolve(name: string, caller: Caller | null): Promise<string> {
    if (name === 'none') throw new AppError(httpReasons.path_unknown, 'there is no channel none')
    if (name === 'broken') return 'broken'
    return name.startsWith('own') ? `${caller?.keyId}:${name}` : name
  }

  async heads(channels: readonly string[]): Promise<Map<string, bigint>> {
    return new Map(channels.map((channel) => [channel, BigInt(this.#of(channel).length)]))
  }

  async snapshot(channel: string) {
    if (channel === 'broken') throw new Error('password=hunter2')
    return { sequence: BigInt(this.#of(channel).length), dataJson: `[${this.#of(channel).join(',')}]` }
  }

  async deltas(channel: string, after: bigint): Promise<readonly StreamDelta[] | null> {
    const messages = this.#of(channel)
    if (after > BigInt(messages.length) || after + 1n < this.keptFrom) return null
    return messages.slice(Number(after), Number(after) + 10).map((dataJson, nth) => {
      const sequence = after + BigInt(nth + 1)
      return { previous: sequence - 1n, sequence, event: 'thing.updated', version: 1, timeMs: 1, dataJson }
    })
  }

  release(channel: string): void {
    this.released.push(channel)
  }
}
