import { PerpClient } from '@synfutures/perpv3-ts'
import {
  fetchFuturesInstrument,
  fetchFuturesInstrumentInquireByNotional,
  fetchFuturesInstrumentInquireByTick,
  fetchFuturesPairDepthChart,
  fetchFuturesPairKlineChart,
  fetchMarketOnChainContextQuery,
  fetchMarketPairInfo,
  fetchMarketPairList,
  fetchMmFundingHistory,
  fetchMmInstrumentInfo,
  fetchMmKline,
  fetchMmOrderBook,
  fetchMmServerTime,
  fetchMmTickers,
  fetchTokenCoinsWithSymbol,
  fetchTokenPriceMapFromApi,
  fetchUserGateBalanceFromApi,
  fetchUserTotalValue,
  KlineInterval,
} from '@synfutures/perpv3-ts/apis'
import { type PairSnapshot, PERP_EXPIRY } from '@synfutures/perpv3-ts/types'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { observerAbi } from '../../../chain/abi/observer.ts'
import type { DevelopmentAccount } from '../../../chain/embedded/accounts.ts'
import { CLIENT_TEST_CHAIN } from '../../../chain/profiles.ts'
import { type ContractRead, contractRead } from '../../../chain/read.ts'
import type { Hex } from '../../../chain/types.ts'
import { WAD } from '../../../lib/wad.ts'
import { type ListedInstrument, readInstruments } from '../../listing/catalogue.ts'
import { readFullInstrument } from '../../market-data/full-instruments.ts'
import { fullInstrumentView } from '../../market-data/instrument-full-view.ts'
import { type ClientKey, ClientVenue } from '../../testing/client-venue.ts'
import { getMarket, type MarketWorld, serveMarket } from '../../testing/market-world.ts'
import { chainClient, sdkSetting } from '../../testing/sdk.ts'
import { addRange, approveGate, place, setFeed, trade } from '../../testing/trader.ts'

const SIGNER = { sign: () => ({ 'X-Api-Nonce': '1', 'X-Api-Sign': 'none', 'X-Api-Ts': 1 }) }
const MARKET = '/v4/public/market'

let venue: ClientVenue
let auth: ClientKey
let world: MarketWorld
let btc: Hex
let user: DevelopmentAccount
let onChain: PerpClient
let byApi: PerpClient
beforeAll(async () => {
  venue = await ClientVenue.start()
  world = venue.world
  const { chain } = world
  btc = await chain.instrument('BTC/USDC')
  const [first, second] = chain.accounts.users as [DevelopmentAccount, DevelopmentAccount]
  user = first
  await setFeed(chain, 'BTC', 60_000n * 10n ** 8n)
  await setFeed(chain, 'ETH', 3_000n * 10n ** 8n)
  for (const one of [first, second]) expect(await approveGate(chain, one, btc)).toBe('success')
  const { tick } = await chain.readInstrument(btc, 'getAmm', [PERP_EXPIRY])
  const orders = [-12, -40, 9, 25].map((delta) => ({ tick: tick + delta, size: delta < 0 ? WAD : -WAD }))
  for (const order of orders) {
    expect(await place(chain, first, btc, { ...order, margin: 20_000n * WAD })).toBe('success')
  }
  expect(await addRange(chain, first, btc, 40_000n * WAD, 1000)).toBe('success')
  // Takes the first of the asks, so that an order is partly taken, and leaves positions on both sides.
  expect(await trade(chain, second, btc, 4n * WAD, 100_000n * WAD)).toBe('success')
  expect(await trade(chain, first, btc, -WAD, 30_000n * WAD)).toBe('success')
  await world.indexed()
  auth = await venue.keyOf(first)
  onChain = chainClient(chain.anvil.rpcUrl, CLIENT_TEST_CHAIN, chain.contract('Observer'), btc)
  const config = { chainId: CLIENT_TEST_CHAIN, signer: SIGNER } as never
  byApi = new PerpClient(config, sdkSetting(), btc, PERP_EXPIRY)
  // From here on the newest block stays.
  await chain.rpc.call('evm_setIntervalMining', [0])
  await world.indexed()
})
afterAll(() => venue?.close())

const ids = () => ({ chainId: CLIENT_TEST_CHAIN, expiry: PERP_EXPIRY })
const named = () => ({ instrument: btc, expiry: PERP_EXPIRY })

