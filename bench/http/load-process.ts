// Keeps connections busy with requests that were signed beforehand, and counts the answers. Told over IPC what to send.
import { connect, type Socket } from 'node:net'
import { type RequestBytes, type RequestTemplate, signRequests } from './requests.ts'

export interface LoadOrder {
  readonly port: number
  /** Sent in turn; they differ in their keys alone. */
  readonly templates: readonly RequestTemplate[]
  readonly count: number
  readonly connections: number
  readonly pipeline: number
}

export interface LoadReport {
  readonly answers: number
  /** When the first byte was sent, Unix milliseconds. */
  readonly startedAtMs: number
  readonly elapsedMs: number
  /** Share of its core that the load itself needed. */
  readonly ownCpu: number
  /** Body of the first answer. */
  readonly sample: string
}

process.on('message', async (message: LoadOrder | 'stop') => {
  if (message === 'stop') process.exit(0)
  process.send?.(await run(message))
})

async function run({ port, templates, count, connections, pipeline }: LoadOrder): Promise<LoadReport> {
  const requests = await signRequests(templates, count)
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)))
  const cpuBefore = process.cpuUsage()
  const startedAtMs = Date.now()
  const startedMs = performance.now()
  const samples = await Promise.all(
    sockets.map((socket, i) => {
      const range = { from: Math.floor((count * i) / connections), to: Math.floor((count * (i + 1)) / connections) }
      return exchange(socket, requests, range, pipeline)
    }),
  )
  const elapsedMs = performance.now() - startedMs
  const { user, system } = process.cpuUsage(cpuBefore)
  for (const socket of sockets) socket.destroy()
  return {
    answers: count,
    startedAtMs,
    elapsedMs,
    ownCpu: (user + system) / 1000 / elapsedMs,
    sample: samples[0] ?? '',
  }
}

async function open(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  return socket
}

const END_OF_HEAD = Buffer.from('\r\n\r\n')

/** Sends a range of requests over one connection, `pipeline` of them in flight; resolves with the first answer's body. */
function exchange(
  socket: Socket,
  { bytes, ends }: RequestBytes,
  range: { from: number; to: number },
  pipeline: number,
): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let sent = range.from
  let answered = range.from
  let rest: Buffer | null = null
  let sample = ''

  function send(requests: number): void {
    const until = Math.min(sent + requests, range.to)
    if (until === sent) return
    socket.write(bytes.subarray(sent === 0 ? 0 : ends[sent - 1], ends[until - 1]))
    sent = until
  }

  socket.on('error', reject)
  socket.on('close', () => reject(new Error('the server closed the connection')))
  socket.on('data', (chunk: Buffer) => {
    const data: Buffer = rest ? Buffer.concat([rest, chunk]) : chunk
    let at = 0
    let complete = 0
    for (;;) {
      const headEnd = data.indexOf(END_OF_HEAD, at)
      if (headEnd < 0) break
      const head = data.toString('latin1', at, headEnd)
      const end = headEnd + 4 + bodyLength(head)
      if (end > data.length) break
      if (!head.startsWith('HTTP/1.1 200 ')) return reject(new Error(data.toString('latin1', at, end)))
      if (answered + complete === range.from) sample = data.toString('utf8', headEnd + 4, end)
      complete++
      at = end
    }
    rest = at < data.length ? data.subarray(at) : null
    answered += complete
    if (answered === range.to) resolve(sample)
    else send(complete)
  })
  if (range.from === range.to) resolve('')
  else send(pipeline)
  return promise
}

function bodyLength(head: string): number {
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
  if (length === undefined) throw new Error(`an answer without its length:\n${head}`)
  return Number(length)
}
