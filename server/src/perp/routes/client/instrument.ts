import Type from 'typebox'
import { AtBlock, defineRoute } from '../../../http/product.ts'
import { instrumentAddress, PAIR_EXAMPLE } from '../../client/query.ts'
import type { PerpContext } from '../../context.ts'
import { readFullInstrument } from '../../market-data/full-instruments.ts'
import { fullInstrumentView } from '../../market-data/instrument-full-view.ts'
import { instrumentAt } from '../../market-data/resolve-pair.ts'
import { perpReasons } from '../../reasons.ts'
import { chainIdProperty, checkChainId } from '../../schemas.ts'

/** The full instrument of the published client; its fields are the contracts' own (perp-api 7.4). */
export const fullInstrumentSchema = Type.Object(
  {
    instrumentAddr: Type.String(),
    symbol: Type.String({ description: 'As the contract has it, such as BTC-USDC-LINK.' }),
    condition: Type.Integer({ description: '0 normal, 1 frozen, 2 resolved.' }),
    spotPrice: Type.String({ description: 'Price of the source, 18 decimals.' }),
  },
  { additionalProperties: true },
)

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
      data: {
        instrumentAddr: PAIR_EXAMPLE.instrument,
        symbol: 'BTC-USDC-LINK',
        condition: 0,
        spotPrice: '60100000000000000000000',
      },
    },
    async handler({ query }) {
      checkChainId(context.chainId, query)
      const listed = await instrumentAt(context, query.address)
      const { block, pairs } = await context.summary()
      const expiries = pairs.flatMap((pair) => (pair.instrument.address === listed.address ? pair.expiry : []))
      return new AtBlock(block, fullInstrumentView(await readFullInstrument(context.venue, listed, expiries, block)))
    },
  })