/** What a snapshot holds, without the addresses of Config and Gate, which the client takes from its own tables, in lower case. */
function contentOf(snapshot: PairSnapshot) {
  const { instrumentSetting, ...rest } = snapshot as unknown as Record<string, Record<string, unknown>>
  const setting = { ...instrumentSetting, gateAddress: null, configAddress: null }
  return JSON.parse(
    JSON.stringify({ ...rest, setting }, (_, value) =>
      typeof value === 'bigint' ? String(value) : typeof value === 'string' ? value.toLowerCase() : value,
    ),
  )
}

/** What the trades of the pair paid, as the executions of them have it. */
async function tradingFees(): Promise<string> {
  const rows = await world.venue.sql<{ fee: bigint }[]>`
    select trade_fee_wad as fee from perp_executions where instrument = ${btc} and event in ('Trade', 'Sweep')`
  const sum = rows.reduce((total, { fee }) => total + fee, 0n)
  expect(sum).toBeGreaterThan(0n)
  return String(sum)
}

const observer = () => ({ address: world.chain.contract('Observer'), abi: observerAbi })

/** A quotation with its size is what the contracts' reader answers. */
async function expectLikeObserver(answer: object | null, read: ContractRead<readonly [bigint, unknown, unknown]>) {
  const { size, ...quotation } = (answer ?? {}) as { readonly size?: bigint }
  const [expectedSize, expected] = await world.chain.read(read)
  expect(size).toBe(expectedSize)
  expect(quotation).toEqual(expected)
}

describe('GET market/instrument of an instrument whose pairs are not indexed', () => {
  const sql = () => world.venue.sql
  const changePairs = (change: string) =>
    sql().begin((tx) =>
      tx
        .unsafe(`alter table perp_pairs disable trigger user; ${change}; alter table perp_pairs enable trigger user`)
        .simple(),
    )
  const eth = async () => {
    const { block, list } = await readInstruments(world.chain.rpc, world.chain.contract('Gate'))
    return { block, listed: list.find(({ symbol }) => symbol === 'ETH/USDC') as ListedInstrument }
  }

  it('is what the chain says at the block of the list', async () => {
    const { listed } = await eth()
    const query = { address: listed.address }
    const indexed = await world.get(`${MARKET}/instrument`, query, null)
    expect(indexed.data.amms).toHaveLength(1)
    const [row] = await sql()`
      select jsonb_agg(p) as pairs from perp_pairs p where instrument = ${listed.address}`
    await changePairs(`delete from perp_pairs where instrument = '${listed.address}'`)
    const { url, close } = await serveMarket(world.venue)
    const answer = await getMarket(url, `${MARKET}/instrument`, query, null)
    await close()
    const pairs = JSON.stringify(row?.pairs)
    await changePairs(`insert into perp_pairs select * from jsonb_populate_recordset(null::perp_pairs, '${pairs}')`)
    expect([answer.status, answer.code]).toEqual([200, 0])
    expect(answer.data).toEqual(indexed.data)
  })

  it('has its settings and price without any pair', async () => {
    const { block, listed } = await eth()
    const view = async (expiries: readonly number[]) =>
      fullInstrumentView(await readFullInstrument(world.venue, listed, expiries, block))
    expect(await view([])).toEqual({ ...(await view([PERP_EXPIRY])), amms: [] })
  })
})

