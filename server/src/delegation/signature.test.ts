import { type Hex, hashMessage } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Anvil, startAnvil } from '../chain/embedded/anvil.ts'
import { createRpc, type Rpc } from '../chain/rpc.ts'
import { RpcError } from '../chain/rpc-error.ts'
import { accountOf, formProblem, requireSignature, walletAccepts } from './signature.ts'

const DIGEST = hashMessage('a message')
const WALLET = `0x${'c0de'.repeat(10)}` as const
/** A contract that answers every call with these 32 bytes. */
const answering = (word: string): Hex => `0x7f${word}5f5260205ff3`
const ACCEPTED = '1626ba7e'.padEnd(64, '0')

let anvil: Anvil
let rpc: Rpc
beforeAll(async () => {
  anvil = await startAnvil({ chainId: 31_337 })
  rpc = createRpc({ url: anvil.rpcUrl })
})
afterAll(() => anvil.stop())

const becomes = (code: Hex) => rpc.call('anvil_setCode', [WALLET, code])
const accepts = () => walletAccepts(rpc, WALLET, DIGEST, '0x01')

describe('a contract wallet', () => {
  it('accepts by the whole word of ERC-1271', async () => {
    await becomes(answering(ACCEPTED))
    expect(await accepts()).toBe(true)
  })

  it.each([
    ['a word that only begins with it', answering(`1626ba7e${'0'.repeat(55)}1`)],
    ['the value at the other end of the word', answering('1626ba7e'.padStart(64, '0'))],
    ['another word', answering('deadbeef'.padEnd(64, '0'))],
    ['less than a word', '0x631626ba7e60e01b5f5260045ff3' as Hex],
    ['a revert', '0x5f5ffd' as Hex],
    ['megabytes that begin with it', `0x7f${ACCEPTED}5f52620fffff5ff3` as Hex],
    ['a revert with megabytes', '0x620fffff5ffd' as Hex],
    ['endless work', '0x5b5f56' as Hex],
    ['no contract at all', '0x' as Hex],
  ])('refuses by %s', async (_, code) => {
    await becomes(code)
    expect(await accepts()).toBe(false)
    const signer = { user: WALLET, isContract: true }
    const refused = requireSignature({ venue: { rpc }, prefix: '/1ct' }, signer, DIGEST, '0x01')
    await expect(refused).rejects.toThrow(/does not accept it/)
  })

  it('is not taken for refusing when the node does not answer', async () => {
    const away = createRpc({ url: 'http://127.0.0.1:9' })
    await expect(walletAccepts(away, WALLET, DIGEST, '0x01')).rejects.toMatchObject({
      reason: { name: 'chain_not_answering' },
    })
  })

  it.each([
    [-32_005, 'rate limit exceeded'],
    [-32_603, 'internal error'],
    [429, 'Too Many Requests'],
  ])('is not taken for refusing when the node answers %i, %s', async (code, message) => {
    const error = new RpcError('rpc_error', 'eth_call', message, { rpc: { code, message } })
    const busy = { outcomes: async () => [{ ok: false, error }] } as unknown as Rpc
    await expect(walletAccepts(busy, WALLET, DIGEST, '0x01')).rejects.toMatchObject({
      reason: { name: 'chain_not_answering' },
    })
  })
})

describe('an account', () => {
  it('is known by its signature, in the one form that contracts take', async () => {
    const account = privateKeyToAccount(generatePrivateKey())
    const signature = await account.sign({ hash: DIGEST })
    expect(formProblem(signature)).toBeNull()
    expect(await accountOf(DIGEST, signature)).toBe(account.address.toLowerCase())
    expect(formProblem(signature.slice(0, -2) as Hex)).toMatch(/65 bytes long .* got 64/)
    expect(formProblem(`${signature.slice(0, -2)}00` as Hex)).toMatch(/27 or 28/)
    expect(formProblem(`0x${'ff'.repeat(64)}1b`)).toMatch(/upper half/)
  })
})
