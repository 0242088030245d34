import { Position } from '@synfutures/perpv3-ts/types'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { gateAbi } from '../../../chain/abi/gate.ts'
import { instrumentAbi } from '../../../chain/abi/instrument.ts'
import { observerAbi } from '../../../chain/abi/observer.ts'
import { formatUnits } from '../../../lib/decimal.ts'
import { WAD } from '../../../lib/wad.ts'
import { PERPETUAL_EXPIRY } from '../../listing/catalogue.ts'
import { ammOf, broughtToNow, callsAt } from '../../listing/pair.ts'
import { Recorded } from '../../testing/recorded.ts'
import { TradingDesk } from '../../testing/trading-desk.ts'
import type { Wallet } from '../../testing/wallet.ts'

// What an account holds and did, read back after real trades on the real contracts.

const PAIR = { instrument: 'BTC/USDC', expiry: PERPETUAL_EXPIRY }
const TAKEN = { slippageBps: 300, leverage: '5' }

let desk: TradingDesk
let recorded: Recorded
let alice: Wallet
let bob: Wallet
beforeAll(async () => {
  desk = await TradingDesk.open()
  recorded = await Recorded.start(desk.chain)
  ;[alice, bob] = [await desk.approvedWallet(0), await desk.approvedWallet(1)]
})
afterAll(async () => {
  await recorded?.close()
  await desk?.close()
})

/** Asks as a wallet, once everything that was mined is indexed. */
async function ask(wallet: Wallet, path: string, query: Readonly<Record<string, string | number>> = {}) {
  await recorded.caughtUp()
  const answer = await recorded.get(`trader/${path}`, query, wallet.address)
  expect([answer.msg, answer.code, answer.status]).toEqual(['', 0, 200])
  expect(answer.blockInfo?.height).toBeGreaterThan(0)
  return answer
}
const open = async (wallet: Wallet) => (await ask(wallet, 'order/realtime')).data
/** What a walk to a tick trades, negative where it sells. */
const toTick = (tick: number) =>
  bob.node.readContract({
    address: desk.chain.contract('Observer'),
    abi: observerAbi,
    functionName: 'getBaseSizeByTick' as const,
    args: [desk.btc, PERPETUAL_EXPIRY, tick],
  })
const trade = (wallet: Wallet, side: 1 | 2, size: string) =>
  desk.done(wallet, 'market', { ...PAIR, ...TAKEN, side, size })

