import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toHex } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createRpc, type Rpc } from '../../chain/rpc.ts'
import { RpcError } from '../../chain/rpc-error.ts'
import { freePort } from '../../lib/free-port.ts'
import { createLogger } from '../../lib/logger.ts'
import { WAD } from '../../lib/wad.ts'
import { alwaysOpen } from '../../market/hours.ts'
import { pollQuotes } from '../../market/tasks.ts'
import { ScriptedNode, serveApi } from '../testing/api.ts'
import { AAPL, ALICE, BOB, MSFT, ROUTER, TestChain, USDC } from '../testing/chain.ts'
import { KeeperWorld, START_MS } from '../testing/keeper.ts'

let world: KeeperWorld
let node: ScriptedNode
beforeAll(async () => {
  world = await KeeperWorld.open()
  const quote = { symbol: 'AAPL', price8: 180_00000000n, bid8: 179_00000000n, ask8: 181_00000000n }
  const latestQuotes = async () => [{ ...quote, volumeWad: 0n, timeMs: START_MS - 5_000 }]
  const source = { name: 'test', symbols: () => [], latestQuotes }
  const market = { source, clock: world.venue.clock, hours: alwaysOpen }
  await pollQuotes({ sql: world.sql, log: createLogger('silent') }, market)
}, 60_000)
beforeEach(() => {
  node = new ScriptedNode()
})
afterAll(() => world?.drop())

const deadline = START_MS / 1000 + 600
const order = { userAddress: ALICE, stockAddress: AAPL, deadline }
const marketBuy = { ...order, side: 'Buy', type: 'Market', notional: '100' }
const marketSell = { ...order, side: 'Sell', type: 'Market', quantity: '2' }
const limit = { ...order, type: 'Limit', quantity: '2', timeInForce: 'DAY' }
const limitBuy = { ...limit, side: 'Buy', price: '180.50' }

async function preview(body: object, key = 'bound', rpc: Rpc = node) {
  const api = await serveApi({ ...world.venue, rpc })
  try {
    return await api.post('/orders/preview', body, key)
  } finally {
    await api.close()
  }
}

