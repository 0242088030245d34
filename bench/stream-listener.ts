import { WebSocket } from 'ws'
import { streamHeaders, streamUrl } from '../server/e2e/stream-client.ts'
import type { BenchKey } from './api-keys.ts'
import type { VenueServer } from './http/server-process.ts'

/** When what clients are told was committed, Unix milliseconds with a fraction. */
export interface Clock {
  /** By the quote's price. */
  readonly quotes: Map<string, number>
  /** By the hash of the order's transaction. */
  readonly orders: Map<string, number>
}

export const preciseNowMs = (): number => performance.timeOrigin + performance.now()

export interface StreamListener {
  readonly messages: number
  /** Delay of each message whose commit is known. */
  readonly latencyMs: { readonly quotes: readonly number[]; readonly orders: readonly number[] }
  readonly isClosed: boolean
  /** Resolves when the snapshot of every channel is there. */
  follow(channels: readonly string[]): Promise<void>
  /** Forgets what it has counted. */
  reset(): void
  stopReading(): void
  close(): void
}

interface Connection {
  readonly server: VenueServer
  readonly port: number
  readonly key: BenchKey
  readonly clock: Clock
}

/** A client that counts what it is sent and how long that took. */
export function connectClient({ server, port, key, clock }: Connection): StreamListener {
  const { prefix, productType, deployment } = server
  const url = streamUrl(`http://127.0.0.1:${port}${prefix}`)
  const socket = new WebSocket(url, {
    headers: streamHeaders(key, deployment.chainId, productType),
    perMessageDeflate: false,
  })
  const opened = new Promise<void>((resolve, reject) => socket.once('open', resolve).once('error', reject))
  let snapshots = 0
  let onSnapshot = () => {}
  const seen = { messages: 0, quotes: [] as number[], orders: [] as number[] }
  let code: number | null = null

  socket.on('error', () => {})
  socket.on('close', (closedWith) => {
    code = closedWith
  })
  socket.on('message', (data: Buffer) => {
    const text = data.toString('latin1')
    if (text.startsWith('{"type":"snapshot"')) {
      snapshots++
      return onSnapshot()
    }
    if (!text.startsWith('{"type":"delta"')) return
    seen.messages++
    note(text, clock, seen)
  })

  return {
    get messages() {
      return seen.messages
    },
    get latencyMs() {
      return seen
    },
    get isClosed() {
      return code !== null
    },
    async follow(channels) {
      await opened
      const done = new Promise<void>((resolve) => {
        onSnapshot = () => {
          if (snapshots >= channels.length) resolve()
        }
      })
      for (const channel of channels) socket.send(JSON.stringify({ op: 'subscribe', channel }))
      await done
    },
    reset() {
      Object.assign(seen, { messages: 0, quotes: [], orders: [] })
    },
    stopReading: () => socket.pause(),
    close: () => socket.terminate(),
  }
}

/** Finds the message's own mark, a price or a hash, without reading the whole of it as JSON: 500 clients share a core. */
function note(text: string, clock: Clock, seen: { quotes: number[]; orders: number[] }): void {
  const isQuote = text.includes('"event":"quote.updated"')
  const mark = (isQuote ? /"price":"?([0-9.]+)/ : /"txHash":"(0x[0-9a-f]{64})"/).exec(text)?.[1]
  const committedMs = mark === undefined ? undefined : (isQuote ? clock.quotes : clock.orders).get(mark)
  if (committedMs === undefined) return
  const times = isQuote ? seen.quotes : seen.orders
  times.push(preciseNowMs() - committedMs)
}