describe('a resting order', () => {
  it('is open, is taken in parts as the contract says, waits to be filled, and is filled', async () => {
    await desk.done(alice, 'limit', { ...PAIR, size: '0.02', price: '59950', side: 2, leverage: '5' })
    const [placed] = await open(alice)
    expect(placed).toMatchObject({ taken: '0', size: '20000000000000000', side: 2, status: 'open', symbol: 'BTC/USDC' })
    expect(BigInt(placed.limitPrice)).toBeLessThanOrEqual(59_950n * WAD)
    expect(placed.oid).toBe(placed.tick * 2 ** 24 + placed.nonce)

    // Bob sells down to the tick, and half of what rests there.
    await trade(bob, 1, formatUnits(10n ** 16n - (await toTick(placed.tick)), 18))
    const [partly] = await open(alice)
    expect((await desk.portfolioOf(alice)).ordersTaken.map(String)).toEqual([partly.taken])
    expect(BigInt(partly.taken)).toBeGreaterThan(0n)
    expect(BigInt(partly.taken)).toBeLessThan(BigInt(partly.size))
    expect(partly.status).toBe('partial_filled')
    expect((await ask(alice, 'order/byId', { orderId: placed.orderId })).data).toEqual(partly)

    await trade(bob, 1, '0.02')
    expect(await open(alice)).toMatchObject([{ taken: '20000000000000000', status: 'filled' }])
    expect((await ask(alice, 'order/history')).data).toEqual({ list: [], totalCount: 0 })

    await desk.done(alice, 'fill', { ...PAIR, oid: String(placed.oid) })
    expect(await open(alice)).toEqual([])
    const history = (await ask(alice, 'order/history')).data
    expect(history.totalCount).toBe(1)
    const [filled] = history.list
    expect(filled).toMatchObject({
      id: placed.orderId,
      type: 1,
      typeString: 'filled',
      side: 'long',
      cancelTimestamp: 0,
      cancelTxHash: '',
      size: '20000000000000000',
      takenSize: '20000000000000000',
      orderPrice: placed.limitPrice,
      quoteToken: { symbol: 'USDC', decimals: 6, price: 1 },
    })
    expect(filled.takenBalance).toBe(filled.balance)
    expect(filled.fillTimestamp).toBeGreaterThan(0)
    const byId = (await ask(alice, 'order/byId', { orderId: placed.orderId })).data
    expect(byId).toMatchObject({ status: 'filled', taken: '20000000000000000', lastUpdateTxHash: filled.fillTxHash })
    const fills = (await ask(alice, 'execution/list')).data
    expect(fills.list).toMatchObject([
      { type: 'Limit', typeString: 'fill', event: 'Fill', side: 'long', balance: filled.tradeValue, protocolFee: '0' },
    ])
    expect(fills.list[0].tradeFee).toBe(`-${filled.feeRebate}`)
  })

  it('ends as cancelled when it is cancelled', async () => {
    await desk.done(alice, 'limit', { ...PAIR, size: '0.02', price: '55000', side: 2, leverage: '5' })
    const [placed] = await open(alice)
    await desk.done(alice, 'cancel', { ...PAIR, oid: String(placed.oid) })
    expect(await open(alice)).toEqual([])
    const { list, totalCount } = (await ask(alice, 'order/history', { size: 1 })).data
    expect([totalCount, list.length]).toEqual([2, 1])
    expect(list[0]).toMatchObject({
      id: placed.orderId,
      type: 0,
      typeString: 'cancelled',
      takenSize: '0',
      fillTxHash: '',
    })
    expect((await ask(alice, 'order/byId', { orderId: placed.orderId })).data.status).toBe('canceled')
  })
})

describe('a position', () => {
  it('is shown as the contract has it, and measured as the published client measures it', async () => {
    const { data, blockInfo } = await ask(bob, 'position/list', { symbol: 'BTC/USDC' })
    expect(data).toHaveLength(1)
    const [shown] = data
    expect(shown.side).toBe(1)
    const height = BigInt(blockInfo?.height ?? 0)
    const at = `0x${height.toString(16)}`
    const { hash } = await desk.chain.rpc.call<{ hash: `0x${string}` }>('eth_getBlockByNumber', [at, false])
    const [now] = await callsAt(desk.chain, { height, hash, timestampSec: 0n }, [
      { to: desk.btc, data: broughtToNow(PERPETUAL_EXPIRY) },
    ])
    if (!now) throw new Error('no answer')
    const amm = ammOf(now) as never
    const read = { address: desk.btc, abi: instrumentAbi } as const
    const node = { blockNumber: height }
    const { position } = await bob.node.readContract({
      ...read,
      ...node,
      functionName: 'getPortfolio',
      args: [PERPETUAL_EXPIRY, bob.address],
    })
    const setting = await bob.node.readContract({ ...read, ...node, functionName: 'getSetting' })
    const theirs = Position.ensureInstance(position)
    const mark = BigInt(shown.markPrice)
    expect(mark).toBe(60_000n * WAD)
    expect(shown).toMatchObject({
      balance: String(position.balance),
      size: String(position.size),
      entryNotional: String(position.entryNotional),
      unrealizedPnl: String(theirs.pricePnl(mark)),
      unrealizedFunding: String(theirs.fundingFee(amm)),
      unrealizedSocialLoss: String(theirs.socialLoss(amm)),
      equity: String(theirs.equity(amm, mark)),
      leverage: String(theirs.leverage(amm, mark)),
      liquidationPrice: String(theirs.liquidationPrice(amm, setting.maintenanceMarginRatio)),
    })
    // The margin is where their test of safety turns.
    const margin = BigInt(shown.maintenanceMargin)
    const short = theirs.withBalanceDelta(margin - BigInt(shown.equity) - 1n)
    expect(short.isMmrSafe(amm, setting.maintenanceMarginRatio, mark)).toBe(false)
    const enough = theirs.withBalanceDelta(margin - BigInt(shown.equity))
    expect(enough.isMmrSafe(amm, setting.maintenanceMarginRatio, mark)).toBe(true)
  })

  it('is not listed where there is none', async () => {
    expect((await ask(bob, 'position/list', { symbol: 'ETH/USDC' })).data).toEqual([])
    expect((await ask(desk.wallet(5), 'position/list')).data).toEqual([])
  })
})