describe('the published client by API and by RPC', () => {
  it('has the same snapshot of a pair, an account and a quotation', async () => {
    for (const size of [WAD / 2n, -WAD / 3n, 0n]) {
      const trader = user.address
      const [api, rpc] = [await byApi.getSnapshot(trader, size), await onChain.getSnapshot(trader, size)]
      expect(api.portfolio.orders.length).toBe(4)
      expect(api.portfolio.ordersTaken.some((taken) => taken !== 0n)).toBe(true)
      expect(api.portfolio.ranges.length).toBe(1)
      expect(api.portfolio.position.size).toBe(-WAD)
      expect(contentOf(api)).toEqual(contentOf(rpc))
    }
    expect(contentOf(await byApi.getSnapshot())).toEqual(contentOf(await onChain.getSnapshot()))
  })

  it('has a quotation of every size that is named, of none too', async () => {
    const context = async (query: object) =>
      (await world.get(`${MARKET}/getOnChainContext`, { ...named(), ...query }, null)).data.inquireRes
    expect(await context({})).toBeNull()
    expect(await context({ signedSize: '0' })).toMatchObject({ entryNotional: '0', fee: '0' })
  })

  it('has the same quotations by size, tick and notional', async () => {
    const { amm } = await onChain.getSnapshot()
    for (const size of [WAD, -2n * WAD]) expect(await byApi.inquire(size)).toEqual(await onChain.inquire(size))
    for (const tick of [amm.tick + 40, amm.tick - 60]) {
      const answer = await fetchFuturesInstrumentInquireByTick({ ...ids(), instrument: btc, tick }, SIGNER)
      await expectLikeObserver(answer, contractRead(observer(), 'inquireByTick', btc, PERP_EXPIRY, tick))
    }
    for (const long of [true, false]) {
      const notional = 90_000n * WAD
      const params = { ...ids(), instrument: btc, notional: String(notional), long }
      const answer = await fetchFuturesInstrumentInquireByNotional(params, SIGNER)
      await expectLikeObserver(answer, contractRead(observer(), 'inquireByQuote', btc, PERP_EXPIRY, notional, long))
    }
  })

  it('has the same order book, but for the last levels that it reads itself only in part', async () => {
    const [api, rpc] = [await byApi.getOrderBook(), await onChain.getOrderBook(8)]
    expect(Object.keys(api ?? {})).toEqual(['1', '10', '100', '200'])
    for (const [ratio, book] of Object.entries(rpc ?? {})) {
      for (const side of ['bids', 'asks'] as const) {
        const levels = (api as unknown as Record<string, Record<string, Record<string, unknown>[]>>)[ratio]?.[side]
        const named = levels?.map(({ baseSize, ...level }) => level).slice(0, 8)
        expect(named, `${side} at ${ratio}`).toEqual((book as never)[side])
      }
    }
  })

  it('finds pairs, an instrument, candles and depth', async () => {
    const list = await fetchMarketPairList({ chainId: CLIENT_TEST_CHAIN }, SIGNER)
    expect(list?.map(({ symbol }) => symbol)).toEqual(['BTC/USDC', 'ETH/USDC'])
    const { amm, priceData, instrumentSetting } = await onChain.getSnapshot()
    const info = await fetchMarketPairInfo({ ...ids(), address: btc }, SIGNER)
    expect(info).toEqual(list?.[0])
    expect(info).toMatchObject({
      marketType: 'perp',
      markPrice: String(priceData.markPrice),
      openInterests: String(amm.openInterests),
      longOi: String(amm.totalLong),
      shortOi: String(amm.totalShort),
      tvl: String(amm.involvedFund),
      baseVolume24h: String(5n * WAD),
      poolFee24h: await tradingFees(),
    })
    const instrument = await fetchFuturesInstrument({ chainId: CLIENT_TEST_CHAIN, address: btc }, SIGNER)
    expect(instrument).toMatchObject({ minTradeValue: instrumentSetting.minTradeValue, instrumentAddr: btc })
    expect(instrument).toMatchObject({ marketType: 'perp', market: { info: { type: 'LINK' } } })
    expect(instrument?.amms[0]).toMatchObject({ sqrtPX96: amm.sqrtPX96, tick: amm.tick, fairPrice: expect.anything() })
    const query = { ...ids(), instrument: btc, interval: KlineInterval.DAY }
    const candles = await fetchFuturesPairKlineChart(query as never, SIGNER)
    expect(candles?.at(-1)).toMatchObject({ baseVolume: 5, symbol: 'BTC/USDC' })
    const depth = await fetchFuturesPairDepthChart({ ...ids(), address: btc, stepRatio: 100 }, SIGNER)
    expect(depth?.left.length).toBeGreaterThan(3)
    expect(depth?.right.length).toBeGreaterThan(3)
  })

  it('has the same snapshot as the contracts’ reader answers it', async () => {
    const trader = user.address
    for (const query of [
      {},
      { userAddress: trader, signedSize: String(-WAD / 3n) },
      { userAddress: trader, signedSize: '0' },
    ]) {
      const size = 'signedSize' in query ? BigInt(query.signedSize) : undefined
      const api = await fetchMarketOnChainContextQuery({ ...ids(), instrument: btc, ...query }, SIGNER)
      const rpc = await onChain.getSnapshot('userAddress' in query ? trader : undefined, size)
      const expected = contentOf(rpc)
      // Here the client reads 0 as what it stands for.
      expected.setting.fundingHour = 24
      expect(contentOf(api as PairSnapshot)).toEqual(expected)
    }
  })

  it('knows a wallet’s money, and what it has traded', async () => {
    const params = { chainId: CLIENT_TEST_CHAIN, userAddress: user.address }
    const { quoteState } = await onChain.getSnapshot(user.address)
    const toWad = 10n ** 12n
    expect(await fetchUserGateBalanceFromApi(params, SIGNER)).toMatchObject([
      {
        quote: quoteState.quote.toLowerCase(),
        decimals: 6,
        balance: quoteState.reserve * toWad,
        pendingBalance: { amount: 0n, exemption: 0n },
        totalInBalance: quoteState.fundFlow.totalIn * toWad,
        totalOutBalance: quoteState.fundFlow.totalOut * toWad,
      },
    ])
    const rows = await world.venue.sql<{ notional: bigint }[]>`
      select notional_wad as notional from perp_executions where trader = ${user.address.toLowerCase()} and event = 'Trade'`
    const sum = rows.reduce((total, { notional }) => total + notional, 0n)
    const volumes = await fetchUserTotalValue(params, SIGNER)
    expect(rows).toHaveLength(1)
    expect(volumes).toMatchObject({
      totalVolumeUsd: String(sum),
      details: [
        {
          instrumentAddress: btc,
          expiry: PERP_EXPIRY,
          quoteAddress: quoteState.quote.toLowerCase(),
          quoteVolume: String(sum),
          volumeUsd: String(sum),
          symbol: 'BTC/USDC',
        },
      ],
    })
    const nobody = { chainId: CLIENT_TEST_CHAIN, userAddress: `0x${'9'.repeat(40)}` as Hex }
    expect(await fetchUserTotalValue(nobody, SIGNER)).toEqual({ totalVolumeUsd: '0', details: [] })
  })

  it('knows the tokens of the quotes by their addresses, and no price that nobody told', async () => {
    const tokens = await fetchTokenPriceMapFromApi({ chainId: CLIENT_TEST_CHAIN }, SIGNER)
    const { quoteState } = await onChain.getSnapshot(user.address)
    const address = quoteState.quote.toLowerCase()
    const unknown = { priceChangePercentage24H: null, high24h: null, low24h: null }
    const usdc = {
      address,
      symbol: 'USDC',
      decimals: 6,
      imageUrl: '',
      currentPrice: 1,
      ...unknown,
      chainId: CLIENT_TEST_CHAIN,
    }
    expect(tokens).toEqual({ [address]: usdc })
  })

  it('reads the older API for market makers', async () => {
    const chainId = CLIENT_TEST_CHAIN
    expect(Math.abs((await fetchMmServerTime(auth)) - Date.now())).toBeLessThan(60_000)
    const symbol = 'BTC/USDC'
    expect((await fetchMmInstrumentInfo({ chainId, symbol }, auth))?.[0]).toMatchObject({ symbol })
    expect(await fetchMmTickers({ chainId }, auth)).toHaveLength(2)
    expect(await fetchMmTickers({ chainId, symbol }, auth)).toMatchObject({ symbol, volume24h: String(5n * WAD) })
    expect((await fetchMmKline({ chainId, symbol, interval: KlineInterval.DAY }, auth))?.at(-1)).toMatchObject({
      baseVolume: 5,
    })
    const book = (await fetchMmOrderBook({ chainId, symbol }, auth)) as Record<string, { bids: unknown[] }> | null
    expect(book?.['1']?.bids).toHaveLength(10)
    expect(Array.isArray(await fetchMmFundingHistory({ chainId, symbol }, auth))).toBe(true)
    expect((await fetchTokenCoinsWithSymbol(auth))?.[0]).toMatchObject({ symbol: 'BTC', currentPrice: 60_000 })
  })
})

