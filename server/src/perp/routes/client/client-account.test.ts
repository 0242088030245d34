import type { PerpClient } from '@synfutures/perpv3-ts'
import {
  fetchAccountBalanceHistory,
  fetchFundingHistory,
  fetchLiquidityHistory,
  fetchMmAccountTransactionHistory,
  fetchMmLiquidityHistory,
  fetchMmLiquidityList,
  fetchMmOrderHistory,
  fetchMmOrderRealtime,
  fetchMmPositionList,
  fetchMmTradeHistory,
  fetchMmWalletBalance,
  fetchOrdersHistory,
  fetchPortfolioListFromApi,
  fetchTradeHistory,
  fetchTransferHistory,
} from '@synfutures/perpv3-ts/apis'
import { PERP_EXPIRY } from '@synfutures/perpv3-ts/types'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DevelopmentAccount } from '../../../chain/embedded/accounts.ts'
import { CLIENT_TEST_CHAIN } from '../../../chain/profiles.ts'
import type { Hex } from '../../../chain/types.ts'
import { sleep } from '../../../lib/clock.ts'
import { WAD } from '../../../lib/wad.ts'
import { type ClientKey, ClientVenue } from '../../testing/client-venue.ts'
import { chainClient } from '../../testing/sdk.ts'
import { addRange, approveGate, cancel, place, setFeed, trade } from '../../testing/trader.ts'

// What an account holds and did, read by the published client with its own signature, against our records and the contracts.

const SIGNER = { sign: () => ({ 'X-Api-Nonce': '1', 'X-Api-Sign': 'none', 'X-Api-Ts': 1 }) }

// biome-ignore lint/suspicious/noExplicitAny: what is in a row is what the test looks at
type Row = any

let venue: ClientVenue
let btc: Hex
let user: Hex
let auth: ClientKey
let onChain: PerpClient
beforeAll(async () => {
  venue = await ClientVenue.start()
  const { chain } = venue.world
  btc = await chain.instrument('BTC/USDC')
  const [first, second] = chain.accounts.users as [DevelopmentAccount, DevelopmentAccount]
  user = first.address.toLowerCase() as Hex
  await setFeed(chain, 'BTC', 60_000n * 10n ** 8n)
  for (const one of [first, second]) expect(await approveGate(chain, one, btc)).toBe('success')
  const { tick } = await chain.readInstrument(btc, 'getAmm', [PERP_EXPIRY])
  for (const delta of [-12, -40, 9, 25]) {
    const order = { tick: tick + delta, size: delta < 0 ? WAD : -WAD, margin: 20_000n * WAD }
    expect(await place(chain, first, btc, order)).toBe('success')
  }
  expect(await cancel(chain, first, btc, tick - 40)).toBe('success')
  expect(await addRange(chain, first, btc, 40_000n * WAD, 1000)).toBe('success')
  // Takes the first of the asks, so that an order is partly taken, and leaves positions on both sides.
  expect(await trade(chain, second, btc, 4n * WAD, 100_000n * WAD)).toBe('success')
  expect(await trade(chain, first, btc, -WAD, 30_000n * WAD)).toBe('success')
  // The next trade pays or brings the funding of these seconds.
  await setFeed(chain, 'BTC', 61_000n * 10n ** 8n)
  await secondsPass(3)
  expect(await trade(chain, first, btc, -WAD / 2n, 0n)).toBe('success')
  await venue.world.indexed()
  auth = await venue.keyOf(first)
  onChain = chainClient(chain.anvil.rpcUrl, CLIENT_TEST_CHAIN, chain.contract('Observer'), btc)
  // From here on the newest block stays.
  await chain.rpc.call('evm_setIntervalMining', [0])
  await venue.world.indexed()
})
afterAll(() => venue?.close())

/** Waits until the chain's time is so much later. */
async function secondsPass(sec: number): Promise<void> {
  const { rpc } = venue.world.chain
  const now = async () =>
    Number((await rpc.call<{ timestamp: Hex }>('eth_getBlockByNumber', ['latest', false])).timestamp)
  const since = await now()
  while ((await now()) < since + sec) await sleep(50)
}

/** The client turns some texts into numbers; here every number is text. */
const plain = (value: unknown): Row =>
  JSON.parse(JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? String(one) : one)))

/** Our own answer to the wallet's key. */
async function ours(path: string): Promise<Row> {
  const { status, msg, data } = await venue.get(auth, path)
  expect([status, msg]).toEqual([200, ''])
  return data
}