describe('liquidity', () => {
  it('is listed while it is there, and in its history', async () => {
    const range = { ...PAIR, amount: '2000', alphaLower: '1.2', alphaUpper: '1.2', slippageBps: 100 }
    await desk.done(alice, 'add-liquidity', range)
    const [listed] = (await ask(alice, 'liquidity/list')).data
    const portfolio = await desk.portfolioOf(alice)
    expect(listed).toMatchObject({
      traderAddr: alice.address,
      symbol: 'BTC/USDC',
      balance: '2000000000000000000000',
      rid: portfolio.rids[0],
      liquidity: String(portfolio.ranges[0]?.liquidity),
    })
    expect(BigInt(listed.lowerPrice)).toBeLessThan(BigInt(listed.entryPrice))
    const { tickLower, tickUpper } = listed
    await desk.done(alice, 'remove-liquidity', { ...PAIR, tickLower, tickUpper, slippageBps: 100 })
    expect((await ask(alice, 'liquidity/list')).data).toEqual([])
    const { list, totalCount } = (await ask(alice, 'liquidity/history')).data
    expect(totalCount).toBe(2)
    expect(list).toMatchObject([
      { type: 1, typeString: 'remove', lowerTick: tickLower, upperTick: tickUpper },
      { type: 0, typeString: 'add', amount: '2000000000000000000000', feeEarned: '0', fairPrice: listed.entryPrice },
    ])
  })
})

describe('money', () => {
  it('is told movement by movement, by kind and by time', async () => {
    await desk.done(alice, 'deposit', { quote: 'USDC', amount: '1500.25' })
    await desk.done(alice, 'withdraw', { quote: 'USDC', amount: '0.5' })
    const { list, totalCount } = (await ask(alice, 'account/deposit-withdraw', { size: 2 })).data
    expect(list).toMatchObject([
      { type: 1, typeString: 'withdraw', value: '0.5', valueUsd: '0.5', tokenInfo: { symbol: 'USDC' } },
      { type: 0, typeString: 'deposit', value: '1500.25', tokenAddress: desk.usdc },
    ])
    const withdrawals = (await ask(alice, 'account/deposit-withdraw', { type: 'withdraw' })).data
    expect(withdrawals.totalCount).toBe(1)
    const deposits = (await ask(alice, 'account/deposit-withdraw', { type: 'deposit' })).data
    expect(deposits.totalCount).toBe(totalCount - 1)

    const all = (await ask(alice, 'account/transaction-history', { size: 100 })).data
    expect(all.list).toHaveLength(all.totalCount)
    const kinds = new Set(all.list.map(({ typeString }: { typeString: string }) => typeString))
    for (const kind of ['deposit', 'withdraw', 'scatter', 'gather', 'fee']) expect(kinds).toContain(kind)
    const scatters = all.list.filter(({ typeString }: { typeString: string }) => typeString === 'scatter')
    const asked = (await ask(alice, 'account/transaction-history', { type: 'scatter', size: 100 })).data
    expect(asked).toEqual({ list: scatters, totalCount: scatters.length })
    const since = all.list[0].timestamp
    const newest = all.list.filter(({ timestamp }: { timestamp: number }) => timestamp >= since)
    const late = (await ask(alice, 'account/transaction-history', { startTime: since, size: 100 })).data
    expect(late).toEqual({ list: newest, totalCount: newest.length })
    const none = (await ask(alice, 'account/transaction-history', { endTime: 1 })).data
    expect(none).toEqual({ list: [], totalCount: 0 })
  })

  it('adds up to what Gate has in reserve', async () => {
    const { list } = (await ask(alice, 'account/transaction-history', { size: 100 })).data
    const sign: Readonly<Record<string, bigint>> = { deposit: 1n, gather: 1n, release: 1n, withdraw: -1n, scatter: -1n }
    const total = list.reduce(
      (sum: bigint, { typeString, value }: { typeString: string; value: string }) =>
        sum + (sign[typeString] ?? 0n) * BigInt(Math.round(Number(value) * 1e6)),
      0n,
    )
    const reserve = await alice.node.readContract({
      address: desk.chain.contract('Gate'),
      abi: gateAbi,
      functionName: 'reserveOf' as const,
      args: [desk.usdc, alice.address],
    })
    expect(total).toBe(reserve)
  })
})

