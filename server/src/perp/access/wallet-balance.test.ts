import { type ContractFunctionName, encodeFunctionData, erc20Abi, type Hex, maxUint256 } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { gateAbi } from '../../chain/abi/gate.ts'
import { observerAbi } from '../../chain/abi/observer.ts'
import type { ArgumentsOf } from '../../chain/calls.ts'
import type { DevelopmentAccount } from '../../chain/embedded/accounts.ts'
import { contractRead, readContracts } from '../../chain/read.ts'
import { WAD } from '../../lib/wad.ts'
import { tokenWord } from '../calldata/words.ts'
import { PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import { type AccessVenue, type KeyedUser, startAccessVenue } from '../testing/access-venue.ts'
import { keyOf, signed, signedMm } from '../testing/key-api.ts'
import { addRange, trade } from '../testing/trader.ts'

const USDC = 10n ** 6n
const SCALE = 10n ** 12n
const NO_PENDING = { timestamp: 0, native: false, amount: '0', exemption: '0' }

let venue: AccessVenue
let user: KeyedUser
let account: DevelopmentAccount
let usdc: Hex
let gate: Hex
let btc: Hex
beforeAll(async () => {
  venue = await startAccessVenue()
  user = await venue.user(0)
  account = venue.chain.accounts.users[0] as DevelopmentAccount
  gate = venue.chain.contract('Gate')
  btc = await venue.chain.instrument('BTC/USDC')
  usdc = (await user.get('market/instruments')).data[0].quote.address
})
afterAll(() => venue?.stop())

const balance = async () => {
  const { status, data, blockInfo } = await user.get('account/wallet-balance')
  expect(status).toBe(200)
  expect(data.portfolios).toHaveLength(1)
  return { ...data, portfolio: data.portfolios[0], blockInfo }
}
const atGate = <Name extends ContractFunctionName<typeof gateAbi>>(
  functionName: Name,
  args: ArgumentsOf<typeof gateAbi, Name>,
  from = account,
) => venue.chain.send<typeof gateAbi, Name>(from, gate, gateAbi, functionName, args)
const deposit = (amount: bigint) => atGate('deposit', [tokenWord(usdc, amount)])
const withdraw = (amount: bigint) => atGate('withdraw', [tokenWord(usdc, amount)])
const asAdmin = <Name extends ContractFunctionName<typeof gateAbi>>(
  functionName: Name,
  args: ArgumentsOf<typeof gateAbi, Name>,
) => atGate(functionName, args, venue.chain.accounts.admin)

/** A profit: an instrument pays into the wallet's reserve, and no deposit is counted. */
async function gain(of: KeyedUser, amount: bigint): Promise<void> {
  const { rpc } = venue.chain
  const args = [usdc, of.address, PERPETUAL_EXPIRY, amount] as const
  const data = encodeFunctionData({ abi: gateAbi, functionName: 'gather', args })
  await rpc.call('anvil_setBalance', [btc, '0xde0b6b3a7640000'])
  await rpc.call('anvil_impersonateAccount', [btc])
  const hash = await rpc.call<Hex>('eth_sendTransaction', [{ from: btc, to: gate, data, gas: '0x493e0' }])
  expect(await of.mined(hash)).toBe('success')
  await rpc.call('anvil_stopImpersonatingAccount', [btc])
}

describe('the balance of a wallet', () => {
  it('is what the token holds, before anything was brought in', async () => {
    const { address, isBlacklisted, pendingDuration, portfolio, blockInfo } = await balance()
    expect([address, isBlacklisted, pendingDuration]).toEqual([user.address, false, '86400'])
    expect(portfolio).toEqual({
      quote: usdc,
      symbol: 'USDC',
      decimals: 6,
      balance: '0',
      pendingBalance: NO_PENDING,
      totalInBalance: '0',
      totalOutBalance: '0',
      reservedBalance: '0',
      thresholdBalance: String(maxUint256),
      maxWithdrawable: '0',
      walletBalance: String(1_000_000n * WAD),
      allowance: '0',
      imageUrl: '',
      currentPrice: 1,
    })
    const block = await venue.chain.rpc.call<{ timestamp: Hex }>('eth_getBlockByNumber', [
      `0x${(blockInfo?.height ?? 0).toString(16)}`,
      false,
    ])
    expect(blockInfo?.timestamp).toBe(Number(block.timestamp))
  })

  it('follows deposits, withdrawals and margin to the last unit, all at one block', async () => {
    const approved = [gate, maxUint256] as const
    expect(await venue.chain.send(account, usdc, erc20Abi, 'approve', approved)).toBe('success')
    expect(await deposit(123_456_789n * 100n)).toBe('success')
    expect(await withdraw(345_678_901n)).toBe('success')
    expect((await balance()).portfolio).toMatchObject({
      balance: String((12_345_678_900n - 345_678_901n) * SCALE),
      totalInBalance: String(12_345_678_900n * SCALE),
      totalOutBalance: String(345_678_901n * SCALE),
      maxWithdrawable: String((12_345_678_900n - 345_678_901n) * SCALE),
      walletBalance: String((1_000_000n * USDC - 12_345_678_900n + 345_678_901n) * SCALE),
      allowance: String(maxUint256),
    })
    expect(await trade(venue.chain, account, btc, WAD / 100n, 1000n * WAD)).toBe('success')
    expect(await addRange(venue.chain, account, btc, 2000n * WAD, 2000)).toBe('success')
    const { portfolio, blockInfo } = await balance()
    const height = BigInt(blockInfo?.height ?? 0)
    const observer = { address: venue.chain.contract('Observer'), abi: observerAbi }
    const [[{ position, orders, ranges }], reserve] = await readContracts(
      venue.chain.rpc,
      [
        contractRead(observer, 'getPortfolio', btc, PERPETUAL_EXPIRY, user.address),
        contractRead({ address: gate, abi: gateAbi }, 'reserveOf', usdc, user.address),
      ],
      height,
    )
    expect([orders.length, ranges.length]).toEqual([0, 1])
    const locked = position.balance + (ranges[0]?.balance ?? 0n)
    expect(locked).toBeGreaterThan(2900n * WAD)
    expect(portfolio.reservedBalance).toBe(String(locked))
    expect(portfolio.balance).toBe(String(reserve * SCALE))
  })

  it('is paid out at once up to exactly what it says, and waits by one unit more', async () => {
    const third = await venue.user(2)
    const from = venue.chain.accounts.users[2] as DevelopmentAccount
    const send = (functionName: 'deposit' | 'withdraw', amount: bigint) =>
      venue.chain.send(from, gate, gateAbi, functionName, [tokenWord(usdc, amount)])
    expect(await venue.chain.send(from, usdc, erc20Abi, 'approve', [gate, maxUint256])).toBe('success')
    const read = async () => (await third.get('account/wallet-balance')).data.portfolios[0]
    // Gains come without a deposit: what a deposit brought may go out, and the threshold beyond it.
    expect(await send('deposit', 300n * USDC)).toBe('success')
    expect(await asAdmin('setThreshold', [usdc, 0n])).toBe('success')
    await gain(third, 100n * USDC)
    const { balance: reserve, maxWithdrawable } = await read()
    expect([reserve, maxWithdrawable]).toEqual([String(400n * WAD), String(300n * WAD)])
    expect(await send('withdraw', 300n * USDC)).toBe('success')
    expect(await read()).toMatchObject({ pendingBalance: NO_PENDING, maxWithdrawable: '0' })
    expect(await send('withdraw', 1n)).toBe('success')
    const waiting = await read()
    expect(waiting.pendingBalance).toEqual({
      timestamp: expect.any(Number),
      native: false,
      amount: String(SCALE),
      exemption: '0',
    })
    expect(waiting.balance).toBe(String(100n * WAD - SCALE))
  })

  it('says who may bring nothing in', async () => {
    expect(await asAdmin('setBlacklist', [user.address, true])).toBe('success')
    expect((await balance()).isBlacklisted).toBe(true)
    expect(await asAdmin('setBlacklist', [user.address, false])).toBe('success')
    expect((await balance()).isBlacklisted).toBe(false)
  })

  it('is the key’s own wallet’s alone, and may be read by a reader', async () => {
    const other = venue.chain.accounts.users[1]?.address ?? ''
    const path = 'account/wallet-balance'
    const foreign = await user.get(`${path}?address=${other}`)
    expect([foreign.status, foreign.code, foreign.reason]).toEqual([403, 40301, 'user_not_bound'])
    expect((await user.get(`${path}?address=${user.account.address}&chainId=31337`)).data.address).toBe(user.address)
    expect((await user.get(`${path}?chainId=1`)).reason).toBe('chain_id_differs')
    expect((await user.get(`${path}?address=0x12`)).reason).toBe('request_invalid')
    const older = await signedMm(venue.api, user.key, `account/wallet-balance?address=${user.address}&chainId=31337`)
    expect(older.data).toEqual((await user.get(path)).data)
    const reader = await keyOf(venue.api, user.account, { permissions: ['read'] })
    expect((await signed(venue.api, reader, 'GET', path)).status).toBe(200)
  })
})
