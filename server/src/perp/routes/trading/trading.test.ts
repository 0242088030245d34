import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Hex } from '../../../chain/types.ts'
import { WAD } from '../../../lib/wad.ts'
import { PERPETUAL_EXPIRY } from '../../listing/catalogue.ts'
import { TradingDesk } from '../../testing/trading-desk.ts'
import type { Wallet } from '../../testing/wallet.ts'

// Actions built, previewed and submitted by a plain wallet, on the real contracts.

let desk: TradingDesk
let alice: Wallet
let bob: Wallet
beforeAll(async () => {
  desk = await TradingDesk.open()
  alice = await desk.approvedWallet(0)
  bob = desk.wallet(1)
})
afterAll(() => desk?.close())

const pair = { instrument: 'BTC/USDC', expiry: PERPETUAL_EXPIRY }
const buy = { ...pair, size: '0.01', side: 2, leverage: '5', slippageBps: 50 }

const sizeOf = async (wallet: Wallet) => (await desk.portfolioOf(wallet)).position.size

describe('a market order', () => {
  it('is built, signed by the wallet, submitted, and traded on chain as foretold', async () => {
    const { data, blockInfo } = await desk.build(alice, 'market', buy)
    expect(data.transaction).toMatchObject({ chainId: 31_337, from: alice.address, to: desk.btc, value: '0' })
    expect(blockInfo?.height).toBeGreaterThan(0)
    const signed = await alice.sign(data.transaction)
    const first = await desk.submit(alice, signed)
    expect(first.code).toBe(0)
    // The same bytes have the same answer, waiting and mined.
    expect((await desk.submit(alice, signed)).data).toEqual(first.data)
    await alice.mined(first.data.txHash)
    expect((await desk.submit(alice, signed)).data).toEqual(first.data)

    const { position } = await desk.portfolioOf(alice)
    expect(position.size).toBe(WAD / 100n)
    expect(data.simulation).toMatchObject({ size: String(WAD / 100n), needsApproval: false, orders: [] })
    expect(data.simulation.before).toMatchObject({ size: '0', margin: '0', leverage: '0', liquidationPrice: '0' })
    expect(data.simulation.after).toMatchObject({
      size: String(position.size),
      margin: String(position.balance),
    })
    expect(data.simulation.notional).toBe(String(position.entryNotional))
  })

  it('is previewed by a wallet that has approved nothing, which cannot build it yet', async () => {
    const { code, data } = await desk.preview(bob, 'market', buy)
    expect([code, data.needsApproval]).toEqual([0, true])
    expect(BigInt(data.after.size)).toBe(WAD / 100n)
    const refused = await desk.build(bob, 'market', buy)
    expect([refused.status, refused.code, refused.reason]).toEqual([400, 40003, 'would_revert'])
    expect(refused.msg).toContain('InsufficientReserve')
    expect(refused.msg).toContain('approve')
    expect(await sizeOf(bob)).toBe(0n)
  })
})

describe('an instrument by its address', () => {
  it('is what an action is built for', async () => {
    const { data } = await desk.build(alice, 'market', { ...buy, instrument: desk.btc })
    expect(data.transaction.to).toBe(desk.btc)
    expect(data.simulation.instrument).toBe('BTC/USDC')
  })
})