describe('pages', () => {
  it('follow each other without a gap, of all instruments and of one', async () => {
    const whole = (await ask(bob, 'execution/list', { size: 200 })).data
    expect(whole.totalCount).toBe(whole.list.length)
    expect(whole.totalCount).toBeGreaterThan(1)
    const pages: unknown[] = []
    for (let page = 1; page <= whole.totalCount; page++) {
      const { list, totalCount } = (await ask(bob, 'execution/list', { page, size: 1 })).data
      expect(totalCount).toBe(whole.totalCount)
      pages.push(...list)
    }
    expect(pages).toEqual(whole.list)
    expect((await ask(bob, 'execution/list', { page: whole.totalCount + 1, size: 1 })).data.list).toEqual([])
    expect((await ask(bob, 'execution/list', { symbol: 'BTC/USDC', size: 200 })).data).toEqual(whole)
    expect((await ask(bob, 'execution/list', { symbol: 'ETH/USDC' })).data).toEqual({ list: [], totalCount: 0 })
  })
})

describe('the older names', () => {
  it.each([
    ['position/list', 'position/list'],
    ['order/realtime', 'order/realtime'],
    ['order/history', 'order/history'],
    ['execution/list', 'execution/list'],
    ['liquidity/list', 'liquidity/list'],
    ['liquidity/history', 'liquidity/history'],
    ['account/transaction-history', 'account/deposit-withdraw'],
  ])('mm/%s answers as trader/%s', async (older, path) => {
    await recorded.caughtUp()
    const query = { chainId: 31_337, address: alice.address }
    // Both must be of one block: what a position has earned differs with the next.
    for (;;) {
      const theirs = await recorded.get(`mm/${older}`, query, alice.address)
      const ours = await recorded.get(`trader/${path}`, {}, alice.address)
      expect([theirs.code, ours.code]).toEqual([0, 0])
      if (theirs.blockInfo?.height !== ours.blockInfo?.height) continue
      expect(theirs.data).toEqual(ours.data)
      return
    }
  })
})

