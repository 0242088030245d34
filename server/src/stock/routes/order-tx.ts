import { defineRoute } from '../../http/product.ts'
import type { StockContext } from '../context.ts'
import { mappingExample } from '../recording/mapping.ts'
import { RECORDING_REASONS, recordedMapping, txHashBody, txHashExamples } from '../recording/recording.ts'
import { mappingSchema } from '../schemas.ts'

/** POST /orders/tx: records a self-submitted order transaction (seed 4A). */
export const postOrderTx = (context: StockContext) =>
  defineRoute({
    method: 'POST',
    path: '/api/v1/orders/tx',
    summary: 'Record a self-submitted order transaction for the calling key',
    access: 'WRITABLE',
    schema: { body: txHashBody, data: mappingSchema },
    reasons: RECORDING_REASONS,
    examples: { bodies: txHashExamples, data: mappingExample(context, 'trade') },
    handler: (request) => recordedMapping(context, request, 'trade', request.body.txHash),
  })
