import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { selfSigned } from '../src/http/testing-certificate.ts'
import { eventually } from './client.ts'
import { type PerpAnswer, PerpClient, type PerpKey } from './perp-client.ts'
import { type EmbeddedProcess, runEmbedded } from './venue.ts'
import { Wallet } from './wallet.ts'

// The way of a wallet to money in the venue, over HTTPS: key, approval, One Click, deposit, withdrawal.

type Hex = `0x${string}`

/** A transaction as the API builds it. */
interface Built {
  readonly to: Hex
  readonly data: Hex
  readonly value: string
}

let folder: string
let venue: EmbeddedProcess
/** The base URL, with the name that the certificate has. */
let baseUrl: string
let chainId: number
let wallet: Wallet
let client: PerpClient
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bourse-perp-access-'))
  const { cert, key } = selfSigned()
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  await writeFile(certFile, cert)
  await writeFile(keyFile, key)
  setDefaultCACertificates([...getCACertificates(), cert])
  venue = await runEmbedded(join(folder, 'data'), { TLS_CERT: certFile, TLS_KEY: keyFile })
  const { perp } = venue.dev as unknown as { perp: { baseUrl: string; chainId: number } }
  ;({ chainId } = perp)
  baseUrl = perp.baseUrl.replace('127.0.0.1', 'localhost')
  wallet = new Wallet(venue.dev.chain.rpcUrl, venue.dev.accounts[5]?.privateKey ?? '0x')
})
afterAll(async () => {
  await venue?.stop()
  await rm(folder, { recursive: true, force: true })
})

/** A key, by the wallet's signature over the text of perp-api 3. */
async function createKey(): Promise<PerpAnswer<PerpKey>> {
  const account = privateKeyToAccount(venue.dev.accounts[5]?.privateKey ?? '0x')
  const fields = {
    chainID: chainId,
    address: account.address.toLowerCase(),
    nonce: randomUUID(),
    timestamp: Date.now(),
  }
  const message = `Chain ID: ${chainId}\nWallet Address: ${fields.address}\nNonce: ${fields.nonce}\nTimestamp: ${fields.timestamp}\nSign this message to authenticate with Bourse API.`
  const response = await fetch(`${baseUrl}/v4/public/trader/api-key/create`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...fields, signature: await account.signMessage({ message }) }),
  })
  const body = (await response.json()) as PerpAnswer<PerpKey>['body']
  return { status: response.status, headers: response.headers, body }
}

const done = ({ to, data, value }: Built) =>
  wallet.submit({ toAddress: to, callData: data, value, chainId, productType: 'perp', method: 'built' })

async function balance(): Promise<{ readonly balance: string; readonly allowance: string }> {
  const { body } = await client.get<{ portfolios: [{ balance: string; allowance: string }] }>('account/wallet-balance')
  return body.data.portfolios[0]
}

describe('a wallet comes to a venue', () => {
  it('by HTTPS: a client of plain HTTP gets no answer of it', async () => {
    expect(baseUrl).toMatch(/^https:/)
    const plain = request(`${baseUrl.replace('https:', 'http:')}/v4/public/trader/market/serverTime`)
    await expect(
      new Promise((resolve, reject) => {
        plain.on('response', resolve)
        plain.on('error', reject)
        plain.end()
      }),
    ).rejects.toThrow()
  })

  it('makes its first key by a signature', async () => {
    const { status, body } = await createKey()
    expect([status, body.code]).toEqual([200, 0])
    client = new PerpClient(baseUrl, chainId, body.data)
    const list = await client.get<{ apiKey: string }[]>('api-key/list')
    expect(list.body.data.map(({ apiKey }) => apiKey)).toEqual([body.data.apiKey])
  })

  it('approves Gate, enables One Click, deposits and withdraws', async () => {
    expect(await balance()).toMatchObject({ balance: '0', allowance: '0' })
    const approval = await client.post<{ transaction: Built }>('approve/prepare', { quote: 'USDC', amount: '1000' })
    await done(approval.body.data.transaction)
    expect((await balance()).allowance).toBe(`1000${'0'.repeat(18)}`)

    const refused = await client.post('account/deposit', { quote: 'USDC', amount: '600' })
    expect([refused.status, refused.body.code]).toEqual([403, 40302])
    const deadline = 4_000_000_000
    const { body } = await client.post<{ signPayload: never }>('1ct/prepare', { deadline })
    const account = privateKeyToAccount(venue.dev.accounts[5]?.privateKey ?? '0x')
    const signature = await account.signTypedData(body.data.signPayload)
    expect((await client.post('1ct/enable', { signature, deadline })).status).toBe(200)
    const status = () => client.get<{ status: string }>('1ct/status')
    await eventually(status, (answer) => answer.body.data.status === 'enable')

    expect((await client.post('account/deposit', { quote: 'USDC', amount: '600' })).status).toBe(200)
    await eventually(balance, (now) => now.balance === `600${'0'.repeat(18)}`)
    const built = await client.post<{ transaction: Built }>('account/withdraw', {
      quote: 'USDC',
      amount: '100.5',
      build: true,
    })
    await done(built.body.data.transaction)
    expect((await balance()).balance).toBe(`4995${'0'.repeat(17)}`)
  })
})