describe('the published client’s reads without a key', () => {
  const ofAlice = (path: string, query: Readonly<Record<string, string | number>> = {}) =>
    recorded.get(path, { chainId: 31_337, userAddress: alice.address, ...query }, 'nobody at all')

  it.each([
    ['history/trade', 'execution/list'],
    ['history/order', 'order/history'],
    ['history/liquidity', 'liquidity/history'],
    ['history/fundFlow', 'account/deposit-withdraw'],
  ])('%s has the rows of %s', async (path, keyed) => {
    await recorded.caughtUp()
    const ours = await recorded.get(`trader/${keyed}`, { size: 50 }, alice.address)
    expect(ours.data.totalCount).toBeGreaterThan(0)
    const answer = await ofAlice(path, { page: 1, size: 60 })
    expect([answer.msg, answer.data]).toEqual(['', ours.data])
    expect((await ofAlice(path, { download: 'true' })).data).toEqual(ours.data)
  })

  it('tells transfers, funding and one pair', async () => {
    const transfers = (await ofAlice('history/transfer', { size: 1000 })).data
    const kinds = new Set(transfers.list.map(({ typeString }: { typeString: string }) => typeString))
    expect([...kinds].sort()).toEqual(['gather', 'scatter'])
    expect(transfers.list[0]).toMatchObject({
      symbol: 'BTC/USDC',
      instrumentAddress: desk.btc,
      expiry: PERPETUAL_EXPIRY,
    })
    const ofPair = await ofAlice('history/order', { instrumentAddress: desk.btc, expiry: PERPETUAL_EXPIRY })
    expect(ofPair.data.totalCount).toBe(2)
    expect((await ofAlice('history/order', { instrumentAddress: alice.address })).code).toBe(40002)
    expect((await ofAlice('history/order', { expiry: 5 })).data).toEqual({ list: [], totalCount: 0 })
    expect((await ofAlice('history/order', { expiry: PERPETUAL_EXPIRY })).data).toEqual(ofPair.data)
    expect((await recorded.get('history/order', {}, 'nobody')).code).toBe(40001)
    expect((await ofAlice('portfolio', { chainId: 1 })).code).toBe(40001)
  })

  it.each(['history/transfer', 'history/funding'])('%s is told of a pair, of an expiry and of all', async (path) => {
    const whole = (await ofAlice(path, { size: 1000 })).data
    const pair = { instrumentAddress: desk.btc, expiry: PERPETUAL_EXPIRY }
    for (const query of [pair, { instrumentAddress: desk.btc }, { expiry: PERPETUAL_EXPIRY }]) {
      expect((await ofAlice(path, { ...query, size: 1000 })).data).toEqual(whole)
      const second = (await ofAlice(path, { ...query, size: 1, page: 2 })).data
      expect(second).toEqual({ list: whole.list.slice(1, 2), totalCount: whole.totalCount })
    }
    const eth = await desk.chain.instrument('ETH/USDC')
    for (const query of [{ instrumentAddress: eth }, { ...pair, expiry: 5 }, { expiry: 5 }]) {
      expect((await ofAlice(path, query)).data).toEqual({ list: [], totalCount: 0 })
    }
    expect((await ofAlice(path, { instrumentAddress: alice.address })).code).toBe(40002)
  })

  it('takes a pair for money of Gate, which is of none', async () => {
    const { data } = await ofAlice('history/fundFlow', { instrumentAddress: desk.btc, expiry: 5 })
    expect(data).toEqual((await ofAlice('history/fundFlow')).data)
  })

  it.each(['trade', 'order', 'liquidity', 'fundFlow', 'funding', 'transfer'])(
    'history/%s refuses a time in milliseconds, and one that ends before it begins',
    async (name) => {
      for (const [query, reason] of [
        [{ startTime: 1_764_000_000_000 }, 'request_invalid'],
        [{ endTime: 1_764_000_000_000 }, 'request_invalid'],
        [{ startTime: 20, endTime: 10 }, 'perp_range_invalid'],
      ] as const) {
        const refused = await ofAlice(`history/${name}`, query)
        expect([refused.status, refused.code, refused.reason]).toEqual([400, 40001, reason])
      }
    },
  )

  it('tells what an account holds, pair by pair', async () => {
    await desk.done(alice, 'limit', { ...PAIR, size: '0.02', price: '55000', side: 2, leverage: '5' })
    await recorded.caughtUp()
    const { data, blockInfo } = await ofAlice('portfolio')
    const orders = await ask(alice, 'order/realtime')
    expect(data.address).toBe(alice.address)
    expect(data.portfolios).toMatchObject([
      { instrumentAddr: desk.btc, expiry: PERPETUAL_EXPIRY, traderAddr: alice.address, blockInfo, orders: orders.data },
    ])
    expect(data.instruments).toMatchObject([{ instrumentAddr: desk.btc, symbol: 'BTC-USDC-LINK' }])
    const none = await recorded.get('portfolio', { userAddress: `0x${'0'.repeat(39)}9` }, 'nobody')
    expect(none.data).toEqual({ address: `0x${'0'.repeat(39)}9`, instruments: [], portfolios: [] })
  })
})

const RECORDS = [
  ...['position/list', 'order/realtime', 'order/history', 'execution/list', 'liquidity/list', 'liquidity/history'],
  ...['account/deposit-withdraw', 'account/transaction-history'],
]

