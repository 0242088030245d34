import { type Abi, decodeFunctionData, encodeErrorResult, encodeFunctionResult } from 'viem'
import { cashierAbi } from '../../chain/abi/cashier.ts'
import { stockAbi } from '../../chain/abi/stock.ts'
import { stockRouterAbi } from '../../chain/abi/stock-router.ts'
import { stockTokenAbi } from '../../chain/abi/stock-token.ts'
import type { Rpc, RpcCall, RpcOutcome } from '../../chain/rpc.ts'
import { RpcError } from '../../chain/rpc-error.ts'
import type { Hex } from '../../chain/types.ts'
import type { Caller, Scheme, Venue } from '../../http/product.ts'
import { memoryRateLimiter } from '../../http/rate-limit.ts'
import { testServer } from '../../http/testing.ts'
import { AppError } from '../../lib/errors.ts'
import { stockContext } from '../context.ts'
import { stockEnvelope } from '../envelope.ts'
import { stockReasons } from '../reasons.ts'
import { stockReference } from '../reference/reference.ts'
import { stockRoutes } from '../routes/register.ts'
import { ALICE, CHAIN_ID, WAD } from './chain.ts'

// The stock API as HTTP over a test's world, and a node whose contracts say what a test wants.

/** Who may call, by the name sent as `x-api-key`. */
const CALLERS: Readonly<Record<string, Caller>> = {
  bound: { keyId: 'bound', access: 'WRITABLE', userAddress: ALICE },
  other: { keyId: 'other', access: 'WRITABLE', userAddress: ALICE },
  unbound: { keyId: 'unbound', access: 'WRITABLE', userAddress: null },
}

const unauthenticated = { ...stockReasons.user_not_bound, kind: 'unauthenticated' as const }
const scheme: Scheme = {
  async authenticate({ headers }) {
    const caller = CALLERS[String(headers['x-api-key'])]
    if (!caller) throw new AppError(unauthenticated, 'Unauthorized')
    return caller
  },
}

export interface ApiAnswer {
  readonly status: number
  readonly code: number
  readonly errMsg: string
  readonly reason: string | undefined
  // biome-ignore lint/suspicious/noExplicitAny: what is in it is what the test looks at
  readonly data: any
  /** The body as it went over the wire. */
  readonly text: string
}

/** The product without what the keeper does for it. */
const product = {
  name: 'stock',
  envelope: stockEnvelope,
  routes: (venue: Venue) => stockRoutes(stockContext(venue, 'Bourse')),
  reference: () => stockReference(CHAIN_ID, 'Bourse'),
}

/** Serves the stock API of a venue without signatures. */
export async function serveApi(venue: Venue) {
  const app = await testServer([], {
    mounts: [{ product, prefix: '/stock', owns: '/api/v1', scheme }],
    venue,
    rateLimiter: memoryRateLimiter({ limit: 1_000_000, windowMs: 60_000 }, venue.clock),
  })
  async function send(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    body?: unknown,
    key = 'bound',
  ): Promise<ApiAnswer> {
    const headers = { 'x-api-key': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) }
    const payload = typeof body === 'string' ? body : JSON.stringify(body)
    const url = `/stock/api/v1${path}`
    const answer = await app.inject(body === undefined ? { method, url, headers } : { method, url, headers, payload })
    const { code, errMsg, data } = JSON.parse(answer.payload)
    const reason = answer.headers['x-error-reason'] as string | undefined
    return { status: answer.statusCode, code, errMsg, reason, data, text: answer.payload }
  }
  return {
    get: (path: string, key?: string) => send('GET', path, undefined, key),
    post: (path: string, body: unknown, key?: string) => send('POST', path, body, key),
    remove: (path: string, body?: unknown, key?: string) => send('DELETE', path, body, key),
    close: () => app.close(),
  }
}

const contracts: Abi = [...stockRouterAbi, ...stockAbi, ...cashierAbi, ...stockTokenAbi]

/** What a function answers: its result, encoded by its ABI, or a failure of the call. */
type Scripted = { readonly result: unknown } | { readonly error: RpcError } | { readonly raw: Hex }

/** A chain node with scripted contracts. Every call it got is in `asked`. */
export class ScriptedNode implements Rpc {
  readonly asked: { readonly name: string; readonly args: readonly unknown[]; readonly params: readonly unknown[] }[] =
    []
  readonly timeoutsMs = new Set<number | undefined>()
  block: unknown = { number: '0x10', hash: `0x${'b1'.repeat(32)}`, timestamp: '0x6b49d200' }
  /** Fails every call when set. */
  failure: RpcError | null = null
  readonly #scripts = new Map<string, Scripted>()

  constructor() {
    this.answer('previewLock', 100_110_000_000_000_000_000n)
    this.answer('previewLimitLock', 361_397_100_000_000_000_000n)
    const rates = { buyThirdPartyPpm: 1000, buyProtocolPpm: 100, sellThirdPartyPpm: 0, sellProtocolPpm: 100 }
    this.answer('feeRates', rates)
    this.answer('canInstantDeposit', true)
    this.answer('tokenToBalanceWadInstant', 500n * WAD)
  }

  answer(name: string, result: unknown): void {
    this.#scripts.set(name, { result })
  }

  answerRaw(name: string, raw: Hex): void {
    this.#scripts.set(name, { raw })
  }

  revert(name: string, errorName: string, args: readonly unknown[] = []): void {
    const data = encodeErrorResult({ abi: contracts, errorName, args } as never)
    this.fail(name, new RpcError('rpc_error', 'eth_call', 'reverted', { rpc: { code: 3, message: 'reverted', data } }))
  }

  fail(name: string, error: RpcError): void {
    this.#scripts.set(name, { error })
  }

  #outcome({ method, params }: RpcCall): RpcOutcome<unknown> {
    if (this.failure) return { ok: false, error: this.failure }
    if (method === 'eth_getBlockByNumber') return { ok: true, value: this.block }
    if (method === 'eth_blockNumber') return { ok: true, value: '0x10' }
    if (method !== 'eth_call') return { ok: true, value: null }
    const { data } = params[0] as { data: Hex }
    const { functionName, args } = decodeFunctionData({ abi: contracts, data })
    this.asked.push({ name: functionName, args: args ?? [], params })
    // Those that place orders answer an id, or two.
    const script = this.#scripts.get(functionName) ?? { raw: `0x${'01'.repeat(32)}` as Hex }
    if ('error' in script) return { ok: false, error: script.error }
    if ('raw' in script) return { ok: true, value: script.raw }
    return { ok: true, value: encodeFunctionResult({ abi: contracts, functionName, result: script.result }) }
  }

  async settle<T>(calls: readonly RpcCall[], options?: { timeoutMs?: number }): Promise<RpcOutcome<T>[]> {
    this.timeoutsMs.add(options?.timeoutMs)
    return calls.map((call) => this.#outcome(call) as RpcOutcome<T>)
  }

  async batch<T>(calls: readonly RpcCall[], options?: { timeoutMs?: number }): Promise<T[]> {
    return (await this.settle<T>(calls, options)).map((outcome) => {
      if (outcome.ok) return outcome.value
      throw outcome.error
    })
  }

  async call<T>(method: string, params: readonly unknown[] = [], options?: { timeoutMs?: number }): Promise<T> {
    const [value] = await this.batch<T>([{ method, params }], options)
    return value as T
  }
}
