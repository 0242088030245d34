import { encodeFunctionData, erc20Abi, getAddress, maxUint256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { gateAbi } from '../../chain/abi/gate.ts'
import { instrumentAbi } from '../../chain/abi/instrument.ts'
import { oneClickRouterAbi } from '../../chain/abi/one-click-router.ts'
import { operatorPoolAbi } from '../../chain/abi/operator-pool.ts'
import { relayRouterAbi } from '../../chain/abi/relay-router.ts'
import type { DevelopmentAccount } from '../../chain/embedded/accounts.ts'
import { contractRead } from '../../chain/read.ts'
import type { Hex } from '../../chain/types.ts'
import { signPayload } from '../../delegation/typed-data.ts'
import { WAD } from '../../lib/wad.ts'
import { PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import { CHAIN_ID, PerpChain } from '../testing/chain.ts'

/** Trades for a user through the relay: by signature, the venue's operator alone. */

const FUTURE_SEC = 4_000_000_000
const MARGIN = 1_000n * WAD
const SIZE = WAD / 100n
/** The highest price: a buy at any. */
const ANY_PRICE = (1n << 23n) - 1n

let chain: PerpChain
let btc: Hex
let user: DevelopmentAccount
let stranger: DevelopmentAccount
beforeAll(async () => {
  chain = await PerpChain.start()
  btc = await chain.instrument('BTC/USDC')
  const [first, second] = chain.accounts.users
  if (!first || !second) throw new Error('too few accounts')
  ;[user, stranger] = [first, second]
  const { quote } = await chain.readInstrument(btc, 'getSetting', [])
  const approved = [chain.contract('Gate'), maxUint256] as const
  expect(await chain.send(user, quote, erc20Abi, 'approve', approved)).toBe('success')
})
afterAll(() => chain?.stop())

const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`
const sizeOf = async (trader: Hex) =>
  (await chain.readInstrument(btc, 'getPortfolio', [PERPETUAL_EXPIRY, trader])).position.size

/** A market buy of `SIZE` for `trader` as the handler makes it (perp-protocol 1.2). */
function buyFor(trader: Hex): Hex {
  const limits = (BigInt(FUTURE_SEC) << 56n) | (ANY_PRICE << 32n) | BigInt(PERPETUAL_EXPIRY)
  const args = [trader, [word(limits), word((SIZE << 128n) | MARGIN)]] as const
  return encodeFunctionData({ abi: instrumentAbi, functionName: 'tradeFor', args })
}

/** What the operator has the router call: a batch at the relay router that names itself as the user's sub-account. */
function relayed(trader: Hex, calls: readonly Hex[]): Hex {
  const targets = calls.map(() => btc)
  const args = [chain.contract('PerpOneClickRouter'), trader, targets, [...calls], false] as const
  return encodeFunctionData({ abi: relayRouterAbi, functionName: 'batchMulticall', args })
}

function execute(from: DevelopmentAccount, target: Hex, data: Hex) {
  const args = [chain.contract('PerpOneClickRouter'), user.address, target, data] as const
  return chain.send(from, chain.contract('OperatorPool'), operatorPoolAbi, 'execute', args)
}

const operator = () => chain.accounts.submit[0] as DevelopmentAccount
const router = () => chain.contract('PerpOneClickRouter')
const relay = () => chain.contract('RelayRouter')

describe('the relay router of a venue', () => {
  it('is the handler of Gate and of every instrument, and knows them', async () => {
    const gate = chain.contract('Gate')
    const reads = [
      contractRead({ address: gate, abi: gateAbi }, 'handler'),
      contractRead({ address: btc, abi: instrumentAbi }, 'handler'),
    ]
    for (const read of reads) expect(await chain.read(read)).toBe(getAddress(relay()))
    const contract = { address: relay(), abi: relayRouterAbi }
    expect(await chain.read(contractRead(contract, 'gate'))).toBe(getAddress(gate))
    expect(await chain.read(contractRead(contract, 'oneClickRouter'))).toBe(getAddress(router()))
  })

  it('trades for nobody who has not delegated', async () => {
    expect(await execute(operator(), relay(), relayed(user.address, [buyFor(user.address)]))).toBe('reverted')
    expect(await sizeOf(user.address)).toBe(0n)
  })

  it('trades for a user who has delegated by signature, by the venue’s operator', async () => {
    const [nonce, pool] = [0n, chain.contract('OperatorPool')]
    const delegate = { user: user.address, delegatee: pool, nonce, deadlineSec: FUTURE_SEC }
    const payload = signPayload({ chainId: CHAIN_ID, router: router() }, delegate)
    const message = { ...payload.message, nonce }
    const signature = await privateKeyToAccount(user.privateKey).signTypedData({ ...payload, message })
    const args = [router(), user.address, FUTURE_SEC, signature] as const
    expect(await chain.send(stranger, pool, operatorPoolAbi, 'enable', args)).toBe('reverted')
    expect(await chain.send(operator(), pool, operatorPoolAbi, 'enable', args)).toBe('success')

    expect(await execute(operator(), relay(), relayed(user.address, [buyFor(user.address)]))).toBe('success')
    expect(await sizeOf(user.address)).toBe(SIZE)
  })

  it('lets no stranger trade for that user, by whatever way', async () => {
    const data = relayed(user.address, [buyFor(user.address)])
    expect(await execute(stranger, relay(), data)).toBe('reverted')
    const direct = [user.address, relay(), data] as const
    expect(await chain.send(stranger, router(), oneClickRouterAbi, 'execute', direct)).toBe('reverted')
    const batch = [stranger.address, user.address, [btc], [buyFor(user.address)], false] as const
    expect(await chain.send(stranger, relay(), relayRouterAbi, 'batchMulticall', batch)).toBe('reverted')
    const words = [word(BigInt(PERPETUAL_EXPIRY) | (ANY_PRICE << 32n)), word((SIZE << 128n) | MARGIN)] as const
    expect(await chain.send(stranger, btc, instrumentAbi, 'tradeFor', [user.address, words])).toBe('reverted')
    expect(await sizeOf(user.address)).toBe(SIZE)
  })

  it('lets the operator act for that user alone, and through the relay alone', async () => {
    const forOther = relayed(user.address, [buyFor(stranger.address)])
    const asOther = relayed(stranger.address, [buyFor(stranger.address)])
    for (const data of [forOther, asOther]) expect(await execute(operator(), relay(), data)).toBe('reverted')
    expect(await execute(operator(), btc, buyFor(user.address))).toBe('reverted')
    const manage = encodeFunctionData({
      abi: relayRouterAbi,
      functionName: 'setSubAccount',
      args: [operator().address],
    })
    expect(await execute(operator(), relay(), manage)).toBe('reverted')
    expect([await sizeOf(user.address), await sizeOf(stranger.address)]).toEqual([SIZE, 0n])
  })
})