describe('the preview of an order', () => {
  it('is asked of the contracts, by the user, at one block that it names', async () => {
    const { code, data } = await preview(limitBuy)
    expect(code).toBe(200)
    expect(data).toMatchObject({
      chainId: 31_337,
      productType: 'Bourse',
      userAddress: ALICE,
      method: 'placeLimitOrder',
      blockNumber: 16,
      blockHash: `0x${'b1'.repeat(32)}`,
      blockTimestamp: 0x6b49d200,
      succeeds: true,
      reverts: null,
      deposit: null,
      lock: { asset: 'mUSD', amount: 361.3971 },
      fees: { thirdPartyFeeRate: 0.001, protocolFeeRate: 0.0001 },
    })
    const at = { blockHash: `0x${'b1'.repeat(32)}` }
    for (const { params } of node.asked) expect(params[1]).toEqual(at)
    const [simulated, lock] = node.asked
    expect(simulated).toMatchObject({ name: 'placeLimitOrder', params: [{ from: ALICE, to: ROUTER }, at] })
    expect(lock).toMatchObject({ name: 'previewLimitLock', args: [2n * WAD, 180_500_000_000_000_000_000n] })
    // Each request to the node has an end.
    expect([...node.timeoutsMs]).toEqual([5_000])
  })

  it.each([
    ['a market buy', marketBuy, { fillsNow: true, price: 181, quantity: 0.552486187, notional: 99.999999847 }],
    ['a market sell', marketSell, { fillsNow: true, price: 179, quantity: 2, notional: 358, thirdPartyFee: 0 }],
    ['a limit buy above the ask', { ...limitBuy, price: '190' }, { fillsNow: true, price: 181, notional: 362 }],
    ['a limit buy at the ask', { ...limitBuy, price: '181' }, { fillsNow: true, price: 181, notional: 362 }],
    ['a limit buy below it', limitBuy, { fillsNow: false, price: 180.5, notional: 361, feeAmount: 0.3971 }],
    ['a limit sell below the bid', { ...limit, side: 'Sell', price: '1' }, { fillsNow: true, price: 179 }],
    ['a limit sell above it', { ...limit, side: 'Sell', price: '200' }, { fillsNow: false, price: 200, notional: 400 }],
  ])('expects a fill of %s at the current price or its limit', async (_name, body, fill) => {
    const { data } = await preview(body)
    expect(data.expectedFill).toMatchObject(fill)
    expect(data.currentPrice).toEqual({ price: 180, bid: 179, ask: 181, updatedAt: START_MS / 1000 - 5 })
    const { thirdPartyFee, protocolFee, feeAmount } = data.expectedFill
    expect(thirdPartyFee + protocolFee).toBeCloseTo(feeAmount, 12)
  })

  it('has no price before the first quote; a limit order then has its own', async () => {
    const market = await preview({ ...marketBuy, stockAddress: MSFT })
    expect(market.data).toMatchObject({ succeeds: true, currentPrice: null, expectedFill: null })
    const { data } = await preview({ ...limitBuy, stockAddress: MSFT })
    expect(data).toMatchObject({ currentPrice: null, expectedFill: { fillsNow: false, price: 180.5 } })
  })

  it('prints what is too fine for a float', async () => {
    node.answer('previewLock', 100_110_000_000_000_000_001n)
    const { text } = await preview(marketBuy)
    expect(text).toContain('"amount":100.110000000000000001')
    expect(text).toContain('"unspentNotional":0.000000153')
  })

  it('says what really fills: what is finer than the broker trades is left, and a quantity of dust fills nothing', async () => {
    const dusty = await preview({ ...marketSell, quantity: '2.0000000019' })
    expect(dusty.data.expectedFill).toMatchObject({ fillsNow: true, quantity: 2.000000001, unfilledQuantity: 9e-10 })
    const dust = await preview({ ...marketSell, quantity: '0.0000000009' })
    expect(dust.data.expectedFill).toMatchObject({ fillsNow: false, quantity: 0, unfilledQuantity: 9e-10 })
    const cents = await preview({ ...marketBuy, notional: '0.0000001' })
    expect(cents.data.expectedFill).toMatchObject({ fillsNow: false, quantity: 0, unspentNotional: 1e-7 })
  })

  it('with a deposit shows its credit, and whether it is instant', async () => {
    const deposit = { depositTokenAddress: USDC, depositAmount: '500.5' }
    const instant = await preview({ ...marketBuy, ...deposit })
    expect(instant.data).toMatchObject({
      method: 'depositAndMarketBuy',
      deposit: { tokenAddress: USDC, amount: 500.5, creditAmount: 500, isInstant: true },
    })
    node.answer('canInstantDeposit', false)
    node.revert('depositAndMarketBuy', 'DepositNotInstant')
    const queued = await preview({ ...marketBuy, ...deposit })
    expect(queued).toMatchObject({ code: 200, data: { succeeds: false, deposit: { isInstant: false } } })
    expect(queued.data.reverts.name).toBe('DepositNotInstant')
    const { data } = await preview({ ...marketSell, depositAmount: '3' })
    const sell = { tokenAddress: AAPL, amount: 3, creditAmount: 3, isInstant: true }
    expect(data).toMatchObject({ method: 'depositStockAndMarketSell', deposit: sell, lock: { asset: 'aAAPL' } })
  })
})

describe('a revert is an answer', () => {
  it('with the error’s name, its arguments, and what would be right', async () => {
    node.revert('placeMarketOrder', 'InsufficientBalanceWad')
    const { status, code, data } = await preview(marketBuy)
    expect([status, code]).toEqual([200, 200])
    expect(data).toMatchObject({
      succeeds: false,
      reverts: { name: 'InsufficientBalanceWad', args: {}, explanation: expect.stringMatching(/Deposit cash first/) },
      lock: { amount: 100.11 },
    })
    node.revert('depositStockAndMarketSell', 'ERC20InsufficientAllowance', [ROUTER, 1n, 3n * WAD])
    const allowance = await preview({ ...marketSell, depositAmount: '3' })
    expect(allowance.data.reverts).toMatchObject({
      name: 'ERC20InsufficientAllowance',
      args: { spender: expect.stringMatching(/^0x1{40}$/), allowance: '1', needed: '3000000000000000000' },
    })
  })

  it('also when it says nothing', async () => {
    const halted = { code: -32_000, message: 'execution reverted' }
    node.fail('placeMarketOrder', new RpcError('rpc_error', 'eth_call', 'reverted', { rpc: halted }))
    expect((await preview(marketBuy)).data.reverts).toMatchObject({ name: 'Unknown', args: { data: '0x' } })
  })
})

