// One server under measurement, in a process of its own. Told over IPC what to be.

import { createServer as createNodeServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import { Registry } from 'prom-client'
import { KeyDirectory } from '../../server/src/auth/key-directory.ts'
import { memoryNonceStore } from '../../server/src/auth/nonce-store.ts'
import { parseMasterKeys } from '../../server/src/auth/secrets.ts'
import { Verifier } from '../../server/src/auth/verifier.ts'
import { createRpc } from '../../server/src/chain/rpc.ts'
import type { Deployment } from '../../server/src/chain/types.ts'
import { loadValues } from '../../server/src/config.ts'
import { createPool } from '../../server/src/db/pool.ts'
import { openSendDesk } from '../../server/src/delegation/send-desk.ts'
import type { SendLimits } from '../../server/src/delegation/send-queue.ts'
import type { Service, Venue } from '../../server/src/http/product.ts'
import { memoryRateLimiter } from '../../server/src/http/rate-limit.ts'
import { createServer, listen } from '../../server/src/http/server.ts'
import { DEFAULT_STREAM_LIMITS, type StreamLimits } from '../../server/src/http/stream-source.ts'
import { systemClock } from '../../server/src/lib/clock.ts'
import { createLogger } from '../../server/src/lib/logger.ts'
import { webhookServices } from '../../server/src/push/services.ts'
import { pushSettings } from '../../server/src/push/variables.ts'
import { openProducts, products } from '../../server/src/roles/products.ts'
import { startProfile, type TimeByPart } from './profile.ts'

/** A bare server answers `answer` to everything; the venue's own is made from the tables of a venue that ran before. */
export type ServerOrder = BareServer | VenueServer

interface BareServer {
  readonly kind: 'node' | 'fastify'
  readonly path: string
  readonly answer: string
}

export interface VenueServer {
  readonly kind: 'bourse'
  readonly databaseUrl: string
  readonly secretsKey: string
  readonly deployment: Omit<Deployment, 'startBlock'>
  readonly productType: string
  readonly prefix: string
  /** The chain's node, for requests that ask it; without it none of those is measured. */
  readonly rpcUrl?: string
  /** Connections to the database. */
  readonly maxConnections?: number
  /** Gas that One Click sends from one key may use in 24 hours. */
  readonly submitGasPerDay?: string
  /** Room of the queue of sends; that of production unless given. */
  readonly sendLimits?: SendLimits
  /** Also publishes changes to the streams, as the role api does beside answering. */
  readonly services?: boolean
  readonly streamLimits?: StreamLimits
}

type Message = { readonly start: ServerOrder } | 'cpu' | 'memory' | 'profile' | 'profiled' | 'stop'

const JSON_CONTENT = 'application/json; charset=utf-8'

let endProfile: () => Promise<TimeByPart> = async () => ({})

process.on('message', async (message: Message) => {
  process.send?.(await answer(message))
})

async function answer(message: Message): Promise<object> {
  if (message === 'stop') process.exit(0)
  if (message === 'cpu') return process.cpuUsage()
  if (message === 'memory') return process.memoryUsage()
  if (message === 'profiled') return endProfile()
  if (message === 'profile') {
    endProfile = await startProfile()
    return {}
  }
  return { port: await start(message.start) }
}

async function start(order: ServerOrder): Promise<number> {
  if (order.kind === 'bourse') return startBourse(order)
  return order.kind === 'node' ? startNode(order.answer) : startFastify(order.path, order.answer)
}

async function startNode(answer: string): Promise<number> {
  const headers = { 'content-type': JSON_CONTENT, 'content-length': Buffer.byteLength(answer) }
  const server = createNodeServer((request, response) => {
    const reply = () => response.writeHead(200, headers).end(answer)
    if (request.method === 'GET') reply()
    else request.resume().on('end', reply)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

async function startFastify(path: string, answer: string): Promise<number> {
  const app = Fastify({ logger: false })
  app.get(path, (_request, reply) => reply.header('content-type', JSON_CONTENT).send(answer))
  app.post(path, (_request, reply) => reply.header('content-type', JSON_CONTENT).send(answer))
  return portOf(await app.listen({ port: 0, host: '127.0.0.1' }))
}

const POOL_CONNECTIONS = 20
/** A port on which nobody listens. */
const NO_CHAIN = 'http://127.0.0.1:9'

/** No limit: one address sends everything here, and often one key. */
const unlimited = () => memoryRateLimiter({ limit: Number.MAX_SAFE_INTEGER, windowMs: 60_000 }, systemClock)

/** As the role api builds it, but for its rate limits. */
async function startBourse(order: VenueServer): Promise<number> {
  const log = createLogger('warn')
  const maxConnections = order.maxConnections ?? POOL_CONNECTIONS
  const sql = createPool({ url: order.databaseUrl, maxConnections, applicationName: 'bench' })
  const clock = systemClock
  const masterKeys = parseMasterKeys(order.secretsKey)
  const keys = await KeyDirectory.start({ sql, masterKeys, log })
  const nonces = memoryNonceStore(clock)
  const verifier = new Verifier({ keys, nonces, clock })
  const deployment = { ...order.deployment, startBlock: 0n }
  const venue = { sql, deployment, clock, log, rpc: createRpc({ url: order.rpcUrl ?? NO_CHAIN }) }
  const { prefix, productType, submitGasPerDay } = order
  const set = { STOCK_PREFIX: prefix, STOCK_PRODUCT: productType, SUBMIT_GAS_PER_DAY: submitGasPerDay }
  const values = loadValues({ ...set, CHAIN_ID: String(deployment.chainId) })
  const desk = openSendDesk(venue, order.sendLimits)
  const served = openProducts(products, venue, values).map((product) =>
    product.serve({ auth: { verifier, keys, nonces, masterKeys }, desk }),
  )
  const server = await createServer({
    mounts: served,
    venue,
    rateLimiter: unlimited(),
    keyLimiter: unlimited,
    trustedProxies: [],
    health: { notReady: async () => [], status: async () => ({}), metrics: new Registry() },
    reasonTables: [],
    streams: {
      limits: order.streamLimits ?? DEFAULT_STREAM_LIMITS,
      isKeyLive: (caller) => keys.isLive(caller, clock.nowMs()),
    },
  })
  if (order.services) {
    const services = served.flatMap((product) => product.services)
    run([...services, ...webhookServices(masterKeys, pushSettings(values))], venue)
  }
  return portOf(await listen(server, { host: '127.0.0.1', port: 0 }))
}

/** Runs until this process ends; a service that fails ends it. */
function run(services: readonly Service[], venue: Venue): void {
  for (const service of services) void service.run(venue, new AbortController().signal)
}

const portOf = (url: string): number => Number(new URL(url).port)
