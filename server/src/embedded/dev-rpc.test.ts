import type { FastifyInstance } from 'fastify'
import { type Hex, parseTransaction, recoverMessageAddress, recoverTypedDataAddress } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { developmentAccount } from '../chain/embedded/accounts.ts'
import { type Anvil, startAnvil } from '../chain/embedded/anvil.ts'
import { createRpc } from '../chain/rpc.ts'
import { testServer, testVenue } from '../http/testing.ts'
import { devJsonRpc } from './dev-rpc.ts'

const CHAIN_ID = 31_337
const accounts = [developmentAccount(0), developmentAccount(1)]
const [alice, bob] = accounts.map(({ address }) => address) as [Hex, Hex]
const stranger = developmentAccount(5).address
const HOST = '127.0.0.1:8080'

let anvil: Anvil
let app: FastifyInstance
beforeAll(async () => {
  anvil = await startAnvil({ chainId: CHAIN_ID })
  const rpc = createRpc({ url: anvil.rpcUrl })
  await Promise.all(accounts.map(({ address }) => rpc.call('anvil_setBalance', [address, '0x56bc75e2d63100000'])))
  const devRpc = devJsonRpc({ rpc, rpcUrl: anvil.rpcUrl, accounts, log: testVenue().log })
  app = await testServer([], { app: { folder: null, config: {}, devRpc } })
})
afterAll(async () => {
  await app?.close()
  await anvil?.stop()
})

interface Coming {
  readonly remoteAddress?: string
  readonly headers?: Readonly<Record<string, string>>
}

async function post(body: unknown, { remoteAddress = '127.0.0.1', headers = {} }: Coming = {}) {
  const sent = { host: HOST, 'content-type': 'application/json', ...headers }
  const payload = typeof body === 'string' ? body : JSON.stringify(body)
  const answer = await app.inject({ method: 'POST', url: '/dev/rpc', remoteAddress, headers: sent, payload })
  return { status: answer.statusCode, body: answer.json() }
}
async function ask(method: string, params: readonly unknown[] = []) {
  const { status, body } = await post({ jsonrpc: '2.0', id: 7, method, params })
  expect([status, body.jsonrpc, body.id]).toEqual([200, '2.0', 7])
  return body
}

describe('the development wallet', () => {
  it('names its accounts and reads the chain', async () => {
    expect((await ask('eth_requestAccounts')).result.map((one: string) => one.toLowerCase())).toEqual([alice, bob])
    expect((await ask('eth_chainId')).result).toBe('0x7a69')
    expect(BigInt((await ask('eth_getBalance', [alice, 'latest'])).result)).toBeGreaterThan(0n)
  })

  it('sends what its accounts send, each once, also many at once', async () => {
    const before = BigInt((await ask('eth_getBalance', [stranger, 'latest'])).result)
    const sent = await Promise.all(
      Array.from({ length: 8 }, () => ask('eth_sendTransaction', [{ from: alice, to: stranger, value: '0x5' }])),
    )
    const hashes = new Set(sent.map(({ result }) => result))
    expect(hashes.size).toBe(8)
    await expect
      .poll(
        async () => {
          const receipts = await Promise.all([...hashes].map((hash) => ask('eth_getTransactionReceipt', [hash])))
          return receipts.map(({ result }) => result?.status)
        },
        { timeout: 120_000 },
      )
      .toEqual(Array(8).fill('0x1'))
    expect(BigInt((await ask('eth_getBalance', [stranger, 'latest'])).result)).toBe(before + 40n)
  })

  it('signs texts, typed data and transactions', async () => {
    const text = await ask('personal_sign', ['0x68656c6c6f', bob])
    expect((await recoverMessageAddress({ message: 'hello', signature: text.result })).toLowerCase()).toBe(bob)
    const typed = {
      domain: { name: 'Bourse', chainId: CHAIN_ID },
      types: { EIP712Domain: [{ name: 'name', type: 'string' }], Note: [{ name: 'amount', type: 'uint256' }] },
      primaryType: 'Note',
      message: { amount: '5' },
    } as const
    const types = { ...typed.types, EIP712Domain: [...typed.types.EIP712Domain, { name: 'chainId', type: 'uint256' }] }
    const data = { ...typed, types }
    const { result: signature } = await ask('eth_signTypedData_v4', [bob, JSON.stringify(data)])
    expect((await recoverTypedDataAddress({ ...data, signature } as never)).toLowerCase()).toBe(bob)
    const transaction = { from: bob, to: stranger, value: '0x1', gas: '0x5208', nonce: '0x0' }
    const { result } = await ask('eth_signTransaction', [transaction])
    expect(parseTransaction(result)).toMatchObject({ to: stranger, value: 1n, gas: 21_000n, chainId: CHAIN_ID })
  })

  it.each<[string, string, readonly unknown[], number, RegExp]>([
    ['a method that is not listed', 'anvil_setBalance', [alice, '0x0'], 4200, /anvil_setBalance is not served here/],
    ['a way to more accounts', 'eth_sign', [alice, '0x00'], 4200, /not served/],
    [
      'another account',
      'eth_sendTransaction',
      [{ from: stranger, to: alice }],
      4100,
      /none of the development accounts/,
    ],
    ['a text of another account', 'personal_sign', ['0x00', stranger], 4100, /none of the development accounts/],
    ['no transaction', 'eth_sendTransaction', [], 4100, /none of/],
    ['an unknown field', 'eth_sendTransaction', [{ from: alice, colour: 'red' }], -32_602, /unknown field colour/],
    ['a decimal amount', 'eth_sendTransaction', [{ from: alice, value: '5' }], -32_602, /hex quantity/],
  ])('refuses %s', async (_, method, params, code, message) => {
    const { error, result } = await ask(method, params)
    expect(result).toBeUndefined()
    expect(error).toEqual({ code, message: expect.stringMatching(message) })
  })

  it('says why the chain refuses a transaction', async () => {
    const much = `0x${'f'.repeat(40)}`
    const { error } = await ask('eth_sendTransaction', [{ from: alice, to: stranger, value: much }])
    expect(error.message).toMatch(/[Ii]nsufficient funds/)
  })

  it('refuses what is no request', async () => {
    expect((await post([{ jsonrpc: '2.0', id: 1, method: 'eth_chainId' }])).body.error.code).toBe(-32_600)
    expect((await post('{"method":')).body.error.code).toBe(-32_700)
    expect((await post('{}', { headers: { 'content-type': 'text/plain' } })).body.error.code).toBe(-32_700)
  })

  it.each<[string, Coming]>([
    ['another machine', { remoteAddress: '203.0.113.7' }],
    ['a proxy', { headers: { 'x-forwarded-for': '203.0.113.7' } }],
    ['a proxy that says less', { headers: { 'x-forwarded-proto': 'https' } }],
    ['another site’s page', { headers: { origin: 'https://evil.example' } }],
    ['another port’s page', { headers: { origin: 'http://127.0.0.1:3000' } }],
    ['a name that was turned to this address', { headers: { host: 'evil.example', origin: 'http://evil.example' } }],
  ])('is not for %s', async (_, coming) => {
    const { status } = await post({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }, coming)
    expect(status).toBe(403)
  })

  it('is for the venue’s own page, and nowhere but on an embedded venue', async () => {
    const request = { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }
    expect((await post(request, { headers: { origin: `http://${HOST}` } })).body.result).toBe('0x7a69')
    const other = await testServer([], { app: { folder: null, config: {}, devRpc: null } })
    expect((await other.inject({ method: 'POST', url: '/dev/rpc', payload: request })).statusCode).toBe(404)
    await other.close()
  })
})
