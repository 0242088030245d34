import Type from 'typebox'
import { delegationReasons } from '../../../delegation/reasons.ts'
import { DEADLINE } from '../../../http/examples.ts'
import { defineRoute } from '../../../http/product.ts'
import { httpReasons } from '../../../http/reasons.ts'
import { amountSchema } from '../../../http/schemas.ts'
import { pairProperties, sideProperty, slippageProperty } from '../../actions/fields.ts'
import type { PerpContext } from '../../context.ts'
import { keptOrderExample, keptOrderSchema, linkedExample } from '../../kept/kept-view.ts'
import { MOST_LIVE, placeKept } from '../../kept/place.ts'
import { PERPETUAL_EXPIRY } from '../../listing/catalogue.ts'
import { perpReasons } from '../../reasons.ts'
import { symbolSchema, timeSchema } from '../../schemas.ts'
import { EVERY_ACTION } from '../trading/action-body.ts'

const body = Type.Object({
  ...pairProperties,
  // A kept order is stored, listed and sent by its symbol.
  instrument: symbolSchema,
  ...sideProperty,
  size: Type.Optional(amountSchema('Base that it takes off the position at most, in human units; all when left out.')),
  takeProfitPrice: Type.Optional(
    amountSchema('Mark price at which the position is closed with a profit: of a long above, of a short below.'),
  ),
  stopLossPrice: Type.Optional(
    amountSchema('Mark price at which the position is closed with a loss: of a long below, of a short above.'),
  ),
  ...slippageProperty,
  expiresAt: Type.Optional(timeSchema('When it ends unsent, by the chain’s time; never when 0 or left out')),
})

/** POST order/kept: keeps a take-profit, a stop-loss, or both. */
export const postOrderKept = (context: PerpContext) =>
  defineRoute({
    method: 'POST',
    path: '/v4/public/trader/order/kept',
    summary:
      'Keeps a take-profit or a stop-loss, or both linked, and sends it by One Click when the mark reaches its price',
    description:
      'The venue’s own operation. `side` is that of the trade, as with `reduceOnly`: 1 reduces a long, 2 a short. The order only ever ' +
      'reduces or closes the position, as it is when the mark price of the pair at the newest block has reached the price; the ' +
      'slippage counts from what the trade is quoted at then. It is kept by the venue and not by the contract, needs One Click ' +
      'enabled until then, and its gas counts for the wallet, whichever key made it. Of two in one request the first that is sent cancels the ' +
      `other. A wallet may have ${MOST_LIVE} open.`,
    access: 'WRITABLE',
    schema: { body, data: Type.Object({ orders: Type.Array(keptOrderSchema) }) },
    reasons: [
      ...new Set([
        ...EVERY_ACTION,
        delegationReasons.delegation_not_enabled,
        delegationReasons.one_click_unavailable,
        delegationReasons.chain_not_answering,
        httpReasons.idempotency_key_reused,
        perpReasons.fields_not_together,
        perpReasons.position_missing,
        perpReasons.reduce_only_would_increase,
        perpReasons.size_above_position,
        perpReasons.kept_price_reached,
        perpReasons.kept_orders_exhausted,
      ]),
    ],
    examples: {
      bodies: {
        'take-profit and stop-loss of a long': {
          instrument: 'BTC/USDC',
          expiry: PERPETUAL_EXPIRY,
          side: 1,
          takeProfitPrice: '66000',
          stopLossPrice: '57000',
          slippageBps: 100,
          expiresAt: DEADLINE,
        },
        'stop-loss of a part': {
          instrument: 'BTC/USDC',
          expiry: PERPETUAL_EXPIRY,
          side: 1,
          size: '0.01',
          stopLossPrice: '57000',
          slippageBps: 100,
        },
      },
      data: { orders: [keptOrderExample, linkedExample] },
    },
    handler: async (request) => ({ orders: [...(await placeKept(context, request, request.body))] }),
  })
