import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPublicClient, createWalletClient, erc20Abi, http, maxUint256, parseGwei } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { instrumentAbi } from '../src/chain/abi/instrument.ts'
import { eventually } from './client.ts'
import { issuedKey } from './keys.ts'
import { type PerpAnswer, PerpClient } from './perp-client.ts'
import { type EmbeddedProcess, runCli, runEmbedded } from './venue.ts'

type Hex = `0x${string}`

interface PerpDev {
  readonly baseUrl: string
  readonly chainId: number
  readonly instruments: readonly { readonly symbol: string; readonly address: Hex; readonly expiry: number }[]
}

// A whole venue, as `npm start` runs it: a wallet trades a perpetual by its own signature, then by One Click.

let folder: string
let venue: EmbeddedProcess
let client: PerpClient
let pair: PerpDev['instruments'][number]
let account: ReturnType<typeof privateKeyToAccount>
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bourse-perp-trading-'))
  const dataDir = join(folder, 'data')
  venue = await runEmbedded(dataDir)
  const perp = (venue.dev as unknown as { perp: PerpDev }).perp
  pair = perp.instruments[0] as typeof pair
  account = privateKeyToAccount(venue.dev.accounts[5]?.privateKey as Hex)
  const text = runCli({ DATA_DIR: dataDir })(
    ...['keys', 'create', '--label', 'trader', '--access', 'WRITABLE', '--product', 'perp', '--user', account.address],
  )
  client = new PerpClient(perp.baseUrl, perp.chainId, issuedKey(text))
})
afterAll(async () => {
  await venue?.stop()
  await rm(folder, { recursive: true, force: true })
})

const chain = () => createPublicClient({ chain: foundry, transport: http(venue.dev.chain.rpcUrl), pollingInterval: 50 })
const wallet = () => createWalletClient({ chain: foundry, transport: http(venue.dev.chain.rpcUrl), account })

async function mined(hash: Hex): Promise<void> {
  const { status } = await chain().waitForTransactionReceipt({ hash })
  expect(status).toBe('success')
}

async function size(): Promise<bigint> {
  const args = [pair.expiry, account.address] as const
  const read = { address: pair.address, abi: instrumentAbi, functionName: 'getPortfolio', args } as const
  return (await chain().readContract(read)).position.size
}

/** The payload of an answer; what is no success fails the test with its words. */
async function data<T>(answer: Promise<PerpAnswer<T>>): Promise<T> {
  const { body } = await answer
  expect([body.msg, body.code]).toEqual(['', 0])
  return body.data
}

interface Built {
  readonly transaction: { chainId: number; to: Hex; value: string; data: Hex; gas: string; nonce: number }
  readonly simulation: { readonly after: { readonly size: string } }
}

const buy = () => ({
  instrument: pair.symbol,
  expiry: pair.expiry,
  size: '0.02',
  side: 2,
  leverage: '5',
  slippageBps: 50,
  deadline: 0,
  gasLimit: 0,
})

describe('a perpetual of an embedded venue', () => {
  it('is bought by a plain wallet, which signs what the API has built', async () => {
    const token = venue.dev.contracts.USDC as Hex
    const spender = venue.dev.contracts.Gate as Hex
    const approval = { address: token, abi: erc20Abi, functionName: 'approve', args: [spender, maxUint256] } as const
    await mined(await wallet().writeContract(approval))
    const { transaction, simulation } = await data(
      client.post<Built>('order/build', { action: 'market', params: buy() }),
    )
    const { to, nonce, chainId } = transaction
    const fees = { maxFeePerGas: parseGwei('20'), maxPriorityFeePerGas: parseGwei('1') }
    const signedTransaction = await account.signTransaction({
      to,
      nonce,
      chainId,
      data: transaction.data,
      value: BigInt(transaction.value),
      gas: BigInt(transaction.gas),
      type: 'eip1559',
      ...fees,
    })
    const { txHash } = await data(client.post<{ txHash: Hex }>('order/submit', { signedTransaction }))
    await mined(txHash)
    expect(await size()).toBe(2n * 10n ** 16n)
    expect(simulation.after.size).toBe(String(2n * 10n ** 16n))
  })

  it('is sold by One Click, once the wallet has enabled it', async () => {
    const close = { instrument: pair.symbol, expiry: pair.expiry, slippageBps: 100 }
    const early = await client.post('position/close', close)
    expect([early.status, early.body.code]).toEqual([403, 40302])
    const deadline = 4_000_000_000
    const { signPayload } = await data(client.post<{ signPayload: never }>('1ct/prepare', { deadline }))
    const signature = await account.signTypedData(signPayload)
    await data(client.post('1ct/enable', { signature, deadline }))
    await eventually(
      async () => (await data(client.get<{ status: string }>('1ct/status'))).status,
      (status) => status === 'enable',
    )
    // The answer may come before the relayer has signed it, and has no hash then.
    await data(client.post('position/close', close))
    expect(await eventually(size, (held) => held === 0n)).toBe(0n)
  })
})
