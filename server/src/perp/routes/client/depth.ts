import Type from 'typebox'
import { contractAddress } from '../../../chain/deployment.ts'
import { readHead } from '../../../chain/node-head.ts'
import { AtBlock, defineRoute } from '../../../http/product.ts'
import { byAddress, PAIR_EXAMPLE } from '../../client/query.ts'
import type { PerpContext } from '../../context.ts'
import { stepOf } from '../../market-data/order-book.ts'
import { readDepth } from '../../market-data/pair-reader.ts'
import { requirePair } from '../../market-data/resolve-pair.ts'
import { perpReasons } from '../../reasons.ts'
import { blockInfoSchema, chainIdProperty, checkChainId } from '../../schemas.ts'

/** Ticks to either side of the price: the price's half and its double. */
const REACH = 6932
const DEFAULT_STEP_RATIO = 10
const MAX_STEP_RATIO = 1000

const { instrument: address, ...PAIR } = PAIR_EXAMPLE

const pearlSchema = Type.Object({
  liquidityNet: Type.String({ description: 'Liquidity that begins (upwards) at the tick.' }),
  left: Type.String({ description: 'Base that rests at the tick, negative where it is for sale; 18 decimals.' }),
})

/** GET /v4/public/market/depth (perp-api 8). */
export const getDepth = (context: PerpContext) =>
  defineRoute({
    method: 'GET',
    path: '/v4/public/market/depth',
    summary: 'A pair’s liquidity around its price at one block, for the published client, which draws it',
    access: 'PUBLIC',
    schema: {
      query: Type.Object({
        ...byAddress,
        stepRatio: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: MAX_STEP_RATIO,
            description: 'Basis points of a step; 10 unless given.',
          }),
        ),
        ...chainIdProperty,
      }),
      data: Type.Object({
        amm: Type.Object({
          sqrtPX96: Type.String({ description: 'Square-root price, 96 fractional bits.' }),
          tick: Type.Integer(),
          liquidity: Type.String(),
        }),
        tids: Type.Array(Type.Integer(), { description: 'Initialised ticks, ascending.' }),
        pearls: Type.Array(pearlSchema),
        tick2Pearl: Type.Record(Type.String(), pearlSchema, { description: 'The same by tick.' }),
        size: Type.Integer({ description: 'Ticks of a step.' }),
        stepRatio: Type.Integer(),
        tickDelta: Type.Integer({ description: 'Ticks shown to either side.' }),
        length: Type.Integer({ description: 'Steps to either side.' }),
        isInverse: Type.Boolean(),
        blockInfo: blockInfoSchema,
      }),
    },
    reasons: [
      perpReasons.instrument_unknown,
      perpReasons.pair_unknown,
      perpReasons.chain_id_differs,
      perpReasons.perp_not_indexed,
      perpReasons.perp_chain_unreachable,
    ],
    examples: {
      query: { address, ...PAIR, stepRatio: 10 },
      data: {
        amm: { sqrtPX96: '19406884506143839521337125410012', tick: 110_020, liquidity: '85103321456778901234567' },
        tids: [108_000],
        pearls: [{ liquidityNet: '85103321456778901234567', left: '0' }],
        tick2Pearl: { '108000': { liquidityNet: '85103321456778901234567', left: '0' } },
        size: 10,
        stepRatio: 10,
        tickDelta: REACH,
        length: 693,
        isInverse: false,
        blockInfo: { height: 4_211, timestamp: 1_764_000_000 },
      },
    },
    async handler({ query }) {
      checkChainId(context.chainId, query)
      const { stepRatio = DEFAULT_STEP_RATIO } = query
      const { pair } = await requirePair(context, query.address, query.expiry)
      const { rpc, deployment } = context.venue
      const block = await readHead(rpc)
      const depth = await readDepth(rpc, contractAddress(deployment, 'Observer'), pair, REACH, block)
      const pearls = depth.pearls.map(({ tick, liquidityNet, left }) => {
        return { tick, pearl: { liquidityNet: String(liquidityNet), left: String(left) } }
      })
      const size = stepOf(stepRatio)
      return new AtBlock(block, {
        amm: { sqrtPX96: String(depth.sqrtPX96), tick: depth.tick, liquidity: String(depth.liquidity) },
        tids: pearls.map(({ tick }) => tick),
        pearls: pearls.map(({ pearl }) => pearl),
        tick2Pearl: Object.fromEntries(pearls.map(({ tick, pearl }) => [String(tick), pearl])),
        size,
        stepRatio,
        tickDelta: REACH,
        length: Math.floor(REACH / size),
        isInverse: false,
        blockInfo: { height: Number(block.height), timestamp: Number(block.timestampSec) },
      })
    },
  })
