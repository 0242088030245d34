import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { within } from '../src/db/testing-template.ts'
import { sleep } from '../src/lib/clock.ts'
import { Client, eventually } from './client.ts'
import { type EmbeddedProcess, keyStoreOf, runEmbedded, untilSaved } from './venue.ts'
import { type CalldataResult, Wallet } from './wallet.ts'

type Hex = `0x${string}`

// The embedded venue over its restarts. Each test goes on with the data folder of the one before.

let folder: string
let dataDir: string
let running: EmbeddedProcess | null = null
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bourse-restart-'))
  dataDir = join(folder, 'data')
})
afterAll(async () => {
  await running?.stop()
  await rm(folder, { recursive: true, force: true })
})

async function start(): Promise<EmbeddedProcess> {
  running = await runEmbedded(dataDir, {}, true)
  return running
}

async function stop(): Promise<void> {
  await running?.stop()
  running = null
}

const clientOf = ({ dev }: EmbeddedProcess) =>
  new Client({ baseUrls: [dev.stock.baseUrl], chainId: 31_337, productType: 'Bourse', key: dev.stock.keys[0] })

const walletOf = ({ dev }: EmbeddedProcess) => new Wallet(dev.chain.rpcUrl, dev.accounts[0]?.privateKey as Hex)

async function mUsdBalance(venue: EmbeddedProcess): Promise<string> {
  const client = clientOf(venue)
  const path = `/api/v1/users/${venue.dev.accounts[0]?.address}/balance`
  return (await client.data(client.get<{ mUsdBalance: string }>(path))).mUsdBalance
}

interface OrderDetail {
  readonly orderStatus: string
  readonly historyOrder: { filledNotional: number; feeAmount: number } | null
}

async function deposit(venue: EmbeddedProcess, amount: string): Promise<void> {
  const client = clientOf(venue)
  const wallet = walletOf(venue)
  const { USDC, StockRouter } = venue.dev.contracts
  await wallet.approve(USDC as Hex, StockRouter as Hex, 2n ** 255n)
  const body = { userAddress: wallet.account.address, tokenAddress: USDC, tokenAmount: amount }
  await wallet.submit(await client.data(client.post<CalldataResult>('/api/v1/cash/deposits/calldata', body)))
}

async function placeOrder(venue: EmbeddedProcess, notional: string): Promise<Hex> {
  const client = clientOf(venue)
  const symbols = await client.data(client.get<{ contractAddress: Hex }[]>('/api/v1/symbols'))
  const deadline = Math.floor(Date.now() / 1000) + 3600
  const order = { stockAddress: symbols[0]?.contractAddress, side: 'Buy', type: 'Market', notional, deadline }
  const calldata = await client.data(client.post<CalldataResult>('/api/v1/orders/calldata', order))
  const txHash = await walletOf(venue).submit(calldata)
  await client.data(client.post('/api/v1/orders/tx', { txHash }))
  return txHash
}

async function settled(venue: EmbeddedProcess, txHash: Hex): Promise<OrderDetail> {
  const client = clientOf(venue)
  return eventually(
    () => client.data(client.get<OrderDetail>(`/api/v1/orders/tx/${txHash}`)),
    ({ historyOrder }) => historyOrder !== null,
  )
}

describe('the embedded venue over restarts', () => {
  it('keeps balances, keys and addresses after SIGTERM, and ends with exit code 0', async () => {
    const first = await start()
    await deposit(first, '1000')
    await eventually(
      () => mUsdBalance(first),
      (balance) => balance === '1000',
    )
    const { contracts, accounts, stock } = first.dev
    await stop()

    const second = await start()
    expect(second.dev.contracts).toEqual(contracts)
    expect(second.dev.accounts).toEqual(accounts)
    expect(second.dev.stock.keys).toEqual(stock.keys)
    expect(await mUsdBalance(second)).toBe('1000')
  })

  it('asks its database a hundred things a second while nothing happens, not thousands', async () => {
    const { databaseUrl } = await keyStoreOf(dataDir)
    await within(databaseUrl, async (sql) => {
      const commits = async () => {
        const [row] = await sql<{ commits: number }[]>`
          select xact_commit::float8 as commits from pg_stat_database where datname = current_database()`
        return row?.commits ?? 0
      }
      const askedMeanwhile = async () => {
        const before = await commits()
        await sleep(5000)
        return (await commits()) - before
      }
      // Once it has caught up. A loop that wakes itself makes as many as the machine can, for as long as it runs.
      expect(await eventually(askedMeanwhile, (asked) => asked < 1500)).toBeGreaterThan(50)
    })
  })

  it('refuses a second venue on the same folder and says what to do', async () => {
    await expect(runEmbedded(dataDir)).rejects.toThrow(/already runs on .*stop it first/)
  })

  it('settles an order once although the venue is killed right after it was placed', async () => {
    const killed = running as EmbeddedProcess
    const txHash = await placeOrder(killed, '100')
    killed.process.kill('SIGKILL')
    await once(killed.process, 'exit')

    const survivor = await start()
    const { orderStatus, historyOrder } = await settled(survivor, txHash)
    expect(orderStatus).toBe('Filled')
    const spent = (historyOrder?.filledNotional ?? 0) + (historyOrder?.feeAmount ?? 0)
    expect(Number(await mUsdBalance(survivor))).toBeCloseTo(1000 - spent, 9)
  })

  it('goes on when the killed venue, its chain and its database all died at once', async () => {
    const killed = running as EmbeddedProcess
    const txHash = await placeOrder(killed, '50')
    await settled(killed, txHash)
    // From here on a kill loses the newest blocks at most.
    await untilSaved(dataDir, await walletOf(killed).chain.getBlockNumber())
    const before = await mUsdBalance(killed)
    killed.killEverything()

    const survivor = await start()
    await eventually(
      () => mUsdBalance(survivor),
      (balance) => balance === before,
    )
    const again = await placeOrder(survivor, '50')
    expect((await settled(survivor, again)).orderStatus).toBe('Filled')
    await stop()
  })
})
