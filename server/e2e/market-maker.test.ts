import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getOpenOrders, getPositions, type Socket } from '@bourse/sdk/perp'
import type { Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MarketMaker } from '../../docs/examples/market-maker.ts'
import { openAccount, type PerpClient } from '../../docs/examples/perp-account.ts'
import { Taker } from '../../docs/examples/taker.ts'
import { eventually } from './client.ts'
import { type EmbeddedProcess, runEmbedded } from './venue.ts'

interface PerpDev {
  readonly baseUrl: string
  readonly chainId: number
  readonly instruments: readonly { readonly symbol: string; readonly address: Hex }[]
}

// The market maker of docs/examples on a venue of its own, with somebody who trades against it.

let folder: string
let venue: EmbeddedProcess
let maker: MarketMaker
let taker: Taker
let client: PerpClient
let stream: Socket
const symbol = 'BTC/USDC'
const mostInventory = 0.2
const size = 0.05
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bourse-market-maker-'))
  venue = await runEmbedded(join(folder, 'data'))
  const { baseUrl, chainId, instruments } = (venue.dev as unknown as { perp: PerpDev }).perp
  const { USDC = '0x', Gate = '0x' } = venue.dev.contracts
  const address = { baseUrl, chainId, rpcUrl: venue.dev.chain.rpcUrl, allowed: [USDC, Gate] }
  const [account, other] = venue.dev.accounts.slice(3)
  if (!account || !other) throw new Error('the venue has too few accounts')
  client = await openAccount(address, account.privateKey, '50000', {
    stream(url, protocols) {
      stream = new WebSocket(url, [...protocols]) as Socket
      return stream
    },
  })
  taker = new Taker(await openAccount(address, other.privateKey, '50000'), symbol)
  maker = new MarketMaker(client, {
    symbol,
    wallet: account.address.toLowerCase(),
    size,
    mostInventory,
    instrument: String(instruments.find((one) => one.symbol === symbol)?.address).toLowerCase(),
    halfSpreadBps: 4,
    toleranceBps: 3,
    skewBps: 4,
  })
})
afterAll(async () => {
  taker?.stop()
  maker?.stop()
  await venue?.stop()
  await rm(folder, { recursive: true, force: true })
})

describe('the market maker of the examples', () => {
  it('quotes both sides, follows the price, and is traded with, without an error', async () => {
    const running = maker.run()
    const sides = async () => new Set((await getOpenOrders(client)).map(({ side }) => side))
    await eventually(sides, (found) => found.size === 2)
    const trading = taker.run()
    await eventually(
      async () => maker.report,
      ({ placed, cancelled, taken }) => placed >= 6 && cancelled >= 2 && taken >= 1,
    )
    stream.close()
    await eventually(
      async () => maker.report.cuts,
      (cuts) => cuts >= 1,
    )
    const { placed } = maker.report
    await eventually(
      async () => maker.report.placed,
      (now) => now >= placed + 2,
    )
    taker.stop()
    expect(await trading).toBeGreaterThan(0)
    maker.stop()
    const report = await running
    expect(report.errors).toEqual([])
    // Both quotes may be taken in one block, before it has read that one was.
    expect(report.mostInventory).toBeLessThanOrEqual(mostInventory + size)
  })

  it('leaves nothing behind when it is stopped', async () => {
    expect(await getOpenOrders(client, { symbol })).toEqual([])
    expect(await getPositions(client, { symbol })).toEqual([])
  })
})