describe('the published client’s reads', () => {
  const stranger = `0x${'1'.repeat(40)}`
  const more: Readonly<Record<string, Readonly<Record<string, string | number>>>> = {
    inquire: { size: '1' },
    inquireByTick: { tick: 1 },
    inquireByNotional: { notional: '1', long: 'true' },
    kline: { interval: '1h' },
    getOnChainContext: {},
    'getOnChainContext/onChainQuery': {},
    marketPairInfo: {},
    orderBook: {},
    depth: {},
  }
  const nameOf = (path: string) => (['marketPairInfo', 'orderBook', 'depth'].includes(path) ? 'address' : 'instrument')

  it.each(Object.entries(more))('%s needs no key, and refuses what it does not know', async (path, query) => {
    const ask = (over: Readonly<Record<string, string | number>>) =>
      world.get(`${MARKET}/${path}`, { [nameOf(path)]: btc, expiry: PERP_EXPIRY, ...query, ...over }, null)
    const unknown = await ask({ [nameOf(path)]: stranger })
    expect([unknown.status, unknown.code, unknown.reason]).toEqual([400, 40002, 'instrument_unknown'])
    const expiry = await ask({ expiry: 1_800_000_000 })
    expect([expiry.status, expiry.code, expiry.reason]).toEqual([400, 40002, 'pair_unknown'])
    expect(await ask({ chainId: 1 })).toMatchObject({ status: 400, code: 40001, reason: 'chain_id_differs' })
    expect(await ask({ [nameOf(path)]: 'BTC/USDC' })).toMatchObject({ status: 400, code: 40001 })
    expect(await ask({ colour: 'red' })).toMatchObject({ status: 400, code: 40001 })
    expect(await ask({ expiry: 0 })).toMatchObject({ status: 400, code: 40001 })
  })

  it.each([
    ['inquire', { size: '0.5' }],
    ['inquire', { size: '1'.repeat(39) }],
    ['inquireByTick', { tick: 443_637 }],
    ['inquireByNotional', { notional: '-1', long: 'true' }],
    ['inquireByNotional', { notional: '1', long: 'perhaps' }],
    ['depth', { stepRatio: 0 }],
    ['kline', { interval: '1h', limit: 1001 }],
    ['getOnChainContext', { userAddress: '0x1' }],
  ])('%s refuses %j', async (path, query) => {
    const pair = { [nameOf(path)]: btc, expiry: PERP_EXPIRY }
    const { status, code, data } = await world.get(`${MARKET}/${path}`, { ...pair, ...query }, null)
    expect([status, code, data]).toEqual([400, 40001, {}])
  })

  it.each(['marketList', 'instrument'])('%s refuses another chain', async (path) => {
    const query = path === 'instrument' ? { address: btc } : {}
    const { status, reason } = await world.get(`${MARKET}/${path}`, { ...query, chainId: 1 }, null)
    expect([status, reason]).toEqual([400, 'chain_id_differs'])
    if (path === 'instrument') {
      const unknown = await world.get(`${MARKET}/${path}`, { address: stranger }, null)
      expect([unknown.status, unknown.reason]).toEqual([400, 'instrument_unknown'])
    }
  })

  it.each(['market/user/gateValue', 'market/user/volumes', 'token/tokensWithAddress'])(
    '%s needs no key, and refuses what it does not know',
    async (path) => {
      const user = path.startsWith('token') ? {} : { userAddress: stranger }
      const ask = (over: Readonly<Record<string, string | number>>) =>
        world.get(`/v4/public/${path}`, { ...user, ...over }, null)
      expect((await ask({})).status).toBe(200)
      expect(await ask({ chainId: 1 })).toMatchObject({ status: 400, code: 40001, reason: 'chain_id_differs' })
      expect(await ask({ colour: 'red' })).toMatchObject({ status: 400, code: 40001 })
      if (user.userAddress) expect(await ask({ userAddress: '0x1' })).toMatchObject({ status: 400, code: 40001 })
    },
  )

  it('says by name why a quotation is refused', async () => {
    const size = String(10n ** 9n * WAD)
    for (const [path, query] of [
      ['inquire', { size }],
      ['getOnChainContext', { signedSize: size }],
    ] as const) {
      const { status, code, reason, msg } = await world.get(`${MARKET}/${path}`, { ...named(), ...query }, null)
      expect([status, code, reason]).toEqual([400, 40003, 'would_revert'])
      expect(msg).toContain('TradeOutOfLiquidity')
    }
  })

  it.each(['tickers', 'kline', 'orderBook', 'funding/history', 'serverTime', 'instruments-info'])(
    'mm/%s is open: without a key it is judged as with one, and a wrong key is refused',
    async (path) => {
      const answers = await Promise.all([
        world.get(`/v4/public/mm/${path}`, {}),
        world.get(`/v4/public/mm/${path}`, {}, null),
      ])
      const [known, nobody] = answers.map(({ status, code, msg }) => [status, code, msg])
      expect(nobody).toEqual(known)
      expect((await world.get(`/v4/public/mm/${path}`, {}, 'stranger')).status).toBe(401)
    },
  )

  it('mm/token/coinsWithSymbol needs a key', async () => {
    expect((await world.get('/v4/public/mm/token/coinsWithSymbol', {}, null)).status).toBe(401)
  })
})
