import { encodeFunctionData } from 'viem'
import { stockOracleAbi } from '../../chain/abi/stock-oracle.ts'
import { contractAddress } from '../../chain/deployment.ts'
import { headTimestampSec } from '../../chain/head.ts'
import { contractRead, readContracts } from '../../chain/read.ts'
import { busyOrderingKeys } from '../../chain/send/ended-intents.ts'
import { getIntent, insertIntent } from '../../chain/send/intents.ts'
import type { Hex } from '../../chain/types.ts'
import type { Venue } from '../../http/product.ts'
import { Backoff } from '../../lib/backoff.ts'
import { newId } from '../../lib/ids.ts'
import { type QuoteToPublish, quotesToPublish } from '../../market/store.ts'
import { priceIdOf } from '../listing/price-id.ts'
import { readShareRatios, tokenPrice8 } from '../listing/shares.ts'
import { stockReverts } from '../reverts/stock-reverts.ts'
import { listStockTokens } from '../store.ts'
import { readSplitGaps } from './announced-splits.ts'
import { type PublishedPrice, publishedPrices } from './keeper-store.ts'

/** Signers of this purpose publish prices. */
export const ORACLE_PURPOSE = 'oracle'

const ORDERING_KEY = 'stock.oracle'
/** A price is published again when it has moved by this, in millionths, or its source is this much further (stock-api 7). */
const DEVIATION_PPM = 1000n
const HEARTBEAT_SEC = 300n
const MAX_DELAY_MS = 60_000
/** The oracle takes no price whose source is further ahead of the chain (`StockOracle.MAX_LEAD_SEC`). */
const MAX_LEAD_SEC = 300n

/** What the task remembers between rounds; losing it costs an attempt. */
export interface PublishMemory {
  readonly backoff: Backoff
  /** The last publication, until its end has been looked at. */
  lastIntentId: bigint | null
}

export const publishMemory = (): PublishMemory => ({ backoff: new Backoff(MAX_DELAY_MS), lastIntentId: null })

/**
 * Publishes the prices of listed tokens that have moved, gone on or come into another session, in one transaction, one at a
 * time. Source times are passed on as they are, for by them the exchange tells how old a price is: one that stands still is
 * not published again. A quote older than the published one, one from the chain's future, one of shares that the token does not
 * stand for, since a split is not applied, and one of a frozen feed are left out. After a publication that failed the next one waits.
 */
export async function publishPrices(venue: Venue, memory: PublishMemory): Promise<void> {
  const { chainId } = venue.deployment
  const busy = await busyOrderingKeys(venue.sql, chainId, ORDERING_KEY)
  const nowSec = await headTimestampSec(venue.sql, chainId)
  if (busy.size > 0 || nowSec === null) return
  await lookAtLast(venue, memory)
  if (!memory.backoff.isDue(ORDERING_KEY, venue.clock.nowMs())) return
  const quotes = await tokenQuotes(venue)
  const published = new Map((await publishedPrices(venue.sql, chainId)).map((price) => [price.priceId, price]))
  const changed = quotes.filter((quote) => isDue(quote, published.get(priceIdOf(quote.symbol)), nowSec))
  if (changed.length === 0) return
  const due = await notFrozen(venue, await outsideSplitGaps(venue, changed))
  if (due.length === 0) return
  const intent = await insertIntent(venue.sql, {
    chainId,
    purpose: ORACLE_PURPOSE,
    to: contractAddress(venue.deployment, 'StockOracle'),
    data: encodeFunctionData({ abi: stockOracleAbi, functionName: 'publish', args: [due.map(priceUpdate)] }),
    dedupeKey: `${ORDERING_KEY}:${newId()}`,
    orderingKey: ORDERING_KEY,
  })
  memory.lastIntentId = intent.id
}

/** A quote as prices of a token. */
interface TokenQuote extends QuoteToPublish {
  readonly token: Hex
}

/** The latest quotes of what is listed. */
async function tokenQuotes({ sql, deployment }: Venue): Promise<TokenQuote[]> {
  const { chainId } = deployment
  const tokens = new Map((await listStockTokens(sql, chainId)).map(({ ticker, token }) => [ticker, token]))
  const ratios = await readShareRatios(sql, chainId)
  return (await quotesToPublish(sql)).flatMap((quote) => {
    const token = tokens.get(quote.symbol)
    if (token === undefined) return []
    const ratio = ratios.ofQuote(token, quote.sourceTimeMs)
    const price = (price8: bigint) => tokenPrice8(price8, ratio)
    return [{ ...quote, token, price8: price(quote.price8), bid8: price(quote.bid8), ask8: price(quote.ask8) }]
  })
}

/** Without quotes of shares of after a split that is not applied. */
async function outsideSplitGaps({ sql, deployment }: Venue, quotes: readonly TokenQuote[]): Promise<TokenQuote[]> {
  const gaps = await readSplitGaps(sql, deployment.chainId)
  return quotes.filter(({ token, sourceTimeMs }) => !gaps.awaitsSplit(token, sourceTimeMs))
}

/** What the oracle would take: the guardian freezes feeds. */
async function notFrozen({ rpc, deployment }: Venue, quotes: readonly QuoteToPublish[]): Promise<QuoteToPublish[]> {
  if (quotes.length === 0) return []
  const oracle = { address: contractAddress(deployment, 'StockOracle'), abi: stockOracleAbi }
  const reads = quotes.map(({ symbol }) => contractRead(oracle, 'isFrozen', priceIdOf(symbol)))
  const results = await readContracts(rpc, reads)
  return quotes.filter((_, index) => results[index] === false)
}

async function lookAtLast({ sql, deployment, clock, log }: Venue, memory: PublishMemory): Promise<void> {
  if (memory.lastIntentId === null) return
  const intent = await getIntent(sql, deployment.chainId, memory.lastIntentId)
  memory.lastIntentId = null
  if (!intent || (intent.state !== 'rejected' && intent.state !== 'failed' && intent.outcome !== 'reverted')) return
  memory.backoff.fail(ORDERING_KEY, clock.nowMs())
  const why = stockReverts.name(intent.revertData) ?? intent.problem
  log.warn({ intentId: String(intent.id), why }, 'prices could not be published')
}

function isDue(quote: QuoteToPublish, published: PublishedPrice | undefined, nowSec: bigint): boolean {
  const sourceSec = sourceTimeSec(quote)
  if (sourceSec > nowSec + MAX_LEAD_SEC) return false
  if (!published) return true
  if (sourceSec < published.feedUpdatedAtSec) return false
  if (quote.session !== published.session) return true
  const movedBy = quote.price8 > published.price8 ? quote.price8 - published.price8 : published.price8 - quote.price8
  const hasMoved = movedBy * 1_000_000n >= published.price8 * DEVIATION_PPM
  return hasMoved || sourceSec - published.feedUpdatedAtSec >= HEARTBEAT_SEC
}

const sourceTimeSec = ({ sourceTimeMs }: QuoteToPublish): bigint => BigInt(Math.floor(sourceTimeMs / 1000))

const priceUpdate = (quote: QuoteToPublish) => ({
  priceId: priceIdOf(quote.symbol),
  price: quote.price8,
  bestBid: quote.bid8,
  bestAsk: quote.ask8,
  feedUpdateTimestamp: sourceTimeSec(quote),
  session: quote.session,
})
