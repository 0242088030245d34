import {
  type Abi,
  decodeErrorResult,
  encodeFunctionData,
  formatUnits,
  type Log,
  parseEventLogs,
  parseUnits,
} from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cashierAbi } from '../src/chain/abi/cashier.ts'
import { complianceAbi } from '../src/chain/abi/compliance.ts'
import { stockAbi } from '../src/chain/abi/stock.ts'
import { stockRouterAbi } from '../src/chain/abi/stock-router.ts'
import { stockTokenAbi } from '../src/chain/abi/stock-token.ts'
import { type Client, eventually } from './client.ts'
import { Trader } from './trader.ts'
import { startVenue, type Venue } from './venue.ts'
import { type CalldataResult, Wallet } from './wallet.ts'

type Hex = `0x${string}`

// Each transaction that the API builds is sent to the real contracts, and each preview is held against what they then did.

const ABI: Abi = [...stockRouterAbi, ...stockAbi, ...cashierAbi, ...stockTokenAbi, ...complianceAbi]
const FAR_FUTURE = 4_000_000_000
const GAS = 2_000_000n

let venue: Venue
let trader: Trader
let unbound: Client
beforeAll(async () => {
  venue = await startVenue()
  trader = new Trader(venue, venue.client, 0)
  unbound = venue.client.as(await venue.createKey({ access: 'WRITABLE' }))
  await trader.fund(1_000_000n)
})
afterAll(() => venue?.stop())

const aapl = () => trader.contract('aAAPL')
const usdc = () => trader.contract('USDC')
const router = () => trader.contract('StockRouter')

const order = (terms: object) => ({ stockAddress: aapl(), deadline: FAR_FUTURE, ...terms })
const market = (terms: object) => order({ type: 'Market', ...terms })
const limit = (side: string, quantity: string, price: string) =>
  order({ type: 'Limit', side, quantity, price, timeInForce: 'DAY' })
const moved = (tokenAmount: string) => ({ userAddress: trader.address, tokenAddress: aapl(), tokenAmount })

interface Preview {
  readonly method: string
  readonly blockNumber: number
  readonly blockHash: Hex
  readonly succeeds: boolean
  readonly reverts: { name: string; args: Record<string, string>; explanation: string } | null
  readonly lock: { asset: string; amount: number }
  readonly expectedFill: { quantity: number; feeAmount: number; fillsNow: boolean } | null
  readonly deposit: { creditAmount: number; isInstant: boolean } | null
}

const preview = (body: object, client = venue.client, user = trader.address): Promise<Preview> =>
  client.data(client.post<Preview>('/api/v1/orders/preview', { userAddress: user, ...body }))

const build = (path: string, body: object): Promise<CalldataResult> =>
  venue.client.data(venue.client.post<CalldataResult>(`/api/v1${path}`, body))

interface Sent {
  readonly hash: Hex
  /** Arguments of the events of the transaction, by name. */
  event(name: string): Record<string, unknown>
}

/** Signs and sends what the API built; throws unless it is mined with success. */
async function submit(calldata: CalldataResult): Promise<Sent> {
  expect(calldata).toMatchObject({ toAddress: router(), value: '0', chainId: 31_337 })
  const hash = await trader.wallet.submit(calldata)
  const { logs } = await trader.wallet.chain.getTransactionReceipt({ hash })
  const events = parseEventLogs({ abi: ABI, logs: logs as Log[] })
  return {
    hash,
    event(name) {
      const found = events.find(({ eventName }) => eventName === name)
      if (!found) throw new Error(`no ${name} among ${events.map(({ eventName }) => eventName).join(', ')}`)
      return found.args as unknown as Record<string, unknown>
    },
  }
}

/** Sends a transaction that reverts; answers the contract's error as the node's trace has it. */
async function revertOf(wallet: Wallet, calldata: CalldataResult): Promise<{ name: string; args: string[] }> {
  const hash = await wallet.send(calldata, GAS)
  const { status } = await wallet.chain.waitForTransactionReceipt({ hash })
  expect(status).toBe('reverted')
  const tracer = { tracer: 'callTracer', tracerConfig: { onlyTopCall: true } }
  const request = { method: 'debug_traceTransaction', params: [hash, tracer] } as never
  const { output } = (await wallet.chain.request(request)) as { output: Hex }
  const { errorName, args } = decodeErrorResult({ abi: ABI, data: output })
  return { name: errorName, args: (args ?? []).map(String) }
}

const record = (txHash: Hex) => venue.client.data(venue.client.post('/api/v1/orders/tx', { txHash }))

/** Previews, builds, sends; the chain locked what the preview said. */
async function placed(path: string, body: object, event: string): Promise<Sent & { readonly orderId: Hex }> {
  const before = await preview(body)
  expect([before.succeeds, before.reverts]).toEqual([true, null])
  const block = await trader.wallet.chain.getBlock({ blockNumber: BigInt(before.blockNumber) })
  expect(block.hash).toBe(before.blockHash)
  const calldata = await build(path, body)
  expect(calldata.method).toBe(before.method)
  const sent = await submit(calldata)
  const { lockedAmount, orderId } = sent.event(event) as { lockedAmount: bigint; orderId: Hex }
  expect(String(before.lock.amount)).toBe(formatUnits(lockedAmount, 18))
  await record(sent.hash)
  return { ...sent, orderId }
}

