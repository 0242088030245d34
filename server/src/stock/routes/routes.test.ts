import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Rpc, RpcCall } from '../../chain/rpc.ts'
import type { Hex } from '../../chain/types.ts'
import type { Caller } from '../../http/caller.ts'
import { PreparedJson } from '../../http/prepared-json.ts'
import type { Venue } from '../../http/product.ts'
import { AppError } from '../../lib/errors.ts'
import { WAD } from '../../lib/wad.ts'
import { orderCalldata } from '../calldata/calldata.ts'
import { STOCK_FAILURES } from '../envelope.ts'
import {
  AAPL,
  ALICE,
  CASHIER,
  deposited,
  listingTerms,
  ROUTER,
  randomHash,
  STOCK,
  TestChain,
  USDC,
} from '../testing/chain.ts'
import { testContext } from '../testing/context.ts'
import { KeeperWorld, START_MS } from '../testing/keeper.ts'
import { stockRoutes } from './register.ts'

// What a running venue shows rarely: pauses, a node that is away, a chain that is not indexed, and whose calldata is kept.

let world: KeeperWorld
beforeEach(async () => {
  world = await KeeperWorld.open()
})
afterEach(() => world.drop())

const bound: Caller = { keyId: 'bound', access: 'WRITABLE', userAddress: ALICE }
const unbound: Caller = { keyId: 'unbound', access: 'WRITABLE', userAddress: null }

interface Asked {
  readonly params?: unknown
  readonly query?: unknown
  readonly body?: unknown
  readonly caller?: Caller
  readonly venue?: Venue
}

// biome-ignore lint/suspicious/noExplicitAny: what is in it is what the test looks at
async function ask(method: string, path: string, asked: Asked = {}): Promise<any> {
  const { params = {}, query = {}, body = {}, caller = bound, venue = world.venue } = asked
  const routes = stockRoutes(testContext(venue))
  const route = routes.find((one) => one.method === method && one.path === `/api/v1${path}`)
  if (!route) throw new Error(`no operation ${method} ${path}`)
  const data = await route.handler({ params, query, body, caller } as never)
  return JSON.parse(data instanceof PreparedJson ? data.text : JSON.stringify(data))
}

/** The failure of a request as it goes over the wire. */
async function failureOf(answer: Promise<unknown>): Promise<{ reason: string; code: number; message: string }> {
  try {
    await answer
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { reason: error.reason.name, code: STOCK_FAILURES[error.reason.kind].code, message: error.message }
  }
  throw new Error('it was answered')
}

const deadline = Math.floor(START_MS / 1000) + 60
const buy = { stockAddress: AAPL, side: 'Buy', type: 'Market', notional: '10', deadline }
const cash = { userAddress: ALICE, tokenAddress: USDC, tokenAmount: '10' }

describe('a pause', () => {
  const config = {
    minAmount: 1n,
    usdRate: 1_000_000,
    decimals: 6,
    withdrawBuffer: 0n,
    withdrawBufferCapacity: 0n,
    depositPaused: true,
    withdrawPaused: true,
  }

  it.each(['deposits', 'withdrawals'])('of a cash token refuses %s', async (kind) => {
    const path = `/cash/${kind}/calldata`
    expect(await ask('POST', path, { body: cash })).toMatchObject({ toAddress: ROUTER })
    await world.chain.emit(['TokenConfigUpdated', { token: USDC, config }])
    const failure = await failureOf(ask('POST', path, { body: cash }))
    expect(failure).toEqual({
      reason: 'token_paused',
      code: 10_002,
      message: `${kind} of USDC are paused at the moment`,
    })
  })

  it('of a stock, on chain or in the market, refuses orders', async () => {
    const order = () => ask('POST', '/orders/calldata', { body: { ...buy, stockAddress: AAPL.toUpperCase() } })
    expect(await order()).toMatchObject({ method: 'placeMarketOrder' })
    await world.sql`update market_symbols set tradable = false where symbol = 'AAPL'`
    expect(await failureOf(order())).toMatchObject({ reason: 'token_paused', code: 10_002 })
    await world.sql`update market_symbols set tradable = true`
    await world.chain.emit(['ListingUpdated', { token: AAPL, terms: listingTerms(false) }])
    expect(await failureOf(order())).toMatchObject({ reason: 'token_paused', code: 10_002 })
  })
})

describe('a deadline', () => {
  const order = (deadlineSec: number) => ask('POST', '/orders/calldata', { body: { ...buy, deadline: deadlineSec } })

  it('lies in the future of the wall clock, when the chain has been quiet', async () => {
    const nowSec = START_MS / 1000
    expect(await failureOf(order(nowSec))).toMatchObject({ reason: 'deadline_expired', code: 10_000 })
    expect(await order(nowSec + 1)).toMatchObject({ method: 'placeMarketOrder' })
  })

  it('lies in the future of the chain’s clock, when that is ahead', async () => {
    world.nowMs = 0
    const headSec = TestChain.timestampSec(world.chain.head.number)
    expect(await failureOf(order(headSec))).toMatchObject({ reason: 'deadline_expired' })
    expect(await order(headSec + 1)).toMatchObject({ method: 'placeMarketOrder' })
  })
})