describe('what cannot be built', () => {
  it.each([
    ['no action', { params: buy }, 40001, 'action is required'],
    ['an unknown action', { action: 'dance', params: buy }, 40001, 'action must be one of market, limit'],
    ['no params', { action: 'market' }, 40001, 'params'],
    ['a list', [], 40001, 'the body must be a JSON object'],
    ['an unknown field', { action: 'market', params: { ...buy, colour: 1 } }, 40001, 'params.colour'],
    ['a missing field', { action: 'market', params: { ...buy, size: undefined } }, 40001, 'params.size is required'],
    ['another side', { action: 'market', params: { ...buy, side: 3 } }, 40001, '1 (short) or 2 (long)'],
    ['too much slippage', { action: 'market', params: { ...buy, slippageBps: 10_001 } }, 40001, 'at most 10000'],
    ['a size of zero', { action: 'market', params: { ...buy, size: '0' } }, 40001, 'size must be greater than zero'],
    ['a size with 19 decimals', { action: 'market', params: { ...buy, size: `0.${'1'.repeat(19)}` } }, 40001, '18 dec'],
    ['a size in exponent form', { action: 'market', params: { ...buy, size: '1e2' } }, 40001, 'exponent'],
    [
      'a leverage beyond the greatest',
      { action: 'market', params: { ...buy, leverage: '10.1' } },
      40001,
      'at most 10 ',
    ],
    ['no instrument', { action: 'market', params: { ...buy, instrument: '0x12' } }, 40001, 'BTC/USDC, or its address'],
    ['an unknown instrument', { action: 'market', params: { ...buy, instrument: 'DOGE/USDC' } }, 40002, 'DOGE/USDC'],
    ['a pair nobody opened', { action: 'market', params: { ...buy, expiry: 1 } }, 40003, 'NotTradeable'],
    ['a deadline that has passed', { action: 'market', params: { ...buy, deadline: 1 } }, 40001, 'deadline must be in'],
    ['more than the liquidity', { action: 'market', params: { ...buy, size: '100000' } }, 40003, 'TradeOutOfLiquidity'],
    ['too little gas', { action: 'market', params: { ...buy, gasLimit: 21_000 } }, 40001, 'gasLimit is 21000'],
  ])('%s', async (_, body, code, message) => {
    const answer = await desk.api.post('order/build', body, alice.address)
    expect([answer.status, answer.code]).toEqual([400, code])
    expect(answer.msg).toContain(message)
    expect(answer.data).toEqual({})
  })

  it('anything for a key without a wallet', async () => {
    const answer = await desk.api.post('order/build', { action: 'market', params: buy }, 'nobody')
    expect([answer.status, answer.reason]).toEqual([403, 'key_not_bound'])
  })
})

it('a new position of no worth is refused', async () => {
  const { code, msg } = await desk.preview(bob, 'market', { ...buy, size: '0.001' })
  expect(code).toBe(40003)
  expect(msg).toMatch(/would revert: TradeTrivial. .*minTradeValue/)
})

describe('what is not submitted', () => {
  async function refused(wallet: Wallet, signed: Hex, message: string) {
    const answer = await desk.submit(wallet, signed)
    expect([answer.status, answer.code, answer.reason]).toEqual([400, 40001, 'signed_transaction_invalid'])
    expect(answer.msg).toContain(message)
  }

  it('what another wallet has signed, and what is for another chain', async () => {
    const { transaction } = await desk.built(alice, 'market', buy)
    await refused(alice, await bob.sign(transaction), `must be signed by ${alice.address}`)
    await refused(alice, await alice.sign({ ...transaction, chainId: 1 }), 'must be for chain 31337')
  })

  it('what calls something else', async () => {
    const { transaction } = await desk.built(alice, 'market', buy)
    const approve = `0x095ea7b3${'0'.repeat(128)}` as const
    await refused(alice, await alice.sign({ ...transaction, to: desk.usdc, data: approve }), 'its target must be Gate')
    await refused(
      alice,
      await alice.sign({ ...transaction, data: approve }),
      'a function that its target does not have',
    )
    await refused(alice, await alice.sign({ ...transaction, data: '0x' }), 'it calls no contract')
    await refused(alice, await alice.sign({ ...transaction, value: '1' }), 'takes no native coin')
    await refused(alice, await alice.sign({ ...transaction, data: '0x62a5af3b' }), 'and calls freeze')
    await refused(alice, '0x02f8', 'it is no signed transaction')
  })

  it('what has a nonce that is used', async () => {
    const { transaction } = await desk.built(alice, 'market', buy)
    const answer = await desk.submit(alice, await alice.sign({ ...transaction, nonce: 0 }))
    expect([answer.status, answer.reason]).toEqual([400, 'transaction_refused'])
  })

  it('leaves the chain as it was', async () => {
    expect(await sizeOf(alice)).toBe(WAD / 100n)
  })
})
