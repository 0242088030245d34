import Type from 'typebox'
import { AtBlock, defineRoute } from '../../../http/product.ts'
import { instrumentAddress, PAIR_EXAMPLE } from '../../client/query.ts'
import type { PerpContext } from '../../context.ts'
import type { ListedInstrument } from '../../listing/catalogue.ts'
import { readExpiries, readFullInstrument } from '../../market-data/full-instruments.ts'
import { fullInstrumentExample, fullInstrumentSchema } from '../../market-data/instrument-full-schema.ts'
import { fullInstrumentView } from '../../market-data/instrument-full-view.ts'
import { instrumentAt } from '../../market-data/resolve-pair.ts'
import { perpReasons } from '../../reasons.ts'
import { chainIdProperty, checkChainId } from '../../schemas.ts'

/** GET /v4/public/market/instrument (perp-api 8). */
export const getInstrument = (context: PerpContext) =>
  defineRoute({
    method: 'GET',
    path: '/v4/public/market/instrument',
    summary: 'An instrument with its open pairs at one block, for the published client',
    access: 'PUBLIC',
    schema: { query: Type.Object({ ...instrumentAddress, ...chainIdProperty }), data: fullInstrumentSchema },
    reasons: [
      perpReasons.instrument_unknown,
      perpReasons.chain_id_differs,
      perpReasons.perp_not_indexed,
      perpReasons.perp_chain_unreachable,
    ],
    examples: {
      query: { address: PAIR_EXAMPLE.instrument, chainId: PAIR_EXAMPLE.chainId },
      data: fullInstrumentExample,
    },
    async handler({ query }) {
      checkChainId(context.chainId, query)
      const listed = await instrumentAt(context, query.address)
      const { block, expiries } = await openExpiries(context, listed)
      return new AtBlock(block, fullInstrumentView(await readFullInstrument(context.venue, listed, expiries, block)))
    },
  })

/**
 * An instrument's open pairs, and the block of which they are: the newest indexed one, as of all reads of the market. An instrument of
 * which that shows none may be newer; it is asked at the block of the list that has it.
 */
async function openExpiries({ venue, instruments, summary }: PerpContext, listed: ListedInstrument) {
  const { block, pairs } = await summary()
  const expiries = pairs.flatMap(({ instrument, expiry }) => (instrument.address === listed.address ? expiry : []))
  if (expiries.length > 0) return { block, expiries }
  const { block: listedAt } = await instruments()
  return { block: listedAt, expiries: await readExpiries(venue, listed, listedAt) }
}