const balances = async (user = trader.address) => {
  const { chain } = trader.wallet
  const [stock, token] = [trader.contract('Stock'), trader.contract('aAAPL')]
  const held = { address: stock, abi: stockAbi, functionName: 'stockBalance', args: [user, aapl()] } as const
  const owned = { address: token, abi: stockTokenAbi, functionName: 'balanceOf', args: [user] } as const
  return { exchange: await chain.readContract(held), wallet: await chain.readContract(owned) }
}

describe('before there is cash', () => {
  it('a preview reverts by name as the chain then does', async () => {
    for (const body of [limit('Buy', '2', '10'), market({ side: 'Buy', notional: '50' })]) {
      const { succeeds, reverts, lock } = await preview(body)
      expect([succeeds, reverts?.name, lock.asset]).toEqual([false, 'InsufficientBalanceWad', 'mUSD'])
      expect(reverts?.explanation).toMatch(/Deposit cash first/)
      expect(await revertOf(trader.wallet, await build('/orders/calldata', body))).toEqual({
        name: reverts?.name,
        args: [],
      })
    }
  })
})

describe('orders with a deposit', () => {
  it('a market buy deposits and locks in one transaction', async () => {
    const body = market({ side: 'Buy', notional: '2000', depositTokenAddress: usdc(), depositAmount: '2500' })
    expect((await preview(body)).deposit).toMatchObject({ creditAmount: 2500, isInstant: true })
    const { event, hash } = await placed('/orders/with-deposit/calldata', body, 'MarketOrderPlaced')
    expect(event('DepositAndMarketBuy')).toMatchObject({
      user: trader.address,
      depositAmount: 2_500_000_000n,
      usdAmount: parseUnits('2000', 18),
    })
    const ended = await eventually(
      () => trader.order(hash),
      ({ historyOrder }) => historyOrder !== null,
    )
    expect(ended.orderStatus).toBe('Filled')
  })

  it('a limit buy too, and it rests below the market', async () => {
    const body = { ...limit('Buy', '3', '12.5'), depositTokenAddress: usdc(), depositAmount: '100' }
    expect((await preview(body)).expectedFill?.fillsNow).toBe(false)
    const { event } = await placed('/orders/with-deposit/calldata', body, 'LimitOrderPlaced')
    expect(event('DepositAndLimitBuy')).toMatchObject({
      depositAmount: 100_000_000n,
      quantity: parseUnits('3', 18),
      price: parseUnits('12.5', 18),
    })
  })

  it.each([
    ['DepositNotInstant', { notional: '50' }, '900000', 'deposit_not_instant'],
    ['InsufficientDepositForOrder', { notional: '50' }, '50', 'deposit_too_small'],
  ])(
    '%s is refused at the build, shown by the preview, and what the chain says',
    async (name, terms, amount, reason) => {
      const body = market({ side: 'Buy', ...terms, depositTokenAddress: usdc(), depositAmount: amount })
      const answer = await venue.client.post('/api/v1/orders/with-deposit/calldata', body)
      expect([answer.body.code, answer.headers.get('x-error-reason')]).toEqual([10_000, reason])
      const { reverts, method } = await preview(body)
      expect([reverts?.name, method]).toEqual([name, 'depositAndMarketBuy'])
      const args = [usdc(), parseUnits(amount, 6), aapl(), parseUnits(terms.notional, 18), FAR_FUTURE] as const
      const callData = encodeFunctionData({ abi: stockRouterAbi, functionName: 'depositAndMarketBuy', args })
      const calldata = { chainId: 31_337, productType: 'Bourse', toAddress: router(), value: '0', callData, method }
      expect(await revertOf(trader.wallet, calldata)).toEqual({ name, args: [] })
    },
  )
})

