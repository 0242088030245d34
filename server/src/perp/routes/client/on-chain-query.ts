import Type from 'typebox'
import { AtBlock, defineRoute } from '../../../http/product.ts'
import { readContext } from '../../client/context.ts'
import { contextQuery, PAIR_EXAMPLE } from '../../client/query.ts'
import type { PerpContext } from '../../context.ts'
import { INQUIRY_REASONS } from './inquiry-reasons.ts'

const struct = (description: string) => Type.Object({}, { additionalProperties: true, description })

/** GET /v4/public/market/getOnChainContext/onChainQuery (perp-api 8). */
export const getOnChainQuery = (context: PerpContext) =>
  defineRoute({
    method: 'GET',
    path: '/v4/public/market/getOnChainContext/onChainQuery',
    summary: 'The same as the contracts’ reader answers it, for the published client',
    description:
      'The fields of Observer.fetchOnChainContext, their names capitalised; amounts are whole numbers as text, in the contracts’ own units.',
    access: 'PUBLIC',
    schema: {
      query: contextQuery,
      data: Type.Object({
        Setting: struct('Parameters of the instrument.'),
        Condition: Type.Integer({ description: '0 normal, 1 frozen, 2 resolved.' }),
        Amm: struct('The pair’s pool.'),
        PriceData: struct('Mark, spot and benchmark price, and the feeds they come from.'),
        Portfolio: struct('What the account has in the pair.'),
        Quotation: Type.Union([struct('Quotation of the size.'), Type.Null()], {
          description: 'Null where no size is named.',
        }),
        QuoteState: struct('The account’s reserve, wallet and allowance, in token units.'),
        Spacing: struct('Steps of ticks.'),
        BlockInfo: Type.Object({ Timestamp: Type.Integer(), Height: Type.Integer() }),
      }),
    },
    reasons: INQUIRY_REASONS,
    examples: {
      query: { ...PAIR_EXAMPLE, signedSize: '10000000000000000' },
      data: {
        Setting: { Symbol: 'BTC-USDC-LINK', Decimals: 6 },
        Condition: 0,
        Amm: { Status: 1, Tick: 110_020, SqrtPX96: '19406884506143839521337125410012' },
        PriceData: { MarkPrice: '60000000000000000000000' },
        Portfolio: { Oids: [], Rids: [] },
        Quotation: { EntryNotional: '600031000000000000000', Fee: '420021700000000000' },
        QuoteState: { Symbol: 'USDC', Decimals: 6 },
        Spacing: { Pearl: 1, Order: 1, Range: 50 },
        BlockInfo: { Timestamp: 1_764_000_000, Height: 812 },
      },
    },
    async handler({ query }) {
      const { block, answer } = await readContext(context, query)
      const raw = Object.entries(answer).map(([name, value]) => [name, isAsked(name, query) ? value : null])
      return new AtBlock(block, capitalised(Object.fromEntries(raw)))
    },
  })

/** The reader quotes a size of zero where none is named. */
const isAsked = (name: string, { signedSize }: { readonly signedSize?: string }): boolean =>
  name !== 'quotation' || signedSize !== undefined

const ADDRESS = /^0x[0-9a-fA-F]{40}$/

/** A contract's answer with names as the published client's server has them. Addresses are lower-case, as everywhere. */
function capitalised(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'string') return ADDRESS.test(value) ? value.toLowerCase() : value
  if (Array.isArray(value)) return value.map(capitalised)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(([name, one]) => [
    name.charAt(0).toUpperCase() + name.slice(1),
    capitalised(one),
  ])
  return Object.fromEntries(fields)
}