describe('a node that gives no sound answer is an error, never a figure', () => {
  const MESSAGE =
    /the chain node gives no sound answer, so the order cannot be previewed; nothing older is shown instead/
  async function expectUnreachable(rpc: Rpc = node) {
    const answer = await preview(marketBuy, 'bound', rpc)
    expect(answer).toMatchObject({ status: 400, code: 10_003, reason: 'chain_unreachable', data: null })
    expect(answer.errMsg).toMatch(MESSAGE)
  }

  it('when it is not there', async () => {
    await expectUnreachable(createRpc({ url: `http://127.0.0.1:${await freePort()}` }))
  })

  it('when it accepts and never answers', async () => {
    const silent = createServer(() => {})
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as AddressInfo
    await expectUnreachable(createRpc({ url: `http://127.0.0.1:${port}` }))
    silent.closeAllConnections()
    await new Promise((resolve) => silent.close(resolve))
  })

  it.each(['placeMarketOrder', 'previewLock', 'feeRates'])('when %s times out', async (name) => {
    node.fail(name, new RpcError('rpc_timeout', 'eth_call', 'no answer'))
    await expectUnreachable()
  })

  it('when the block it named is gone after a reorganisation', async () => {
    const gone = { code: -32_000, message: 'header for hash not found' }
    node.fail('previewLock', new RpcError('rpc_error', 'eth_call', gone.message, { rpc: gone }))
    await expectUnreachable()
  })

  it.each([
    [null],
    [{}],
    [{ number: '0x1', hash: '0x12', timestamp: '0x1' }],
    [{ number: null, hash: `0x${'b1'.repeat(32)}`, timestamp: '0x1' }],
  ])('when its newest block is %j', async (block) => {
    node.block = block
    await expectUnreachable()
  })

  it('when it stands behind what the venue has indexed', async () => {
    const timestampSec = TestChain.timestampSec(world.chain.head.number)
    node.block = { number: '0x1', hash: `0x${'b0'.repeat(32)}`, timestamp: toHex(timestampSec - 1) }
    await expectUnreachable()
    expect(node.asked).toHaveLength(0)
    node.block = { number: '0x2', hash: `0x${'b0'.repeat(32)}`, timestamp: toHex(timestampSec) }
    expect(await preview(marketBuy)).toMatchObject({ code: 200 })
  })

  it('when there is no such contract', async () => {
    node.answerRaw('placeMarketOrder', '0x')
    await expectUnreachable()
    node = new ScriptedNode()
    node.answerRaw('previewLock', '0x')
    await expectUnreachable()
  })
})

describe('refused is', () => {
  it('another wallet than the bound one; an unbound key may ask for any', async () => {
    const answer = await preview({ ...marketBuy, userAddress: BOB })
    const errMsg = `userAddress must be ${ALICE}, the wallet this API key is bound to, got ${BOB}`
    expect(answer).toMatchObject({ status: 400, code: 10_002, reason: 'user_not_bound', errMsg })
    expect(await preview({ ...marketBuy, userAddress: ALICE.toUpperCase().replace('0X', '0x') })).toMatchObject({
      code: 200,
    })
    const { data } = await preview({ ...marketBuy, userAddress: BOB }, 'unbound')
    expect(data.userAddress).toBe(BOB)
    expect(await world.sql`select 1 from stock_built_calldata`).toHaveLength(0)
  })

  it.each([
    [{ ...limitBuy, timeInForce: 'GTC' }, 'time_in_force_unsupported', /must be DAY/],
    [{ ...limitBuy, userAddress: undefined }, 'request_invalid', /userAddress is required/],
    [{ ...marketBuy, depositTokenAddress: USDC }, 'field_not_applicable', /send depositAmount too, or neither/],
    [{ ...marketBuy, depositAmount: '5' }, 'deposit_token_missing', /depositTokenAddress is required/],
    [{ ...marketBuy, deadline: 1 }, 'deadline_expired', /must be in the future/],
    [{ ...marketBuy, colour: 'red' }, 'request_invalid', /unknown field colour/],
  ])('%j as when it is built', async (body, reason, message) => {
    const answer = await preview(body)
    expect(answer).toMatchObject({ status: 400, code: 10_000, reason })
    expect(answer.errMsg).toMatch(message)
    expect(node.asked).toHaveLength(0)
  })
})
