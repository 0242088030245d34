import { delegationReasons } from '../../../delegation/reasons.ts'
import { defineRoute } from '../../../http/product.ts'
import type { PerpContext } from '../../context.ts'
import { MONEY_REASONS, moneyBodies, moneyBody, moneyExample, moneySchema, moveMoney } from './money.ts'

/** POST account/deposit (perp-api 2A.0): from the wallet to its reserve at Gate. */
export const postAccountDeposit = (context: PerpContext) =>
  defineRoute({
    method: 'POST',
    path: '/v4/public/trader/account/deposit',
    summary: 'Brings quote from the wallet to its reserve',
    description: 'The wallet has approved Gate for it (approve/prepare).',
    access: 'WRITABLE',
    schema: { body: moneyBody, data: moneySchema },
    reasons: [...MONEY_REASONS, delegationReasons.allowance_too_low],
    examples: { bodies: moneyBodies('1000'), data: moneyExample },
    handler: (request) => moveMoney(context, request, 'deposit', request.body),
  })
