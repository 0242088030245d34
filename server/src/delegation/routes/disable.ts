import { TX_HASH } from '../../http/examples.ts'
import { defineRoute } from '../../http/product.ts'
import { CHANGE_REASONS, disableDelegation } from '../delegation.ts'
import { delegationReasons } from '../reasons.ts'
import { changeSchema, type OneClickOperations } from './operations.ts'

/** POST disable: ends One Click; later sends fail (seed 3A, 4A). */
export const postDisable = ({ prefix, summaries, context }: OneClickOperations) =>
  defineRoute({
    method: 'POST',
    path: `${prefix}/disable`,
    summary: summaries.disable,
    access: 'WRITABLE',
    schema: { data: changeSchema('disabled', prefix) },
    reasons: [...CHANGE_REASONS, delegationReasons.out_of_gas],
    examples: { data: { status: 'disabled', txHash: TX_HASH } },
    handler: (request) => disableDelegation(context(), request),
  })
