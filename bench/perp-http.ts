import type { Hex } from '../server/src/chain/types.ts'
import { perp } from '../server/src/perp/index.ts'
import { type BenchKey, issueKeys } from './api-keys.ts'
import { compareServers, type Operation } from './http/compare.ts'
import type { RequestTemplate } from './http/requests.ts'
import { type LiveVenue, liveVenue } from './live-venue.ts'
import { PerpTraders } from './perp-traders.ts'
import { Sender, sendAll } from './sender.ts'
import { untilIndexed } from './until-indexed.ts'

const TRANSACTIONS = 1000
const AIM = 0.6
const READS = [
  { name: 'GET orderBook', uri: '/v4/public/trader/market/orderBook?depth=10&symbol=BTC%2FUSDC' },
  { name: 'GET tickers', uri: '/v4/public/trader/market/tickers' },
  { name: 'GET kline', uri: '/v4/public/trader/market/kline?interval=1m&limit=100&symbol=BTC%2FUSDC' },
  { name: 'GET position/list', uri: '/v4/public/trader/position/list' },
]

/** `npm run bench -- perp-http`: the signed reads of the perpetual API against bare servers that answer with the same bytes. */
export const benchPerpHttp = (args: readonly string[]): Promise<void> =>
  compareServers('perp-http', args, async () => {
    console.log('Starting a venue whose accounts trade perpetuals …')
    const venue = await liveVenue()
    try {
      const keys = await tradedVenue(venue)
      return { server: venue.server, operations: operationsOf(venue, keys), close: venue.close }
    } catch (error) {
      await venue.close()
      throw error
    }
  })

/** Lets the accounts trade, and issues a key of each. */
async function tradedVenue({ rpc, dev, sql, server }: LiveVenue): Promise<readonly BenchKey[]> {
  const senders = dev.accounts.map(({ address }) => new Sender(rpc, address))
  const traders = await PerpTraders.open(rpc, dev, senders)
  await sendAll(senders, TRANSACTIONS, () => traders.act())
  await untilIndexed(rpc, sql)
  const [rows] = await sql<{ trades: number; open: number; positions: number }[]>`
    select (select count(*)::integer from perp_executions) as trades,
      (select count(*)::integer from perp_orders where status = 'open') as open,
      (select count(*)::integer from perp_positions where size_wad <> 0) as positions`
  if (!rows?.positions) throw new Error('nobody has a position')
  console.log(`${rows.trades} executions, ${rows.open} open orders, ${rows.positions} positions`)
  const wallets = senders.map(({ address }) => address.toLowerCase() as Hex)
  return issueKeys(sql, { ...server, productType: perp.keyScope({}) }, wallets)
}

function operationsOf({ deployment }: LiveVenue, keys: readonly BenchKey[]): readonly Operation[] {
  const { chainId } = deployment
  return READS.map(({ name, uri }) => {
    const [first, ...more] = keys.map(({ apiKey, apiSecret }): RequestTemplate => {
      return { method: 'GET', prefix: '', uri, body: '', apiKey, apiSecret, chainId, productType: null }
    })
    if (!first) throw new Error('no key was issued')
    return { name, templates: [first, ...more], code: 0, aim: AIM }
  })
}