describe('is refused', () => {
  it.each(RECORDS)(
    '%s of another wallet, without a wallet, on another chain, and with what it does not know',
    async (path) => {
      const as = (query: Readonly<Record<string, string | number>>, key: string = alice.address) =>
        recorded.get(`trader/${path}`, query, key)
      const other = await as({ address: bob.address })
      expect([other.status, other.code, other.reason, other.data]).toEqual([403, 40301, 'user_not_bound', {}])
      expect(other.msg).toContain('address must be')
      expect(other.msg).not.toContain('userAddress')
      expect((await as({ address: alice.address.toUpperCase().replace('0X', '0x') })).status).toBe(200)
      const nobody = await as({}, 'nobody')
      expect([nobody.status, nobody.code, nobody.reason]).toEqual([403, 40301, 'key_not_bound'])
      expect((await as({}, 'stranger')).status).toBe(401)
      for (const query of [{ chainId: 1 }, { address: '0x12' }, { colour: 'red' }]) {
        const wrong = await as(query)
        expect([wrong.status, wrong.code, wrong.data]).toEqual([400, 40001, {}])
      }
    },
  )

  it.each(['order/history', 'execution/list', 'liquidity/history', 'account/transaction-history'])(
    '%s with a page that there cannot be',
    async (path) => {
      for (const query of [
        { page: 0 },
        { size: 0 },
        { size: 201 },
        { page: '1.5' },
        { startTime: -1 },
        { startTime: 1_764_000_000_000 },
        { startTime: 20, endTime: 10 },
        { page: 'x' },
      ]) {
        expect((await recorded.get(`trader/${path}`, query, alice.address)).code).toBe(40001)
      }
    },
  )

  it('an unknown symbol, and an order that is not the wallet’s', async () => {
    expect((await recorded.get('trader/order/realtime', { symbol: 'DOGE/USDC' }, alice.address)).code).toBe(40002)
    const [mine] = (await ask(alice, 'order/history')).data.list
    const foreign = await recorded.get('trader/order/byId', { orderId: mine.id }, bob.address)
    expect([foreign.status, foreign.code, foreign.reason]).toEqual([400, 40401, 'order_unknown'])
    const loose = await ask(alice, 'order/history', { expiry: 1_900_000_000 })
    expect(loose.data).toEqual({ list: [], totalCount: 0 })
    const dated = { symbol: 'BTC/USDC', expiry: 1_900_000_000 }
    expect((await ask(alice, 'order/history', dated)).data).toEqual({ list: [], totalCount: 0 })
    for (const orderId of ['x', '-1', '01', '99999999999999999999']) {
      expect((await recorded.get('trader/order/byId', { orderId }, alice.address)).code).toBe(40001)
    }
    expect((await recorded.get('trader/order/byId', { orderId: '9999999999999999999' }, alice.address)).code).toBe(
      40401,
    )
  })
})

describe('an order that was taken whole', () => {
  it('is filled when a cancel makes it a position, as One Click does', async () => {
    await desk.done(alice, 'limit', { ...PAIR, size: '0.02', price: '59700', side: 2, leverage: '5' })
    const [placed] = await open(alice)
    await trade(bob, 1, formatUnits(3n * 10n ** 16n - (await toTick(placed.tick)), 18))
    expect((await open(alice))[0]).toMatchObject({ orderId: placed.orderId, status: 'filled' })
    await desk.done(alice, 'cancel', { ...PAIR, oid: String(placed.oid) })
    const [ended] = (await ask(alice, 'order/history', { size: 1 })).data.list
    expect(ended).toMatchObject({
      id: placed.orderId,
      type: 1,
      typeString: 'filled',
      takenSize: ended.size,
      cancelTimestamp: 0,
      cancelTxHash: '',
    })
    expect(ended.fillTimestamp).toBeGreaterThan(0)
    const [execution] = (await ask(alice, 'execution/list', { size: 1 })).data.list
    expect(execution).toMatchObject({ typeString: 'fill', event: 'Cancel', txHash: ended.fillTxHash })
  })
})
