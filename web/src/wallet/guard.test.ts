import { createClient, custom } from 'viem'
import { sendTransaction } from 'viem/actions'
import { encodeFunctionData, parseAbi } from 'viem/utils'
import { beforeEach, describe, expect, it } from 'vitest'
import { explain } from '../lib/explain.ts'
import { formatTime } from '../lib/format.ts'
import { walletWords } from '../strings.ts'
import type { Provider } from './eip1193.ts'
import { asked, guard } from './guard.ts'

const abi = parseAbi([
  'function deposit(address token, uint96 amount) returns (bytes32)',
  'function approve(address spender, uint256 amount) returns (bool)',
])
const ROUTER = '0x1111111111111111111111111111111111111111'
const STRANGER = '0x2222222222222222222222222222222222222222'
const USDC = '0x3333333333333333333333333333333333333333'
const ALICE = '0x4444444444444444444444444444444444444444'

let chainId = 31_337
let calls: string[] = []
const provider = {
  async request({ method }: { method: string }) {
    calls.push(method)
    return method === 'eth_chainId' ? `0x${chainId.toString(16)}` : 'done'
  },
}
const guarded = guard(provider, {
  chainId: 31_337,
  chainName: 'Development',
  contracts: () =>
    new Map([
      [ROUTER, { name: 'StockRouter', abi, signed: { Delegate: 'All of it.' } }],
      [USDC, { name: 'USDC', abi }],
    ]),
})

const deposit = encodeFunctionData({ abi, functionName: 'deposit', args: [STRANGER, 2500n] })
const send = (to: string, data: string, on = '0x7a69') =>
  guarded.request({ method: 'eth_sendTransaction', params: [{ from: ALICE, to, data, chainId: on }] })
const MESSAGE = { user: ALICE, deadline: 1_795_880_563 }
const sign = (primaryType: string, verifyingContract = ROUTER) => {
  const data = JSON.stringify({ domain: { chainId: 31_337, verifyingContract }, primaryType, message: MESSAGE })
  return guarded.request({ method: 'eth_signTypedData_v4', params: [ALICE, data] })
}

/** viem names no chain of what it sends. */
const naming = ({ request }: Provider): Provider => ({
  request: ({ method, params }) =>
    request({ method, params: (params as readonly object[])?.map((one) => ({ ...one, chainId: '0x7a69' })) }),
})

async function untilAsked() {
  while (!asked.value) await new Promise((resolve) => setTimeout(resolve))
  return asked.value
}