describe('the published client’s reads of an account by its key', () => {
  const own = () => ({ chainId: CLIENT_TEST_CHAIN, address: user })

  it.each<[string, () => Promise<unknown>, string]>([
    ['orders that ended', () => fetchMmOrderHistory(own(), auth), 'order/history?size=50'],
    ['trades', () => fetchMmTradeHistory(own(), auth), 'execution/list?size=50'],
    ['liquidity', () => fetchMmLiquidityHistory(own(), auth), 'liquidity/history?size=50'],
    ['money', () => fetchMmAccountTransactionHistory(own(), auth), 'account/deposit-withdraw?size=50'],
  ])('have the history of %s', async (_, read, path) => {
    const records = await ours(path)
    expect(records.totalCount).toBeGreaterThan(0)
    expect(await read()).toEqual(records)
  })

  it('have positions, orders and ranges as the contracts have them', async () => {
    const { portfolio } = await onChain.getSnapshot(user)
    const positions = plain(await fetchMmPositionList(own(), auth))
    expect(positions).toEqual(await ours('position/list'))
    const { size, balance, entryNotional } = portfolio.position
    expect(size).toBe((-3n * WAD) / 2n)
    expect(positions).toMatchObject([plain({ size, balance, entryNotional, instrumentAddr: btc })])
    const orders = plain(await fetchMmOrderRealtime(own(), auth)) as Row[]
    expect(orders).toEqual(await ours('order/realtime'))
    const taken = new Map(portfolio.oids.map((oid, nth) => [Number(oid), String(portfolio.ordersTaken[nth])]))
    expect(new Map(orders.map((order) => [order.oid, order.taken]))).toEqual(taken)
    expect(taken.size).toBe(3)
    const ranges = plain(await fetchMmLiquidityList(own(), auth))
    expect(ranges).toEqual(await ours('liquidity/list'))
    expect(ranges).toMatchObject(portfolio.ranges.map(({ liquidity }) => plain({ liquidity })))
    expect(ranges).toHaveLength(1)
  })

  it('have the wallet’s money as the contracts have it', async () => {
    const balance = await fetchMmWalletBalance(own(), auth)
    expect(plain(balance)).toEqual(await ours('account/wallet-balance'))
    const { quoteState } = await onChain.getSnapshot(user)
    const toWad = 10n ** 12n
    expect(balance?.portfolios).toMatchObject([
      { balance: quoteState.reserve * toWad, totalInBalance: quoteState.fundFlow.totalIn * toWad },
    ])
  })

  it('are refused to a wrong secret and to a wrong passphrase', async () => {
    const refused = { details: { status: 401, data: { code: 40101 } } }
    for (const wrong of [{ secretKey: 'x' }, { passphrase: 'x' }]) {
      await expect(fetchMmOrderRealtime(own(), { ...auth, ...wrong })).rejects.toMatchObject(refused)
    }
  })
})

describe('the published client’s histories and portfolio without a key', () => {
  const asked = () => ({ chainId: CLIENT_TEST_CHAIN, userAddress: user })
  const pair = () => ({ ...asked(), instrumentAddress: btc, expiry: PERP_EXPIRY })
  /** Newest first, as the client puts them. */
  const byTime = (rows: Row[]) =>
    [...rows].sort((a, b) => (b.timestamp ?? b.placeTimestamp) - (a.timestamp ?? a.placeTimestamp))

  it.each<[string, () => Promise<unknown>, string]>([
    ['trades', () => fetchTradeHistory(pair(), SIGNER), 'execution/list?size=60'],
    ['orders that ended', () => fetchOrdersHistory(pair(), SIGNER), 'order/history?size=60'],
    ['liquidity', () => fetchLiquidityHistory(pair(), SIGNER), 'liquidity/history?size=60'],
    ['money', () => fetchAccountBalanceHistory(asked(), SIGNER), 'account/deposit-withdraw?size=60'],
  ])('have the history of %s', async (_, read, path) => {
    const { list } = await ours(path)
    expect(list.length).toBeGreaterThan(0)
    expect(await read()).toEqual(byTime(list))
  })

  it.each<[string, () => Promise<unknown>, readonly string[]]>([
    ['transfers', () => fetchTransferHistory(pair(), SIGNER), ['scatter', 'gather']],
    ['funding', () => fetchFundingHistory(pair(), SIGNER), ['funding']],
  ])('have the history of %s', async (_, read, kinds) => {
    const { list } = await ours('account/transaction-history?size=100')
    const records = list.filter(({ typeString }: Row) => kinds.includes(typeString))
    expect(records.length).toBeGreaterThan(0)
    const of = ({ id, timestamp, txHash, value, instrumentAddress }: Row) => {
      return { id, timestamp, txHash, value: value.replace('-', ''), instrumentAddress }
    }
    expect(((await read()) as Row[]).map(of)).toEqual(records.map(of))
  })

  it('have what a wallet holds in a pair', async () => {
    const { portfolio } = await onChain.getSnapshot(user)
    const answer = plain(await fetchPortfolioListFromApi(pair(), SIGNER))
    expect(answer.instruments).toMatchObject([{ instrumentAddr: btc }])
    expect(answer.portfolios).toMatchObject([
      { instrumentAddr: btc, expiry: PERP_EXPIRY, position: await ours('position/list') },
    ])
    expect(answer.portfolios[0].orders).toEqual(await ours('order/realtime'))
    expect(answer.portfolios[0].ranges).toEqual(await ours('liquidity/list'))
    expect(answer.portfolios[0].position[0].size).toBe(String(portfolio.position.size))
    expect(plain(await fetchPortfolioListFromApi(asked(), SIGNER))).toEqual(answer)
  })
})
