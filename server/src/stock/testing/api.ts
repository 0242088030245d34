import {
  type Abi,
  decodeFunctionData,
  encodeErrorResult,
  encodeFunctionResult,
  erc20Abi,
  parseAbi,
  toFunctionSelector,
} from 'viem'
import { authReasons } from '../../auth/reasons.ts'
import { cashierAbi } from '../../chain/abi/cashier.ts'
import { oneClickRouterAbi } from '../../chain/abi/one-click-router.ts'
import { operatorPoolAbi } from '../../chain/abi/operator-pool.ts'
import { stockAbi } from '../../chain/abi/stock.ts'
import { stockRouterAbi } from '../../chain/abi/stock-router.ts'
import { stockTokenAbi } from '../../chain/abi/stock-token.ts'
import type { Rpc, RpcCall, RpcOutcome } from '../../chain/rpc.ts'
import { RpcError } from '../../chain/rpc-error.ts'
import type { Hex } from '../../chain/types.ts'
import type { Caller } from '../../http/caller.ts'
import type { Route, Venue } from '../../http/product.ts'
import { memoryRateLimiter, type RateLimiter } from '../../http/rate-limit.ts'
import type { Scheme } from '../../http/scheme.ts'
import { testServer } from '../../http/testing.ts'
import { AppError } from '../../lib/errors.ts'
import { WAD } from '../../lib/wad.ts'
import { stockEnvelope } from '../envelope.ts'
import { stockReference } from '../reference.ts'
import { stockRoutes } from '../routes/register.ts'
import { ALICE, CHAIN_ID } from './chain.ts'
import { testContext } from './context.ts'

// The stock API as HTTP over a test's world, and a node whose contracts say what a test wants.

/** Who may call, by the name sent as `x-api-key`. */
const CALLERS: Readonly<Record<string, Caller>> = {
  bound: { keyId: 'bound', access: 'WRITABLE', userAddress: ALICE },
  other: { keyId: 'other', access: 'WRITABLE', userAddress: ALICE },
  unbound: { keyId: 'unbound', access: 'WRITABLE', userAddress: null },
}

const { unauthenticated } = authReasons
export const namedCallers: Scheme = {
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

export interface ServeOptions {
  /** The operations; those of the register unless given. */
  readonly routes?: readonly Route[]
  /** Who may call; by name, without signatures, unless given. */
  readonly scheme?: Scheme
  /** Without a limit unless given. */
  readonly rateLimiter?: RateLimiter
}

/** Serves the stock API of a venue. */
export async function serveApi(venue: Venue, options: ServeOptions = {}) {
  const app = await testServer([], {
    mounts: [
      {
        name: 'stock',
        prefix: '/stock',
        owns: [{ path: '/api/v1', unknown: 'key' }],
        envelope: stockEnvelope,
        scheme: options.scheme ?? namedCallers,
        routes: options.routes ?? stockRoutes(testContext(venue)),
        reference: stockReference(CHAIN_ID, 'Bourse'),
      },
    ],
    venue,
    rateLimiter: options.rateLimiter ?? memoryRateLimiter({ limit: 1_000_000, windowMs: 60_000 }, venue.clock),
  })
  async function send(
    method: Route['method'],
    path: string,
    body?: unknown,
    key = 'bound',
    more: Readonly<Record<string, string>> = {},
  ): Promise<ApiAnswer> {
    const contentType = body === undefined ? {} : { 'content-type': 'application/json' }
    const headers = { 'x-api-key': key, ...contentType, ...more }
    const payload = typeof body === 'string' ? body : JSON.stringify(body)
    const url = `/stock/api/v1${path}`
    const answer = await app.inject(body === undefined ? { method, url, headers } : { method, url, headers, payload })
    const { code, errMsg, data } = JSON.parse(answer.payload)
    const reason = answer.headers['x-error-reason'] as string | undefined
    return { status: answer.statusCode, code, errMsg, reason, data, text: answer.payload }
  }
  return {
    send,
    get: (path: string, key?: string) => send('GET', path, undefined, key),
    post: (path: string, body: unknown, key?: string) => send('POST', path, body, key),
    remove: (path: string, body?: unknown, key?: string) => send('DELETE', path, body, key),
    close: () => app.close(),
  }
}

const contracts: Abi = [
  ...stockRouterAbi,
  ...stockAbi,
  ...cashierAbi,
  ...stockTokenAbi,
  ...oneClickRouterAbi,
  ...operatorPoolAbi,
  ...erc20Abi,
  ...parseAbi(['function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)']),
]

/** The function that a call is of, so that it need not be looked for among all, each of which would be hashed. */
const functions = new Map(
  contracts.flatMap((item) => (item.type === 'function' ? [[toFunctionSelector(item), item]] : [])),
)

/** What a function answers: its result, encoded by its ABI, or a failure of the call. */
type Scripted = { readonly result: unknown } | { readonly error: RpcError } | { readonly raw: Hex }

/** A chain node with scripted contracts. Every call it got is in `asked`. */
export class ScriptedNode implements Rpc {
  readonly asked: { readonly name: string; readonly args: readonly unknown[]; readonly params: readonly unknown[] }[] =
    []
  readonly timeoutsMs = new Set<number | undefined>()
  block: unknown = { number: '0x10', hash: `0x${'b1'.repeat(32)}`, timestamp: '0x6b49d200' }
  /** Code at every address. */
  code: Hex = '0x'
  /** Gas estimate of every transaction. */
  gas: Hex = '0x30d40'
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
    if (method === 'eth_getCode') return { ok: true, value: this.code }
    if (method === 'eth_estimateGas') return { ok: true, value: this.gas }
    if (method !== 'eth_call') return { ok: true, value: null }
    const { data } = params[0] as { data: Hex }
    const called = functions.get(data.slice(0, 10) as Hex)
    if (!called) throw new Error(`no contract has the function of ${data.slice(0, 10)}`)
    const abi: Abi = [called]
    const { functionName, args } = decodeFunctionData({ abi, data })
    this.asked.push({ name: functionName, args: args ?? [], params })
    // Those that place orders answer an id, or two.
    const script = this.#scripts.get(functionName) ?? { raw: `0x${'01'.repeat(32)}` as Hex }
    if ('error' in script) return { ok: false, error: script.error }
    if ('raw' in script) return { ok: true, value: script.raw }
    return { ok: true, value: encodeFunctionResult({ abi, functionName, result: script.result }) }
  }

  async outcomes<T>(calls: readonly RpcCall[], options?: { timeoutMs?: number }): Promise<RpcOutcome<T>[]> {
    this.timeoutsMs.add(options?.timeoutMs)
    return calls.map((call) => this.#outcome(call) as RpcOutcome<T>)
  }

  async batch<T>(calls: readonly RpcCall[], options?: { timeoutMs?: number }): Promise<T[]> {
    return (await this.outcomes<T>(calls, options)).map((outcome) => {
      if (outcome.ok) return outcome.value
      throw outcome.error
    })
  }

  async call<T>(method: string, params: readonly unknown[] = [], options?: { timeoutMs?: number }): Promise<T> {
    const [value] = await this.batch<T>([{ method, params }], options)
    return value as T
  }
}
