import Type from 'typebox'
import { inSnapshot } from '../../../db/pool.ts'
import { AtBlock, defineRoute } from '../../../http/product.ts'
import type { PerpContext } from '../../context.ts'
import { instrumentOf, PERPETUAL_EXPIRY } from '../../listing/catalogue.ts'
import { readFunding } from '../../market-data/funding.ts'
import { indexedBlock } from '../../market-data/indexed-block.ts'
import { latestSec } from '../../market-data/newest-candles.ts'
import { requireOpen } from '../../market-data/resolve-pair.ts'
import { perpReasons } from '../../reasons.ts'
import {
  chainIdProperty,
  checkChainId,
  expiryProperty,
  requireTimeRange,
  symbolSchema,
  timeSchema,
} from '../../schemas.ts'

const MAX_HOURS = 200

/** Row 6 of perp-api 2B. */
export const fundingSchema = Type.Object({
  timestamp: Type.Integer({ description: 'Where the hour begins, Unix seconds.' }),
  long: Type.String({
    description:
      'What longs paid in it as a part of the mark at the pair’s last trade until then, negative where they received; 18 decimals.',
  }),
  short: Type.String({ description: 'The same of shorts.' }),
})

/** GET market/funding/history (perp-api 2A.5; 2B, row 6). */
export const getFundingHistory = (context: PerpContext) =>
  defineRoute({
    method: 'GET',
    path: '/v4/public/trader/market/funding/history',
    summary: 'Funding of a perpetual by the hour',
    description:
      'Oldest first, the newest hours of the range, without gaps from the first funding on. The sides need not mirror each other: they ' +
      'differ in size, and what nobody receives goes to the insurance fund. Funding is charged when something happens on the pair and ' +
      'belongs to that hour. Perpetuals alone have funding: of a dated pair there is none.',
    access: 'OPEN',
    schema: {
      query: Type.Object({
        symbol: symbolSchema,
        startTime: Type.Optional(timeSchema('Hours that end earlier are left out')),
        endTime: Type.Optional(timeSchema('Hours that begin later are left out; now unless given')),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_HOURS, description: '200 unless given.' })),
        ...expiryProperty,
        ...chainIdProperty,
      }),
      data: Type.Array(fundingSchema),
    },
    reasons: [
      perpReasons.instrument_unknown,
      perpReasons.pair_unknown,
      perpReasons.perp_range_invalid,
      perpReasons.chain_id_differs,
      perpReasons.perp_not_indexed,
      perpReasons.perp_chain_unreachable,
    ],
    examples: {
      query: { symbol: 'BTC/USDC', chainId: 31_337, limit: 24 },
      data: [{ timestamp: 1_764_000_000, long: '14212423738214', short: '-13954210022118' }],
    },
    async handler({ query }) {
      const { venue, chainId, instruments } = context
      checkChainId(chainId, query)
      requireTimeRange([query.startTime, query.endTime], ['startTime', 'endTime'])
      const { expiry = PERPETUAL_EXPIRY, startTime = 0, limit = MAX_HOURS } = query
      const instrument = instrumentOf(await instruments(), query.symbol)
      if (expiry !== PERPETUAL_EXPIRY) return new AtBlock(await requireOpen(context, instrument, expiry), [])
      return inSnapshot(venue.sql, async (tx) => {
        const block = await indexedBlock(tx, chainId)
        const endSec = Math.min(query.endTime ?? Number.POSITIVE_INFINITY, latestSec(venue.clock.nowMs(), block))
        const hours = await readFunding(tx, chainId, instrument.address, { startSec: startTime, endSec, limit })
        return new AtBlock(
          block,
          hours.map(({ hourSec, longWad, shortWad }) => ({
            timestamp: hourSec,
            long: String(longWad),
            short: String(shortWad),
          })),
        )
      })
    },
  })
