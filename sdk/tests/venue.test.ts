import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createWalletClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../server/e2e/client.ts'
import { type EmbeddedProcess, runEmbedded } from '../../server/e2e/venue.ts'
import { type Client, systemClock, type Transport } from '../src/core/client.ts'
import {
  buildCashDeposit,
  closeSession,
  createClient,
  enableOneClick,
  getCashDeposits,
  getClock,
  getOneClick,
  getOrders,
  getSend,
  getSessions,
  getSymbols,
  openStream,
  placeOrder,
  prepareOneClick,
  recordCashDeposit,
  type StockMessage,
  Unauthenticated,
} from '../src/stock/index.ts'
import { approve } from '../src/wallet/approval.ts'
import { signIn } from '../src/wallet/sign-in.ts'
import { type Hex, sendBuilt, signOneClick, waitMined } from '../src/wallet/wallet.ts'

// A whole venue, as `npm start` runs it.

const root = join(import.meta.dirname, '..', '..')
let folder: string
let venue: EmbeddedProcess
let market: Client<'stock'>
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bourse-sdk-venue-'))
  venue = await runEmbedded(join(folder, 'data'))
  market = createClient({ baseUrl: venue.dev.stock.baseUrl, chainId: 31_337, productType: 'Bourse' })
})
afterAll(async () => {
  await venue?.stop()
  await rm(folder, { recursive: true, force: true })
})

const walletOf = (index: number) => {
  const account = privateKeyToAccount(venue.dev.accounts[index]?.privateKey as Hex)
  return createWalletClient({ account, transport: http(venue.dev.chain.rpcUrl), pollingInterval: 100 })
}

/** What the programs of the README print, in order. */
const PRINTED = [
  /^AAPL costs \d+(\.\d+)?$/,
  /^signed in as 0x[0-9a-f]{40}$/,
  /^deposited 2500$/,
  /^the order locks 500(\.\d+)?$/,
  /^bought \d+\.\d+ at \d+(\.\d+)?$/,
  /^withdrew 4\d\d\.\d+$/,
  /^One Click is enabled$/,
  /^the trade is (Pending|Confirmed); the stream says \S+\/USDC$/,
  /^the position is 20000000000000000$/,
  /^true amount_invalid tokenAmount /,
]

it('the programs of the README run, one after the other', async () => {
  const text = await readFile(join(root, 'sdk', 'README.md'), 'utf8')
  const program = [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code]) => code).join('\n')
  const node = spawn(process.execPath, ['--input-type=module-typescript', '-'], {
    cwd: root,
    env: { ...process.env, DATA_DIR: join(folder, 'data') },
  })
  let output = ''
  node.stdout.on('data', (chunk: Buffer) => {
    output += chunk
  })
  node.stderr.on('data', (chunk: Buffer) => {
    output += chunk
  })
  node.stdin.end(program)
  const [code] = await once(node, 'exit')
  const lines = output.trim().split('\n')
  expect([code, lines.length], output).toEqual([0, PRINTED.length])
  expect(lines.filter((line, nth) => !PRINTED[nth]?.test(line))).toEqual([])
})

describe('a session', () => {
  it('is opened, listed and closed, and then signs nothing more', async () => {
    const { signer } = await signIn(market, walletOf(3))
    const client = market.with({ signer })
    expect(await getSessions(client)).toMatchObject([{ apiKey: signer.apiKey, current: true }])
    await closeSession(client)
    await expect(getSessions(client)).rejects.toThrow(Unauthenticated)
  })

  it('works by a clock that is a minute off, after it was corrected once', async () => {
    const { signer } = await signIn(market, walletOf(3))
    const requests: string[] = []
    const transport: Transport = (url, init) => {
      requests.push(url)
      return fetch(url, init)
    }
    const clock = { ...systemClock, now: () => Date.now() - 60_000 }
    const late = createClient({ ...market.options, productType: 'Bourse', signer, clock, transport })
    await getOrders(late)
    await getOrders(late)
    expect(requests).toHaveLength(3)
  })
})

