import { erc20Abi } from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { gateAbi } from '../../chain/abi/gate.ts'
import { observerAbi } from '../../chain/abi/observer.ts'
import { contractRead } from '../../chain/read.ts'
import { divideUp, WAD } from '../../lib/wad.ts'
import { PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import { approveGate, setFeed, trade } from '../testing/trader.ts'
import { TradingDesk } from '../testing/trading-desk.ts'
import type { Wallet } from '../testing/wallet.ts'

// A whole close brings in what is owed, and asks for no money that the wallet does not have.

let desk: TradingDesk
let wallet: Wallet
beforeAll(async () => {
  desk = await TradingDesk.open()
  wallet = await desk.approvedWallet(WALLET)
  expect(await approveGate(desk.chain, account(OTHER), desk.btc)).toBe('success')
})
afterAll(() => desk?.close())

const WALLET = 0
const OTHER = 1
const pair = { instrument: 'BTC/USDC', expiry: PERPETUAL_EXPIRY }
const SHORT = 1
const LONG = 2
/** A slippage that asks for more than the margin at nine times leverage. */
const generous = { ...pair, slippageBps: 1500 }
const PRICE8 = 60_000n * 10n ** 8n
/** One unit of the quote's token. */
const UNIT = 10n ** 12n

function account(index: number) {
  const found = desk.chain.accounts.users[index]
  if (!found) throw new Error(`there is no account ${index}`)
  return found
}

const sizeNow = async () => (await desk.portfolioOf(wallet)).position.size
const gate = () => ({ address: desk.chain.contract('Gate'), abi: gateAbi })
const reserve = () => desk.chain.read(contractRead(gate(), 'reserveOf', desk.usdc, wallet.address))
const balance = () => desk.chain.read(contractRead({ address: desk.usdc, abi: erc20Abi }, 'balanceOf', wallet.address))

async function give(from: number, to: number, amountRaw: bigint): Promise<void> {
  const args = [account(to).address, amountRaw] as const
  expect(await desk.chain.send(account(from), desk.usdc, erc20Abi, 'transfer', args)).toBe('success')
}

/** Leaves the wallet nothing that is free; resolves to what it had, in the token's units. */
async function emptied(): Promise<bigint> {
  const free = await reserve()
  if (free > 0n) await desk.done(wallet, 'withdraw', { quote: 'USDC', amount: (Number(free) / 1e6).toFixed(6) })
  const held = await balance()
  await give(WALLET, OTHER, held)
  return held
}

/** A position at nine times leverage, which is all the money that the wallet has left. */
async function allIn(side: number): Promise<bigint> {
  await desk.done(wallet, 'market', { ...pair, side, size: '0.2', leverage: '9', slippageBps: 50 })
  return await emptied()
}

describe('a whole close at a generous slippage of all that the wallet has', () => {
  let held = 0n
  afterEach(async () => {
    await give(OTHER, WALLET, held)
    if ((await sizeNow()) !== 0n) await desk.done(wallet, 'close', { ...pair, slippageBps: 50 })
  })

  it.each([
    ['a long', LONG],
    ['a short', SHORT],
  ] as const)('%s', async (_, side) => {
    held = await allIn(side)
    const { amount } = await desk.done(wallet, 'close', generous)
    expect([amount, await sizeNow()]).toEqual(['0', 0n])
  })

  it('by a market order that only reduces', async () => {
    held = await allIn(LONG)
    const order = { ...generous, side: SHORT, size: '0.2', leverage: '5', reduceOnly: true }
    const { amount } = await desk.done(wallet, 'market', order)
    expect([amount, await sizeNow()]).toEqual(['0', 0n])
  })

  it('brings in what is free where that is less than the limit could cost', async () => {
    held = await allIn(LONG)
    await give(OTHER, WALLET, 1_000_000n)
    const { amount } = await desk.done(wallet, 'close', generous)
    expect([amount, await sizeNow()]).toEqual([String(WAD), 0n])
  })
})

describe('a whole close of a position that is worth less than nothing', () => {
  const FALL_TICKS = 1300

  beforeAll(async () => {
    await allIn(LONG)
    await setFeed(desk.chain, 'BTC', (PRICE8 * 88n) / 100n)
    const { tick } = await desk.chain.readInstrument(desk.btc, 'getAmm', [PERPETUAL_EXPIRY])
    const moved = await desk.chain.read(
      contractRead(observer(), 'getBaseSizeByTick', desk.btc, PERPETUAL_EXPIRY, tick - FALL_TICKS),
    )
    expect(await trade(desk.chain, account(OTHER), desk.btc, moved, 1_500_000n * WAD)).toBe('success')
  })

  const observer = () => ({ address: desk.chain.contract('Observer'), abi: observerAbi })

  /** What the position owes at the price of now, in the token's units. */
  async function owedRaw(): Promise<bigint> {
    const { position } = await desk.portfolioOf(wallet)
    const asked = contractRead(observer(), 'inquireByBase', desk.btc, PERPETUAL_EXPIRY, -position.size)
    const [{ entryNotional, fee }] = await desk.chain.read(asked)
    return divideUp(position.entryNotional - entryNotional + fee - position.balance, UNIT)
  }

  it('is refused where the wallet has less than is owed', async () => {
    const owed = await owedRaw()
    expect(owed).toBeGreaterThan(0n)
    const { status, msg } = await desk.build(wallet, 'close', generous)
    expect([status, msg]).toEqual([400, expect.stringContaining('ERC20InsufficientBalance')])
  })

  it('brings in what is owed where the wallet has little more', async () => {
    const free = (await owedRaw()) + 5_000_000n
    await give(OTHER, WALLET, free)
    const { amount } = await desk.done(wallet, 'close', generous)
    expect([amount, await sizeNow()]).toEqual([String(free * UNIT), 0n])
    // What was not owed is in the reserve, give or take the funding of the seconds that have passed.
    const left = await reserve()
    expect(left > 0n && left < 10_000_000n).toBe(true)
  })
})
