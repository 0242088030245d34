import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Abi, createPublicClient, http, keccak256, toBytes } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { instrumentAbi } from '../src/chain/abi/instrument.ts'
import { linkMarketAbi } from '../src/chain/abi/link-market.ts'
import { stockOracleAbi } from '../src/chain/abi/stock-oracle.ts'
import { eventually } from './client.ts'
import { issuedKey } from './keys.ts'
import { PerpClient } from './perp-client.ts'
import { type EmbeddedProcess, runCli, runEmbedded } from './venue.ts'

type Hex = `0x${string}`

interface PerpDev {
  readonly baseUrl: string
  readonly chainId: number
  readonly instruments: readonly { readonly symbol: string; readonly address: Hex; readonly expiry: number }[]
}

let folder: string
let venue: EmbeddedProcess
let perp: PerpDev
let client: PerpClient
/** Of a key of its own, to use up what a key may ask. */
let busy: PerpClient
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bourse-perp-'))
  const dataDir = join(folder, 'data')
  venue = await runEmbedded(dataDir)
  perp = (venue.dev as unknown as { perp: PerpDev }).perp
  const makeClient = () => new PerpClient(perp.baseUrl, perp.chainId, createReader(dataDir))
  client = makeClient()
  busy = makeClient()
})

/** A key that may read. */
function createReader(dataDir: string) {
  const text = runCli({ DATA_DIR: dataDir })(
    ...['keys', 'create', '--label', 'reader', '--access', 'READ_ONLY', '--product', 'perp'],
  )
  return issuedKey(text)
}

afterAll(async () => {
  await venue?.stop()
  await rm(folder, { recursive: true, force: true })
})

const chain = () => createPublicClient({ transport: http(venue.dev.chain.rpcUrl) })
const read = (address: Hex, abi: Abi, functionName: string, args: readonly unknown[] = []) =>
  chain().readContract({ address, abi, functionName, args })
/** The index price that an instrument's market says, or null while it says none. */
async function spotOf(address: Hex): Promise<bigint | null> {
  const { market } = (await read(address, instrumentAbi, 'getSetting')) as { market: Hex }
  return (read(market, linkMarketAbi, 'getSpotPrice', [address]) as Promise<bigint>).catch(() => null)
}

describe('the perpetual product of an embedded venue', () => {
  it('tells the time', async () => {
    const before = Date.now()
    const { status, body } = await client.get<number>('market/serverTime')
    expect([status, body.code, body.msg]).toEqual([200, 0, ''])
    expect(body.data).toBeGreaterThanOrEqual(before)
    expect(body.data).toBeLessThanOrEqual(Date.now())
  })

  it('lists its instruments as the chain has them, at a named block', async () => {
    const { status, headers, body } = await client.get<Record<string, unknown>[]>('market/instruments')
    expect(status).toBe(200)
    expect(headers.get('ratelimit-limit')).toBe('120')
    const listed = body.data.map(({ symbol, instrumentAddress }) => ({ symbol, address: instrumentAddress }))
    expect(listed).toEqual(perp.instruments.map(({ symbol, address }) => ({ symbol, address })))
    expect(listed.map(({ symbol }) => symbol)).toEqual(['BTC/USDC', 'ETH/USDC', 'SPX/USDC'])
    const setting = await chain().readContract({
      address: perp.instruments[0]?.address as Hex,
      abi: instrumentAbi,
      functionName: 'getSetting',
    })
    expect(body.data[0]).toMatchObject({
      quote: { symbol: 'USDC', address: setting.quote.toLowerCase(), decimals: 6 },
      market: { address: setting.market.toLowerCase(), type: 'LINK' },
      initialMarginRatio: setting.initialMarginRatio,
      minMarginAmount: String(setting.param.minMarginAmount),
      minTradeValue: String((setting.param.minMarginAmount * 10_000n) / BigInt(setting.initialMarginRatio)),
      instrumentCondition: 'NORMAL',
    })
    const block = await chain().getBlock({ blockNumber: BigInt(body.blockInfo?.height ?? 0) })
    expect(block.timestamp).toBe(BigInt(body.blockInfo?.timestamp ?? 0))
  })

  it('finds one by its symbol, whose slash is signed percent-encoded', async () => {
    const { body } = await client.get<{ symbol: string }[]>('market/instruments', {
      symbol: 'ETH/USDC',
      chainId: '31337',
    })
    expect(body.data.map(({ symbol }) => symbol)).toEqual(['ETH/USDC'])
  })

  it.each([
    ['an unknown symbol', { symbol: 'DOGE/USDC' }, 40002, 'there is no instrument DOGE/USDC; there is BTC/USDC'],
    ['no symbol at all', { symbol: 'BTC' }, 40001, 'symbol'],
    ['another chain', { chainId: '1' }, 40001, 'chainId must be 31337'],
    ['an unknown parameter', { colour: 'red' }, 40001, 'colour'],
  ])('refuses %s', async (_, query, code, message) => {
    const { status, body } = await client.get('market/instruments', query)
    expect([status, body.code, body.data]).toEqual([400, code, {}])
    expect(body.msg).toContain(message)
  })

  it('refuses whoever does not sign rightly, and lets a reader not write', async () => {
    const stranger = new PerpClient(perp.baseUrl, perp.chainId, { apiKey: 'a', apiSecret: 'b' })
    const refused = await stranger.get('market/serverTime')
    expect([refused.status, refused.body.code, refused.body.msg]).toEqual([401, 40101, 'Unauthorized'])
    expect((await stranger.get('market/unknown')).body).toMatchObject({ code: 40101 })
    expect((await client.get('market/unknown')).body).toMatchObject({ code: 40401 })
    const written = await client.post('market/unknown', { b: 1, a: 2 })
    expect([written.status, written.body.code]).toEqual([403, 40301])
  })

  it('has liquidity in each pair, at a price that follows the market', async () => {
    for (const { address, expiry } of perp.instruments) {
      const amm = await chain().readContract({ address, abi: instrumentAbi, functionName: 'getAmm', args: [expiry] })
      expect(amm.liquidity).toBeGreaterThan(0n)
    }
    const [btc, , spx] = perp.instruments.map(({ address }) => address) as [Hex, Hex, Hex]
    const before = await spotOf(btc)
    await eventually(
      () => spotOf(btc),
      (now) => now !== before,
    )
    // The index is priced by the stock product, as soon as that has published.
    const oracle = venue.dev.contracts.StockOracle as Hex
    const published = async () => {
      const args = [keccak256(toBytes('SPX'))]
      const price = await read(oracle, stockOracleAbi, 'latestPrice', args).catch(() => null)
      return price && String((price as { price: bigint }).price * 10n ** 10n)
    }
    await eventually(
      async () => [await published(), String(await spotOf(spx))],
      ([oracleSays, marketSays]) => oracleSays !== null && marketSays === oracleSays,
    )
  })

  it('lets a key ask 120 times a minute, and says in headers what is left and when to come back', async () => {
    for (let left = 119; left >= 0; left--) {
      const { status, headers } = await busy.get('market/serverTime')
      expect([status, headers.get('ratelimit-limit'), headers.get('ratelimit-remaining')]).toEqual([
        200,
        '120',
        String(left),
      ])
    }
    const { status, headers, body } = await busy.get('market/serverTime')
    expect([status, body.code, body.data]).toEqual([429, 42901, {}])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60)
    expect((await client.get('market/serverTime')).status).toBe(200)
  })
})
