import Type from 'typebox'
import { defineRoute } from '../../http/product.ts'
import type { StockContext } from '../context.ts'
import { stockReasons } from '../reasons.ts'
import { mappingExample } from '../recording/mapping.ts'
import { RECORDING_REASONS, recordedMapping, txHashBody, txHashExamples } from '../recording/recording.ts'
import { clientOrderProperties, mappingSchema } from '../schemas.ts'

/** POST /orders/tx: records a self-submitted order transaction (seed 4A). */
export const postOrderTx = (context: StockContext) =>
  defineRoute({
    method: 'POST',
    path: '/api/v1/orders/tx',
    summary: 'Record a self-submitted order transaction for the calling key',
    access: 'WRITABLE',
    schema: {
      body: Type.Object({ ...txHashBody.properties, ...clientOrderProperties }),
      data: mappingSchema,
    },
    description:
      'A clientOrderId is kept with the first record of the transaction. A hash that the chain has not shown 24 hours later has expired; what is mined after all counts all the same.',
    reasons: [...RECORDING_REASONS, stockReasons.client_order_id_taken, stockReasons.field_not_applicable],
    examples: {
      bodies: { request: { ...txHashExamples.request, clientOrderId: 'my-order-1' } },
      data: mappingExample(context, 'trade'),
    },
    handler: (request) => recordedMapping(context, request, 'trade', request.body.txHash, request.body.clientOrderId),
  })