describe('the guard before a wallet', () => {
  beforeEach(() => {
    chainId = 31_337
    calls = []
    asked.value = null
  })

  it('shows chain, target and decoded call, and asks the wallet only once the user agrees', async () => {
    const sent = send(ROUTER, deposit)
    const { shown, answer } = await untilAsked()
    expect(shown).toMatchObject({
      chain: 'Development (31337)',
      account: ALICE,
      target: { name: 'StockRouter', address: ROUTER },
      call: 'deposit',
      args: [
        ['token', STRANGER],
        ['amount', '2500'],
      ],
    })
    expect(calls).toEqual(['eth_chainId'])
    answer(true)
    expect(await sent).toBe('done')
    expect(calls).toEqual(['eth_chainId', 'eth_chainId', 'eth_sendTransaction'])
  })

  it('asks no wallet when the user says no', async () => {
    const sent = send(ROUTER, deposit)
    ;(await untilAsked()).answer(false)
    await expect(sent).rejects.toMatchObject({ code: 4001 })
    expect(calls).toEqual(['eth_chainId'])
  })

  it('refuses other targets', async () => {
    await expect(send(STRANGER, deposit)).rejects.toThrow(`${STRANGER} is none of this venue's contracts`)
    expect(calls).toEqual(['eth_chainId'])
  })

  it('refuses what it cannot decode', async () => {
    await expect(send(ROUTER, '0xdeadbeef')).rejects.toThrow('none that the app knows')
  })

  it('refuses an allowance for a stranger', async () => {
    const data = encodeFunctionData({ abi, functionName: 'approve', args: [STRANGER, 1n] })
    await expect(send(ROUTER, data)).rejects.toThrow(STRANGER)
  })

  it('refuses another chain', async () => {
    chainId = 1
    await expect(send(ROUTER, deposit)).rejects.toThrow('another chain')
  })

  it('refuses another chain that the wallet has gone to while the user read', async () => {
    const sent = send(ROUTER, deposit)
    const { answer } = await untilAsked()
    chainId = 1
    answer(true)
    await expect(sent).rejects.toThrow('another chain')
    expect(calls).not.toContain('eth_sendTransaction')
  })

  it('tells its own reason through viem, where the wallet has gone to another chain meanwhile', async () => {
    const client = createClient({ account: ROUTER, transport: custom(naming(guarded)) })
    const sent = sendTransaction(client, { chain: null, to: ROUTER, data: deposit })
    const { answer } = await untilAsked()
    chainId = 1
    answer(true)
    expect(await sent.catch(explain)).toBe(walletWords.wrongChain('Development', 31_337))
  })

  it.each(['0x1', undefined])(
    'refuses a transaction that names the chain %s, as it could be signed on another',
    async (on) => {
      const params = [{ to: ROUTER, data: deposit, chainId: on }]
      await expect(guarded.request({ method: 'eth_sendTransaction', params })).rejects.toThrow('another chain')
      expect(calls).toEqual(['eth_chainId'])
    },
  )

  it('shows a text as it is signed', async () => {
    const signed = guarded.request({ method: 'personal_sign', params: ['0x68656c6c6f', ALICE] })
    const { shown, answer } = await untilAsked()
    expect([shown.text, shown.account]).toEqual(['hello', ALICE])
    answer(true)
    expect(await signed).toBe('done')
  })

  it.each([
    [{ chainId: 1, verifyingContract: ROUTER }, 'another chain'],
    [{ chainId: 31_337, verifyingContract: STRANGER }, STRANGER],
  ])('refuses typed data of %j', async (domain, why) => {
    const data = JSON.stringify({ domain, primaryType: 'Delegation', message: {} })
    await expect(guarded.request({ method: 'eth_signTypedData_v4', params: [ROUTER, data] })).rejects.toThrow(why)
  })

  it('shows typed data that the app has signed, and who is to sign it', async () => {
    const signed = sign('Delegate')
    const { shown, answer } = await untilAsked()
    expect(shown).toMatchObject({
      account: ALICE,
      target: { name: 'StockRouter', address: ROUTER },
      call: 'Delegate',
      meaning: [[walletWords.allows, 'All of it.']],
      args: [
        ['user', ALICE],
        ['deadline', formatTime(1_795_880_563_000)],
      ],
    })
    answer(true)
    expect(await signed).toBe('done')
  })

  it.each([
    ['Permit', USDC],
    ['Permit', ROUTER],
    ['Delegate', USDC],
  ])('refuses to have a %s signed that the app never asks for, of %s', async (primaryType, contract) => {
    await expect(sign(primaryType, contract)).rejects.toThrow('none that the app knows')
    expect([asked.value, calls]).toEqual([null, ['eth_chainId']])
  })

  it.each([
    'eth_sign',
    'eth_signTransaction',
    'wallet_sendCalls',
    'wallet_sendTransaction',
    'eth_sendRawTransaction',
    'wallet_grantPermissions',
    'eth_signUserOperation',
  ])('never passes on %s', async (method) => {
    await expect(guarded.request({ method, params: [] })).rejects.toThrow('none that the app knows')
    expect(calls).toEqual([])
  })

  it('lets viem tell why a wallet did not send, and not ask it a second time in another way', async () => {
    const failing = {
      async request({ method }: { method: string }) {
        if (method === 'eth_sendTransaction') throw Object.assign(new Error('nonce too low'), { code: -32_000 })
        return provider.request({ method })
      },
    }
    const options = {
      chainId: 31_337,
      chainName: 'x',
      contracts: () => new Map([[ROUTER, { name: 'StockRouter', abi }]]),
    }
    const client = createClient({ account: ROUTER, transport: custom(naming(guard(failing, options))) })
    const sent = sendTransaction(client, { chain: null, to: ROUTER, data: deposit })
    ;(await untilAsked()).answer(true)
    await expect(sent).rejects.toThrow('nonce too low')
    expect(calls).toEqual(['eth_chainId', 'eth_chainId'])
  })
})
