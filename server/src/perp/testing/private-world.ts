import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, vi } from 'vitest'
import { WebSocket } from 'ws'
import type { MasterKeys } from '../../auth/secrets.ts'
import type { DevelopmentAccount } from '../../chain/embedded/accounts.ts'
import { loadCheckpoint } from '../../chain/follow/store.ts'
import type { Hex } from '../../chain/types.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import { MessageJudge } from '../../http/testing-messages.ts'
import { sleep } from '../../lib/clock.ts'
import { perpStreamReference } from '../streams/reference.ts'
import { CHAIN_ID, PerpChain } from './chain.ts'
import { keyOf, type PerpApi, servePerp, type TestKey, testMasterKeys } from './key-api.ts'
import { follow } from './market-world.ts'

// The perpetual product on its contracts, indexed, with two api processes: keys, requests and the stream of both.

const PATH = '/v4/public/ws'
export const WAIT = { timeout: 120_000, interval: 20 }

/** A message as it came. */
// biome-ignore lint/suspicious/noExplicitAny: what is in it is what the test looks at
export type Seen = any

export class PrivateWorld {
  readonly chain: PerpChain
  readonly database: TestDatabase
  readonly masterKeys: MasterKeys
  /** Two api processes. */
  readonly apis: readonly [PerpApi, PerpApi]
  readonly #stopFollowing: () => Promise<void>
  readonly #open: StreamSession[] = []

  private constructor(
    chain: PerpChain,
    database: TestDatabase,
    masterKeys: MasterKeys,
    apis: readonly [PerpApi, PerpApi],
  ) {
    this.chain = chain
    this.database = database
    this.masterKeys = masterKeys
    this.apis = apis
    this.#stopFollowing = follow(chain, database)
  }

  static async start(): Promise<PrivateWorld> {
    const [chain, database] = await Promise.all([PerpChain.start(), testDatabase()])
    const masterKeys = testMasterKeys()
    const world = { sql: database.sql, rpc: chain.rpc, contracts: chain.deployment.contracts }
    const apis = [await servePerp(world, masterKeys), await servePerp(world, masterKeys)] as const
    return new PrivateWorld(chain, database, masterKeys, apis)
  }

  keyOf({ privateKey }: DevelopmentAccount): Promise<TestKey> {
    return keyOf(this.apis[0], privateKeyToAccount(privateKey))
  }

  /** Waits until the block that is now the newest is indexed, and nothing waits to be told. */
  async told(): Promise<void> {
    const head = BigInt(await this.chain.rpc.call<Hex>('eth_blockNumber'))
    const { sql } = this.database
    while (((await loadCheckpoint(sql, CHAIN_ID))?.tip.number ?? -1n) < head) await sleep(20)
    while ((await sql`select 1 from perp_stream_marks limit 1`).length > 0) await sleep(20)
  }

  /** Opens a connection that the key signs, or nobody. */
  async connect(
    key: Pick<TestKey, 'apiKey' | 'apiSecret'> | null,
    { url }: PerpApi = this.apis[0],
  ): Promise<StreamSession> {
    return this.#opened(new StreamSession(url, key === null ? {} : signedHeaders(key)))
  }

  /** Opens a connection as a page in a browser does, which can offer protocols and set no headers. */
  connectAsPage(protocols: readonly string[]): Promise<StreamSession> {
    return this.#opened(new StreamSession(this.apis[0].url, {}, protocols))
  }

