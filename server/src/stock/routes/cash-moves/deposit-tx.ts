import { defineRoute } from '../../../http/product.ts'
import type { StockContext } from '../../context.ts'
import { mappingExample } from '../../recording/mapping.ts'
import { RECORDING_REASONS, recordedMapping, txHashBody, txHashExamples } from '../../recording/recording.ts'
import { mappingSchema } from '../../schemas.ts'

/** POST /cash/deposits/tx: records a self-submitted transaction (seed 4A). */
export const postCashDepositTx = (context: StockContext) =>
  defineRoute({
    method: 'POST',
    path: '/api/v1/cash/deposits/tx',
    summary: 'Record a self-submitted deposit transaction for the calling key',
    access: 'WRITABLE',
    schema: { body: txHashBody, data: mappingSchema },
    reasons: RECORDING_REASONS,
    examples: { bodies: txHashExamples, data: mappingExample(context, 'deposit') },
    handler: (request) => recordedMapping(context, request, 'deposit', request.body.txHash),
  })
