import { randomBytes } from 'node:crypto'
import type { Sql } from '../server/src/db/pool.ts'
import { insertClaim } from '../server/src/stock/recording/claim-store.ts'
import type { BenchKey } from './api-keys.ts'
import type { VenueServer } from './http/server-process.ts'
import { type Clock, preciseNowMs } from './stream-listener.ts'

/** Symbols that have a quote. */
export async function quoteSymbols(sql: Sql): Promise<readonly string[]> {
  const rows = await sql<{ symbol: string }[]>`select symbol from market_quotes order by symbol`
  return rows.map(({ symbol }) => symbol)
}

/** Whole dollars, so that the price in a message is the number itself; none comes twice. */
let nextPrice = 1000

/** Gives every symbol a quote with a price of its own, in one commit. */
export async function raiseQuotes(sql: Sql, clock: Clock): Promise<void> {
  const symbols = await quoteSymbols(sql)
  const prices = symbols.map(() => String(nextPrice++))
  const startedMs = preciseNowMs()
  for (const price of prices) clock.quotes.set(price, startedMs)
  await sql`
    update market_quotes q set price8 = n.price8, bid8 = n.price8, ask8 = n.price8, source_time = clock_timestamp()
    from (
      select symbol, price * 100000000 as price8 from unnest(${[...symbols]}::text[], ${prices}::numeric[]) as p (symbol, price)
    ) n
    where n.symbol = q.symbol`
}

/** Records an order for every key, each in a commit of its own, as the role api does. Answers the transactions' hashes. */
export async function placeOrders(
  sql: Sql,
  { deployment }: VenueServer,
  keys: readonly BenchKey[],
  clock: Clock,
): Promise<readonly string[]> {
  return Promise.all(
    keys.map(async ({ apiKey }) => {
      const txHash = `0x${randomBytes(32).toString('hex')}` as const
      clock.orders.set(txHash, preciseNowMs())
      const claim = { chainId: deployment.chainId, apiKeyId: apiKey, txHash, userAddress: null }
      await insertClaim(sql, { ...claim, claimType: 'trade' })
      return txHash
    }),
  )
}