  async #opened(session: StreamSession): Promise<StreamSession> {
    this.#open.push(session)
    await once(session.socket, 'open')
    return session
  }

  /** The HTTP status with which an upgrade is refused. */
  refused(headers: Readonly<Record<string, string>>, protocols?: readonly string[]): Promise<number> {
    const { socket } = new StreamSession(this.apis[0].url, headers, protocols)
    return new Promise((resolve, reject) => {
      socket.once('unexpected-response', (_request, { statusCode }) => resolve(statusCode ?? 0))
      socket.once('open', () => reject(new Error('the upgrade was accepted')))
    })
  }

  /** The names, in the reference, of the messages that came to its sessions. */
  messages(): Set<string> {
    return new Set(this.#open.flatMap(({ judge }) => [...judge.seen]))
  }

  async close(): Promise<void> {
    for (const { socket } of this.#open) socket.terminate()
    for (const api of this.apis) await api.close()
    await this.#stopFollowing()
    await this.database.drop()
    await this.chain.stop()
  }
}

/** The headers of the upgrade, as of a GET without a body. */
export function signedHeaders({ apiKey, apiSecret }: Pick<TestKey, 'apiKey' | 'apiSecret'>): Record<string, string> {
  const timestamp = String(Date.now())
  return {
    'x-api-key': apiKey,
    'x-api-sign': createHmac('sha256', apiSecret).update(`${timestamp}GET${PATH}`).digest('base64'),
    'x-api-ts': timestamp,
    'x-chain-id': String(CHAIN_ID),
  }
}

/** The same as names of protocols. */
export function signedProtocols(key: Pick<TestKey, 'apiKey' | 'apiSecret'>): string[] {
  const headers = signedHeaders(key)
  const signature = Buffer.from(headers['x-api-sign'] ?? '', 'base64').toString('base64url')
  return ['bourse', `key.${headers['x-api-key']}`, `ts.${headers['x-api-ts']}`, `sign.${signature}`]
}

/** A client that notes all it is sent. */
export class StreamSession {
  readonly socket: WebSocket
  readonly seen: Seen[] = []
  readonly judge = new MessageJudge(perpStreamReference(CHAIN_ID))
  #lastId = 0

  constructor(url: string, headers: Readonly<Record<string, string>>, protocols: readonly string[] = []) {
    this.socket = new WebSocket(`${url.replace('http', 'ws')}${PATH}`, [...protocols], { headers })
    this.socket.on('error', () => {})
    this.socket.on('message', (data) => {
      const text = data.toString()
      this.judge.take(text)
      this.seen.push(JSON.parse(text))
    })
  }

  /** Sends a request; resolves with the text of its acknowledgement. */
  async ask(params: Readonly<Record<string, unknown>>, method = 'SUBSCRIBE'): Promise<string> {
    const id = ++this.#lastId
    const text = JSON.stringify({ id, method, params: { chainId: CHAIN_ID, ...params } })
    this.socket.send(text)
    const isAnswer = (message: Seen) => message.id === id && message.stream === undefined
    const { result } = (await this.until((seen) => seen.find(isAnswer))) as Seen
    if (result === 'success') expect(this.judge.requests(text)).toEqual([method.toLowerCase()])
    return result
  }

  /** Follows a private channel; resolves with the snapshot, or with the word that it goes on from `from`. */
  async follow(type: string, from?: number): Promise<Seen> {
    const before = this.seen.length
    const result = await this.ask({ type, ...(from === undefined ? {} : { from }) })
    if (result !== 'success') throw new Error(result)
    return this.until((seen) =>
      seen.slice(before).find(({ stream, event }) => stream === type && ['snapshot', 'resumed'].includes(event)),
    )
  }

  /** What a private channel told after its beginning. */
  deltas(type: string): Seen[] {
    return this.seen.filter(({ stream, event }) => stream === type && !['snapshot', 'resumed'].includes(event))
  }

  /** Waits for what a test looks for; fails where anything came that the reference does not say. */
  async until<T>(find: (seen: readonly Seen[]) => T | undefined): Promise<NonNullable<T>> {
    const found = await vi.waitFor(() => {
      const one = find(this.seen)
      if (one === undefined || one === null) throw new Error(`not yet: ${JSON.stringify(this.seen).slice(-2000)}`)
      return one
    }, WAIT)
    expect(this.judge.unknown).toEqual([])
    return found
  }
}
