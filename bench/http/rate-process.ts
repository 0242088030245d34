// Sends requests that were signed beforehand at a steady rate, whether or not the answers come, and notes each answer. Told over IPC
// what to send.
import { connect } from 'node:net'
import { sleep } from '../../server/src/lib/clock.ts'
import { type RequestTemplate, signRequests } from './requests.ts'

export interface RateOrder {
  readonly port: number
  /** Sent in turn; they differ in their keys alone. */
  readonly templates: readonly RequestTemplate[]
  readonly perSecond: number
  readonly seconds: number
  /** Opened before the run; a request that finds none free opens one more. */
  readonly connections: number
}

export interface RateReport {
  /** Answers by their HTTP status. */
  readonly statuses: Readonly<Record<string, number>>
  /** Refusals without a Retry-After. */
  readonly withoutRetryAfter: number
  /** From when a request was due to the end of its answer, of those with status 200, milliseconds, sorted. */
  readonly latenciesMs: readonly number[]
  readonly elapsedMs: number
}

process.on('message', async (message: RateOrder | 'stop') => {
  if (message === 'stop') process.exit(0)
  process.send?.(await run(message))
})

/** Connections that are opened at the same time. */
const AT_ONCE = 100

/** Connections that wait for a request. Clients keep theirs, so a later run has those of the ones before. */
const free: Connection[] = []

async function run({ port, templates, perSecond, seconds, connections }: RateOrder): Promise<RateReport> {
  const { bytes, ends } = await signRequests(templates, perSecond * seconds)
  while (free.length < connections) free.push(...(await Promise.all(Array.from({ length: AT_ONCE }, () => open(port)))))
  const statuses: Record<string, number> = {}
  const latenciesMs: number[] = []
  const underWay: Promise<void>[] = []
  let withoutRetryAfter = 0
  const one = async (nth: number, dueMs: number) => {
    const connection = free.pop() ?? (await open(port))
    const head = await connection.ask(bytes.subarray(ends[nth - 1] ?? 0, ends[nth]))
    free.push(connection)
    const status = head.slice(9, 12)
    statuses[status] = (statuses[status] ?? 0) + 1
    if (status === '200') latenciesMs.push(performance.now() - dueMs)
    else if (!/\r\nretry-after: \d/i.test(head)) withoutRetryAfter++
  }
  const startedMs = performance.now()
  for (let n = 0; n < ends.length; n++) {
    const dueMs = startedMs + (n * 1000) / perSecond
    const earlyMs = dueMs - performance.now()
    if (earlyMs > 0) await sleep(earlyMs)
    underWay.push(one(n, dueMs))
  }
  const elapsedMs = performance.now() - startedMs
  await Promise.all(underWay)
  return { statuses, withoutRetryAfter, latenciesMs: latenciesMs.sort((a, b) => a - b), elapsedMs }
}

/** A connection that stays. */
interface Connection {
  /** Resolves with the head of the answer once its body has come too; asked again only then. */
  ask(request: Uint8Array): Promise<string>
}

async function open(port: number): Promise<Connection> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  let answer = Promise.withResolvers<string>()
  let text = ''
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1')
    const end = text.indexOf('\r\n\r\n')
    const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1]
    if (end < 0 || length === undefined || text.length < end + 4 + Number(length)) return
    const head = text.slice(0, end)
    text = ''
    answer.resolve(head)
  })
  socket.on('error', (error) => answer.reject(error))
  return {
    ask(request) {
      answer = Promise.withResolvers()
      socket.write(request)
      return answer.promise
    },
  }
}