describe('an order by One Click', () => {
  it('of which an answer is lost and the stream is cut is placed once, and told without a gap', async () => {
    const wallet = walletOf(4)
    const { signer } = await signIn(market, wallet)
    const client = market.with({ signer })
    await deposited(client, wallet)
    await enableOneClick(client, await signOneClick(wallet, await prepareOneClick(client, { deadline: 4_000_000_000 })))
    await eventually(
      () => getOneClick(client),
      ({ status }) => status === 'enable',
    )
    const cuts: { close(code?: number): void }[] = []
    const streamed = client.with({
      stream: (url, protocols) => {
        const socket = new WebSocket(url, [...protocols])
        cuts.push(socket)
        return socket as never
      },
    })
    const messages: StockMessage<'orders'>[] = []
    const stream = openStream(streamed)
    stream.subscribe('orders', (message) => messages.push(message))
    const seen = (what: (message: StockMessage<'orders'>) => boolean) =>
      eventually(
        async () => messages,
        (all) => all.some(what),
      )
    await seen(({ type }) => type === 'snapshot')

    const stock = (await getSymbols(client)).find(({ symbol }) => symbol === 'AAPL')
    const deadline = Math.floor(Date.now() / 1000) + 3600
    const order = {
      stockAddress: stock?.contractAddress ?? '',
      side: 'Buy',
      type: 'Market',
      notional: '50',
      deadline,
    } as const
    const losing = client.with({ transport: losingFirstAnswers(2) })
    const sent = await placeOrder(losing, order)
    for (const socket of cuts) socket.close()
    const isOf = (status: string) => (message: StockMessage<'orders'>) =>
      message.type === 'delta' && message.data?.orderStatus === status
    await seen(isOf('Filled'))
    stream.close()

    const { rows, total } = await getOrders(client)
    const { orderId } = await getSend(client, { id: sent.id })
    expect([total, rows[0]?.orderId]).toEqual([1, orderId])
    expect(cuts.length).toBeGreaterThan(1)
    const counted = messages.flatMap((message) => (message.type === 'delta' ? [message] : []))
    expect(messages.filter(({ type }) => type === 'gap')).toEqual([])
    for (const [nth, { previous }] of counted.entries()) {
      if (nth > 0) expect(previous).toBe(counted[nth - 1]?.sequence)
    }
  })
})

it('an open stream follows quotes without a key, and is refused what is a key’s', async () => {
  const messages: StockMessage[] = []
  const stream = openStream(market)
  stream.subscribe('quotes:AAPL', (message) => messages.push(message))
  stream.subscribe('orders', (message) => messages.push(message))
  await eventually(
    async () => messages.map(({ type }) => type),
    (types) => types.includes('snapshot') && types.includes('error'),
  )
  stream.close()
  expect(messages.flatMap((message) => (message.type === 'snapshot' ? [message.data] : []))).toMatchObject([{}])
  expect((await getClock(market)).session).toBeTypeOf('string')
})

/** Requests arrive, and their first answers get lost. */
function losingFirstAnswers(count: number): Transport {
  let lost = 0
  return async (url, init) => {
    const response = await fetch(url, init)
    if (lost++ >= count) return response
    await response.text()
    throw new TypeError('the connection was reset')
  }
}

async function deposited(client: Client<'stock'>, wallet: ReturnType<typeof walletOf>): Promise<void> {
  const { StockRouter: router = '', USDC: token = '' } = venue.dev.contracts
  await approve(wallet, { chainId: client.options.chainId, token, spender: router, amount: 100_000_000n })
  const money = { userAddress: wallet.account.address, tokenAddress: token, tokenAmount: '100' }
  const hash = await sendBuilt(wallet, await buildCashDeposit(client, money), { allowed: [router] })
  await waitMined(wallet, hash)

  await recordCashDeposit(client, { txHash: hash })
  await eventually(
    () => getCashDeposits(client),
    ({ rows }) => rows[0]?.operationStatus === 'success',
  )
}