describe('a limit order', () => {
  let resting: { hash: Hex; orderId: Hex }

  it('locks its notional with the fees and rests', async () => {
    resting = await placed('/orders/calldata', limit('Buy', '2', '10.25'), 'LimitOrderPlaced')
    const { openOrder } = await eventually(
      () => trader.order(resting.hash),
      ({ orderId }) => orderId !== null,
    )
    expect(openOrder).toMatchObject({ filledQuantity: 0, status: 'open' })
  })

  it('is asked to be cancelled once, by its owner alone', async () => {
    const path = `/api/v1/orders/${resting.orderId}/calldata`
    const stranger = await unbound.send('DELETE', path)
    expect([stranger.body.code, stranger.headers.get('x-error-reason')]).toEqual([10_002, 'order_not_owned'])
    const calldata = await venue.client.data(venue.client.send<CalldataResult>('DELETE', path))
    expect(calldata.method).toBe('cancelLimitOrder')
    const { event } = await submit(calldata)
    expect(event('CancelRequested')).toEqual({ orderId: resting.orderId })
    // Until the broker has answered, a second request reverts; afterwards there is no such order.
    expect(['CancelAlreadyRequested', 'OrderNotFound']).toContain((await revertOf(trader.wallet, calldata)).name)
    const refused = await eventually(
      () => venue.client.send('DELETE', path),
      ({ body }) => body.code !== 200,
    )
    expect(['cancel_already_requested', 'order_not_open']).toContain(refused.headers.get('x-error-reason'))
  })

  it('of another time in force reverts, as the seed says, however it was built', async () => {
    const args = [aapl(), parseUnits('1', 18), parseUnits('10', 18), 1, FAR_FUTURE] as const
    const callData = encodeFunctionData({ abi: stockRouterAbi, functionName: 'placeLimitOrder', args })
    const method = 'placeLimitOrder'
    const calldata = { chainId: 31_337, productType: 'Bourse', toAddress: router(), value: '0', callData, method }
    expect(await revertOf(trader.wallet, calldata)).toEqual({ name: 'TimeInForceNotSupported', args: ['1'] })
  })
})

describe('stock', () => {
  it('moves to the wallet and back', async () => {
    const before = await balances()
    expect(before.exchange).toBeGreaterThan(parseUnits('4', 18))
    const out = await submit(await build('/stock/withdrawals/calldata', moved('4')))
    expect(out.event('StockWithdrawn')).toMatchObject({ user: trader.address, amount: parseUnits('4', 18) })
    expect(await balances()).toEqual({ exchange: before.exchange - parseUnits('4', 18), wallet: parseUnits('4', 18) })

    const deposit = await build('/stock/deposits/calldata', moved('1.5'))
    expect((await revertOf(trader.wallet, deposit)).name).toBe('ERC20InsufficientAllowance')
    await trader.wallet.approve(aapl(), router(), parseUnits('1000', 18))
    const back = await submit(deposit)
    expect(back.event('StockDeposited')).toMatchObject({ user: trader.address, amount: parseUnits('1.5', 18) })
    expect((await balances()).wallet).toBe(parseUnits('2.5', 18))
  })

  it('is deposited and sold in one transaction, at the market or at a limit', async () => {
    const sell = market({ side: 'Sell', quantity: '1', depositAmount: '1' })
    const sold = await placed('/orders/with-deposit/calldata', sell, 'MarketOrderPlaced')
    expect(sold.event('DepositStockAndMarketSell')).toMatchObject({
      user: trader.address,
      depositAmount: parseUnits('1', 18),
      quantity: -parseUnits('1', 18),
    })
    const above = { ...limit('Sell', '0.5', '100000'), depositAmount: '1.5' }
    const resting = await placed('/orders/with-deposit/calldata', above, 'LimitOrderPlaced')
    expect(resting.event('DepositStockAndLimitSell')).toMatchObject({
      depositAmount: parseUnits('1.5', 18),
      quantity: -parseUnits('0.5', 18),
      price: parseUnits('100000', 18),
    })
    expect((await balances()).wallet).toBe(0n)
  })

  it('that is not there to sell or to take reverts as the preview says', async () => {
    const sells: [string, object][] = [
      ['/orders/calldata', market({ side: 'Sell', quantity: '5000' })],
      ['/orders/calldata', limit('Sell', '5000', '1')],
      ['/orders/with-deposit/calldata', market({ side: 'Sell', quantity: '3', depositAmount: '3' })],
      ['/orders/with-deposit/calldata', { ...limit('Sell', '4000', '1'), depositAmount: '4000' }],
    ]
    const names: string[] = []
    for (const [path, body] of sells) {
      const { reverts, lock } = await preview(body)
      expect(lock.asset).toBe('aAAPL')
      const chain = await revertOf(trader.wallet, await build(path, body))
      expect(reverts).toMatchObject({ name: chain.name })
      expect(Object.values(reverts?.args ?? {})).toEqual(chain.args)
      names.push(chain.name)
    }
    expect(names).toEqual([
      'InsufficientStockBalance',
      'InsufficientStockBalance',
      'ERC20InsufficientBalance',
      'ERC20InsufficientAllowance',
    ])
  })
})

it('a wallet that is not approved is told so before it sends', async () => {
  const stranger = new Wallet(venue.rpcUrl, generatePrivateKey())
  const funds = [stranger.account.address, '0xde0b6b3a7640000']
  await stranger.chain.request({ method: 'anvil_setBalance', params: funds } as never)
  const body = limit('Buy', '1', '10')
  const { reverts } = await preview(body, unbound, stranger.account.address)
  expect(reverts).toMatchObject({ name: 'UserNotApproved', args: {} })
  expect(await revertOf(stranger, await build('/orders/calldata', body))).toEqual({ name: 'UserNotApproved', args: [] })
})
