import { encodeFunctionData } from 'viem'
import { testFeedAbi } from '../../chain/abi/test-feed.ts'
import { contractRead, readEach } from '../../chain/read.ts'
import { busyOrderingKeys } from '../../chain/send/ended-intents.ts'
import { getIntent, insertIntent } from '../../chain/send/intents.ts'
import type { Hex } from '../../chain/types.ts'
import type { Venue } from '../../http/product.ts'
import { Backoff } from '../../lib/backoff.ts'
import { newId } from '../../lib/ids.ts'
import { quotesToPublish } from '../../market/store.ts'
import type { Market } from '../../market/tasks.ts'
import { FEED_PREFIX } from '../listing/perp-plan.ts'

export const FEED_PURPOSE = 'perp-feed'
const ORDERING_KEY = 'perp.feed:'
/** A price is written again when it has moved by this, in millionths, or is this old on chain. */
const DEVIATION_PPM = 500n
const HEARTBEAT_SEC = 60n
const MAX_DELAY_MS = 60_000

/** What the task remembers between rounds; losing it costs an attempt. */
export interface FeedMemory {
  readonly backoff: Backoff
  /** The last write of each feed, by base, until its end has been looked at. */
  readonly last: Map<string, bigint>
}

export const feedMemory = (): FeedMemory => ({ backoff: new Backoff(MAX_DELAY_MS), last: new Map() })

interface Feed {
  readonly base: string
  readonly address: Hex
}

interface Price {
  readonly price8: bigint
  readonly timeSec: bigint
}

/**
 * Writes the prices of the venue's own feeds, which a development chain has: of stocks and indices as they were quoted, of coins
 * from their source. Source times are passed on as they are, so that a market that stands still makes its feed old; a price that is
 * not newer than the one on chain is left out. One write of a feed at a time; after one that failed the next waits.
 */
export async function feedPrices(venue: Venue, market: Pick<Market, 'coins'>, memory: FeedMemory): Promise<void> {
  const feeds = feedsOf(venue)
  if (feeds.length === 0) return
  const prices = await currentPrices(venue, market)
  const onChain = await pricesOnChain(venue, feeds)
  const due = feeds.flatMap(({ base, address }, index) => {
    const price = prices.get(base)
    return price && isDue(price, onChain[index] as Price) ? [{ base, address, price }] : []
  })
  if (due.length === 0) return
  const { chainId } = venue.deployment
  const busy = await busyOrderingKeys(venue.sql, chainId, ORDERING_KEY)
  for (const { base, address, price } of due) {
    const orderingKey = `${ORDERING_KEY}${base}`
    if (busy.has(orderingKey)) continue
    await lookAtLast(venue, memory, base)
    if (!memory.backoff.isDue(base, venue.clock.nowMs())) continue
    const args = [price.price8, price.timeSec] as const
    const data = encodeFunctionData({ abi: testFeedAbi, functionName: 'setAt', args })
    const intent = { chainId, purpose: FEED_PURPOSE, to: address, data, orderingKey }
    memory.last.set(base, (await insertIntent(venue.sql, { ...intent, dedupeKey: `${orderingKey}:${newId()}` })).id)
  }
}

const feedsOf = ({ deployment }: Venue): readonly Feed[] =>
  Object.entries(deployment.contracts).flatMap(([name, address]) =>
    name.startsWith(FEED_PREFIX) ? [{ base: name.slice(FEED_PREFIX.length), address }] : [],
  )

async function currentPrices({ sql }: Venue, { coins }: Pick<Market, 'coins'>): Promise<ReadonlyMap<string, Price>> {
  const stocks = (await quotesToPublish(sql)).map(({ sourceTimeMs, ...quote }) => ({ ...quote, timeMs: sourceTimeMs }))
  const quotes = [...stocks, ...((await coins?.latestQuotes()) ?? [])]
  return new Map(
    quotes.map(({ symbol, price8, timeMs }) => [symbol, { price8, timeSec: BigInt(Math.floor(timeMs / 1000)) }]),
  )
}

/** What the feeds answer at the node's head, each by itself. */
async function pricesOnChain({ rpc }: Venue, feeds: readonly Feed[]): Promise<readonly Price[]> {
  const reads = feeds.map(({ address }) => contractRead({ address, abi: testFeedAbi }, 'latestRoundData'))
  const results = await readEach(rpc, reads)
  return results.map(([, answer, , updatedAt]) => ({ price8: answer, timeSec: updatedAt }))
}

function isDue(price: Price, written: Price): boolean {
  if (price.timeSec <= written.timeSec) return false
  const movedBy = price.price8 > written.price8 ? price.price8 - written.price8 : written.price8 - price.price8
  return movedBy * 1_000_000n >= written.price8 * DEVIATION_PPM || price.timeSec - written.timeSec >= HEARTBEAT_SEC
}

async function lookAtLast({ sql, deployment, clock, log }: Venue, memory: FeedMemory, base: string): Promise<void> {
  const id = memory.last.get(base)
  if (id === undefined) return
  memory.last.delete(base)
  const intent = await getIntent(sql, deployment.chainId, id)
  if (!intent || (intent.state !== 'rejected' && intent.state !== 'failed' && intent.outcome !== 'reverted')) return
  memory.backoff.fail(base, clock.nowMs())
  log.warn({ intentId: String(id), base, why: intent.problem }, 'a price could not be written to its feed')
}
