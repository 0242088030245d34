import type { ContractFunctionName } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { instrumentAbi } from '../../../chain/abi/instrument.ts'
import { testFeedAbi } from '../../../chain/abi/test-feed.ts'
import type { ArgumentsOf } from '../../../chain/calls.ts'
import { createRpc } from '../../../chain/rpc.ts'
import { PERPETUAL_EXPIRY } from '../../listing/catalogue.ts'
import { FEED_PREFIX } from '../../listing/perp-plan.ts'
import { servePerp } from '../../testing/api.ts'
import { TradingDesk } from '../../testing/trading-desk.ts'
import type { Wallet } from '../../testing/wallet.ts'

// An instrument that takes nothing for a while says so by name, and what can still be done goes on.

let desk: TradingDesk
let alice: Wallet
let snapshot: string
const pair = { instrument: 'BTC/USDC', expiry: PERPETUAL_EXPIRY }
const market = { ...pair, side: 2, size: '0.02', leverage: '5', slippageBps: 100 }
const limit = { ...pair, side: 2, size: '0.02', leverage: '5', price: '59000' }
const money = { quote: 'USDC', amount: '5' }

beforeAll(async () => {
  desk = await TradingDesk.open()
  alice = await desk.approvedWallet(0)
  await desk.done(alice, 'market', market)
  await desk.done(alice, 'limit', limit)
  await desk.done(alice, 'deposit', { quote: 'USDC', amount: '50' })
  snapshot = await desk.chain.rpc.call<string>('evm_snapshot')
})
afterAll(() => desk?.close())
beforeEach(async () => {
  await desk.chain.rpc.call('evm_revert', [snapshot])
  snapshot = await desk.chain.rpc.call<string>('evm_snapshot')
})

const oid = async () => (await desk.portfolioOf(alice)).oids[0]
const asAdmin = <Name extends ContractFunctionName<typeof instrumentAbi>>(
  functionName: Name,
  args: ArgumentsOf<typeof instrumentAbi, Name>,
) => {
  const { admin } = desk.chain.accounts
  return desk.chain.send<typeof instrumentAbi, Name>(admin, desk.btc, instrumentAbi, functionName, args)
}

/** Every action that the instrument takes. */
const actions = async (): Promise<readonly (readonly [string, object])[]> => [
  ['market', market],
  ['limit', { ...limit, price: '58000' }],
  ['scaled', { ...limit, price: undefined, prices: ['57000', '56000'], size: '0.05' }],
  ['cancel', { ...pair, oid: await oid() }],
  ['batch-cancel', { ...pair, all: true }],
  ['close', { ...pair, slippageBps: 100 }],
  ['adjust', { ...pair, leverage: '3' }],
  ['margin', { ...pair, amount: '10', type: 'add' }],
  ['add-liquidity', { ...pair, amount: '2000', alphaLower: '1.2', alphaUpper: '1.2', slippageBps: 100 }],
]

async function everyActionIsRefused(words: string): Promise<void> {
  for (const [action, params] of await actions()) {
    for (const ask of [desk.build, desk.preview]) {
      const { status, code, reason, msg } = await ask(alice, action, params)
      expect([action, status, code, reason]).toEqual([action, 400, 40003, 'would_revert'])
      expect(msg).toContain(words)
    }
  }
}

describe('an instrument that stands still', () => {
  it('frozen: every action is refused by name, and money at Gate still moves', async () => {
    expect(await asAdmin('freeze', [])).toBe('success')
    await everyActionIsRefused('BadInstrumentCondition. The instrument is frozen or resolved')
    await desk.done(alice, 'withdraw', money)
    await desk.done(alice, 'deposit', money)
    expect(await asAdmin('normalize', [])).toBe('success')
    await desk.done(alice, 'market', market)
  })

  it('without a fresh price: every action is refused by name', async () => {
    const feed = desk.chain.contract(`${FEED_PREFIX}BTC`)
    const past = [60_000n * 10n ** 8n, BigInt(Math.floor(Date.now() / 1000) - 100_000)] as const
    expect(await desk.chain.send(desk.chain.accounts.admin, feed, testFeedAbi, 'setAt', past)).toBe('success')
    await everyActionIsRefused('InvalidCexPrice (aggregator 0x')
    await desk.done(alice, 'withdraw', money)
  })

  it('paused for orders: placing is refused, everything else goes on', async () => {
    expect(await asAdmin('setPlacePaused', [true])).toBe('success')
    const all = await actions()
    for (const [action, params] of all) {
      const { code, msg } = await desk.build(alice, action, params)
      const isPlacing = action === 'limit' || action === 'scaled'
      expect([action, code]).toEqual([action, isPlacing ? 40003 : 0])
      if (isPlacing) expect(msg).toContain('PlacePaused. Placing limit orders is paused')
    }
  })
})

describe('a chain node that does not answer', () => {
  it('is told as such, and not as a refusal', async () => {
    const api = await servePerp(desk.chain, { rpc: createRpc({ url: 'http://127.0.0.1:1' }) })
    const { status, code, reason } = await api.post('order/build', { action: 'market', params: market }, alice.address)
    expect([status, code, reason]).toEqual([500, 50001, 'perp_chain_unreachable'])
    await api.close()
  })
})