describe('calldata', () => {
  const built = () => world.sql`select api_key_id from stock_built_calldata`

  it('is remembered for an unbound key, once, and not for a bound one', async () => {
    const answer = await ask('POST', '/orders/calldata', { body: buy })
    expect(await built()).toHaveLength(0)
    for (let time = 0; time < 3; time++) {
      expect(await ask('POST', '/orders/calldata', { body: buy, caller: unbound })).toEqual(answer)
    }
    expect([...(await built())]).toEqual([{ api_key_id: 'unbound' }])
    const { data } = orderCalldata(ROUTER, AAPL, { type: 'Market', side: 'Buy', notionalWad: 10n * WAD }, deadline)
    expect(answer).toEqual({
      chainId: 31_337,
      productType: 'Bourse',
      toAddress: ROUTER,
      value: '0',
      callData: data,
      method: 'placeMarketOrder',
    })
  })
})

describe('while the node is away', () => {
  const away = { batch: refuse, call: refuse, outcomes: refuse } as unknown as Rpc
  async function refuse(): Promise<never> {
    throw new Error('connection refused')
  }

  it('balances are refused, not shown from before', async () => {
    const asked = { params: { userId: ALICE }, venue: { ...world.venue, rpc: away } }
    const failure = await failureOf(ask('GET', '/users/:userId/balance', asked))
    expect(failure).toMatchObject({ reason: 'chain_unreachable', code: 10_003 })
  })

  it.each(['/orders/tx', '/cash/deposits/tx', '/cash/withdrawals/tx'])(
    'POST %s records only what is indexed',
    async (path) => {
      const asked = { body: { txHash: randomHash() }, venue: { ...world.venue, rpc: away } }
      expect(await failureOf(ask('POST', path, asked))).toMatchObject({ reason: 'chain_unreachable', code: 10_003 })
      expect(await world.sql`select 1 from stock_claims`).toHaveLength(0)
    },
  )

  it('everything else is served', async () => {
    const venue = { ...world.venue, rpc: away }
    expect(await ask('GET', '/config', { venue })).toMatchObject({ cashierBuffer: { creditBuffer: '20000' } })
    const opId = randomHash()
    const txHash = await world.chain.emit(deposited(opId, 5n))
    expect(await ask('POST', '/cash/deposits/tx', { venue, body: { txHash } })).toMatchObject({ operationId: opId })
  })
})

it('says that it is not ready before the contracts are indexed', async () => {
  await world.chain.undo(1)
  for (const path of ['/config', '/symbols']) {
    expect(await failureOf(ask('GET', path))).toMatchObject({ reason: 'not_indexed_yet', code: 500 })
  }
})

describe('GET /symbols and /prices/{symbol}', () => {
  it('list what has a token; a price is found by ticker, token symbol or address, in any case', async () => {
    expect((await ask('GET', '/symbols')).map(({ symbol }: { symbol: string }) => symbol)).toEqual(['AAPL', 'MSFT'])
    for (const symbol of ['aapl', ' AAPL ', 'AaApL', AAPL, AAPL.toUpperCase()]) {
      const { basicInfo, onChain } = await ask('GET', '/prices/:symbol', { params: { symbol } })
      expect([basicInfo.symbol, onChain.contractAddress]).toEqual(['AAPL', AAPL])
    }
    const { basicInfo, onChain } = await ask('GET', '/prices/:symbol', { params: { symbol: 'NVDA' } })
    expect([basicInfo.symbol, onChain]).toEqual(['NVDA', null])
    const failure = await failureOf(ask('GET', '/prices/:symbol', { params: { symbol: 'aNVDA' } }))
    expect(failure).toMatchObject({ reason: 'symbol_unknown', code: 10_001 })
  })
})

describe('GET /users/{userId}/balance', () => {
  it('reads cash, stock, wallet and allowance at one block, to the last digit', async () => {
    const blocks = new Set<unknown>()
    const answers: Record<string, bigint> = { '70a08231': 7n, dd62ed3e: 3n, '173ed284': 123_456_789_012_345_678_901n }
    const node = {
      call: async () => '0x10',
      async batch(calls: readonly RpcCall[]): Promise<Hex[]> {
        return calls.map(({ params }) => {
          const [{ to, data }, block] = params as [{ to: Hex; data: Hex }, Hex]
          blocks.add(block)
          const value = to === CASHIER ? 10n ** 17n : (answers[data.slice(2, 10)] ?? 0n)
          return `0x${value.toString(16).padStart(64, '0')}` as Hex
        })
      },
    }
    const venue = { ...world.venue, rpc: node as unknown as Rpc }
    const query = { spenderAddress: STOCK }
    const balance = await ask('GET', '/users/:userId/balance', {
      params: { userId: ` ${ALICE.toUpperCase()}` },
      query,
      venue,
    })
    expect(balance).toMatchObject({ chainId: 31_337, productType: 'Bourse', address: ALICE, mUsdBalance: '0.1' })
    expect(blocks).toEqual(new Set(['0x10']))
    const [usdc, aapl] = balance.tokenBalances
    expect(usdc).toMatchObject({
      address: USDC,
      symbol: 'USDC',
      isStock: false,
      stockSymbol: null,
      price: null,
      decimals: 6,
      walletBalance: '0.000007',
      walletAllowance: '0.000003',
    })
    expect(aapl).toMatchObject({ address: AAPL, isStock: true, stockSymbol: 'AAPL' })
    expect(aapl.exchangeBalance).toBe('123.456789012345678901')
  })
})
