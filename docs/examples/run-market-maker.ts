import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ClientOptions } from '@bourse/sdk/perp'
import type { Hex } from 'viem'
import { MarketMaker } from './market-maker.ts'
import { openAccount } from './perp-account.ts'
import { Taker } from './taker.ts'

// Quotes BTC/USDC on the venue of `npm start`, for the minutes that are given, against somebody who trades to and fro, and
// prints what came of it:
//
//   node docs/examples/run-market-maker.ts 10

interface Dev {
  readonly chain: { readonly rpcUrl: string; readonly chainId: number }
  readonly accounts: readonly { readonly address: string; readonly privateKey: Hex }[]
  readonly contracts: Readonly<Record<string, Hex>>
  readonly perp: {
    readonly baseUrl: string
    readonly instruments: readonly { readonly symbol: string; readonly address: string }[]
  }
}

const minutes = Number(process.argv[2] ?? 10)
const { chain, accounts, contracts, perp } = JSON.parse(
  readFileSync(join(process.env.DATA_DIR ?? '.data', 'dev.json'), 'utf8'),
) as Dev
const [account, other] = accounts.slice(3)
const pair = perp.instruments.find(({ symbol }) => symbol === 'BTC/USDC')
if (!account || !other || !pair) throw new Error('dev.json has no such account or instrument')

const counts = { requests: 0, waits: 0 }
const options: Partial<ClientOptions> = {
  transport(url, init) {
    counts.requests++
    return fetch(url, init)
  },
  onLimited() {
    counts.waits++
  },
}
const { USDC = '0x', Gate = '0x' } = contracts
const venue = { baseUrl: perp.baseUrl, ...chain, allowed: [USDC, Gate] }
const client = await openAccount(venue, account.privateKey, '50000', options)
const taker = new Taker(await openAccount(venue, other.privateKey, '50000'), pair.symbol)
const maker = new MarketMaker(client, {
  wallet: account.address.toLowerCase(),
  symbol: pair.symbol,
  instrument: pair.address.toLowerCase(),
  halfSpreadBps: 4,
  toleranceBps: 3,
  size: 0.05,
  mostInventory: 0.2,
  skewBps: 4,
})
setTimeout(() => maker.stop(), minutes * 60_000)
process.once('SIGINT', () => maker.stop())
const trading = taker.run()
const report = await maker.run()
taker.stop()
const trades = await trading
console.log(JSON.stringify({ ...report, ...counts, trades }, null, 2))
