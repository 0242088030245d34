import { createClient } from '@bourse/sdk/perp'
import { WebSocket } from 'ws'
import type { BenchKey } from './api-keys.ts'
import { preciseNowMs } from './stream-listener.ts'

const PATH = '/v4/public/ws'
/** How the streams name the block or the transactions that a message tells of. */
const MARKS: Readonly<Record<string, RegExp>> = {
  blockNumChanged: /"blockNum":(\d+)/,
  orderBook: /"height":(\d+)/,
  trades: /"txHash":"(0x[0-9a-f]{64})"/g,
  executions: /"txHash":"(0x[0-9a-f]{64})"/g,
}
export const STREAMS: readonly string[] = Object.keys(MARKS)

/** When a message came that tells of a block, by its height, or of a transaction, by its hash. */
export interface Arrival {
  readonly stream: string
  readonly mark: string
  readonly atMs: number
}

export interface PerpStreamClient {
  readonly arrivals: readonly Arrival[]
  readonly messages: number
  readonly isClosed: boolean
  /** Resolves once every request is acknowledged. */
  follow(requests: readonly Readonly<Record<string, unknown>>[]): Promise<void>
  close(): void
}

/** A client of the perpetual stream that a key signs, and that notes when what came. */
export async function connectPerpClient(
  port: number,
  chainId: number,
  { apiKey, apiSecret }: BenchKey,
): Promise<PerpStreamClient> {
  const client = createClient({ baseUrl: '', chainId, signer: { apiKey, secret: apiSecret } })
  const headers = await client.product.sign(client, { method: 'GET', uri: PATH, body: '' })
  const socket = new WebSocket(`ws://127.0.0.1:${port}${PATH}`, { headers, perMessageDeflate: false })
  const opened = new Promise<void>((resolve, reject) => socket.once('open', resolve).once('error', reject))
  const arrivals: Arrival[] = []
  let messages = 0
  let isClosed = false
  let acknowledged: (result: string) => void = () => {}
  socket.on('error', () => {})
  socket.on('close', () => {
    isClosed = true
  })
  socket.on('message', (data: Buffer) => {
    const atMs = preciseNowMs()
    const text = data.toString('latin1')
    const stream = /^\{"stream":"(\w+)"/.exec(text)?.[1]
    if (stream === undefined) return acknowledged((JSON.parse(text) as { result: string }).result)
    messages++
    if (!text.includes('"event":"snapshot"'))
      for (const mark of marksOf(stream, text)) arrivals.push({ stream, mark: kept(mark), atMs })
  })
  return {
    arrivals,
    get messages() {
      return messages
    },
    get isClosed() {
      return isClosed
    },
    async follow(requests) {
      await opened
      for (const [id, params] of requests.entries()) {
        const result = new Promise<string>((resolve) => {
          acknowledged = resolve
        })
        socket.send(JSON.stringify({ id, method: 'SUBSCRIBE', params: { chainId, ...params } }))
        if ((await result) !== 'success') throw new Error(`a subscription was refused: ${await result}`)
      }
    },
    close: () => socket.terminate(),
  }
}

const marks = new Map<string, string>()

/**
 * The same string for the same mark, cut out of its message: a part of a string holds the whole, and what is held of all clients would
 * stop this process for tens of milliseconds whenever it cleans up.
 */
function kept(mark: string): string {
  const known = marks.get(mark)
  if (known !== undefined) return known
  const cut = Buffer.from(mark).toString()
  marks.set(cut, cut)
  return cut
}

/** Without reading the whole message as JSON: all clients share a core. */
function marksOf(stream: string, text: string): readonly string[] {
  const pattern = MARKS[stream]
  if (!pattern) return []
  if (pattern.global) return [...text.matchAll(pattern)].map(([, mark = '']) => mark)
  return [pattern.exec(text)?.[1] ?? '']
}
