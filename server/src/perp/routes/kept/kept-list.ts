import Type from 'typebox'
import { authReasons } from '../../../auth/reasons.ts'
import { defineRoute } from '../../../http/product.ts'
import type { PerpContext } from '../../context.ts'
import { countKept, listKept } from '../../kept/kept-store.ts'
import { keptOrderExample, keptOrderSchema, keptOrderView, linkedExample, statusSchema } from '../../kept/kept-view.ts'
import { instrumentOf, PERPETUAL_EXPIRY } from '../../listing/catalogue.ts'
import { checkPage, pageQuery, pageSchema } from '../../portfolio/page.ts'
import { accountQuery, traderOf } from '../../portfolio/trader.ts'
import { perpReasons } from '../../reasons.ts'
import { expiryProperty, symbolSchema } from '../../schemas.ts'

const LARGEST_PAGE = 200
const DEFAULT_SIZE = 50

const query = Type.Object({
  ...pageQuery(LARGEST_PAGE),
  status: Type.Optional(statusSchema('Only those that stand so.')),
  symbol: Type.Optional(symbolSchema),
  ...expiryProperty,
  ...accountQuery,
})

/** GET order/kept: the wallet's kept orders. */
export const getOrderKept = (context: PerpContext) =>
  defineRoute({
    method: 'GET',
    path: '/v4/public/trader/order/kept',
    summary: 'The wallet’s kept orders, newest first, whichever of its API keys made them',
    description: 'The venue’s own operation. `startTime` and `endTime` are about when an order was made.',
    access: 'READ_ONLY',
    schema: { query, data: pageSchema(keptOrderSchema) },
    reasons: [
      authReasons.key_not_bound,
      authReasons.user_not_bound,
      perpReasons.chain_id_differs,
      perpReasons.instrument_unknown,
      perpReasons.perp_range_invalid,
      perpReasons.perp_chain_unreachable,
    ],
    examples: {
      query: { status: 'open', page: 1, size: 50 },
      data: { list: [keptOrderExample, linkedExample], totalCount: 2 },
    },
    async handler({ query: asked, caller }) {
      const { venue, chainId } = context
      const { page = 1, size = DEFAULT_SIZE, status, startTime, endTime } = asked
      const user = traderOf(context, caller, asked)
      checkPage(asked)
      const filter = { ...(await pairFilter(context, asked)), status, startTime, endTime }
      const [totalCount, rows] = await Promise.all([
        countKept(venue.sql, chainId, user, filter),
        listKept(venue.sql, chainId, user, filter, { limit: size, offset: (page - 1) * size }),
      ])
      return { list: rows.map(keptOrderView), totalCount }
    },
  })

/** A symbol stands for its perpetual unless an expiry is given, an expiry alone for that of every symbol. Throws `instrument_unknown`. */
async function pairFilter(
  { instruments }: PerpContext,
  { symbol, expiry }: { readonly symbol?: string; readonly expiry?: number },
) {
  if (symbol === undefined) return { expiry }
  instrumentOf(await instruments(), symbol)
  return { symbol, expiry: expiry ?? PERPETUAL_EXPIRY }
}
