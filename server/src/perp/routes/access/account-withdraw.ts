import { defineRoute } from '../../../http/product.ts'
import type { PerpContext } from '../../context.ts'
import { MONEY_REASONS, moneyBodies, moneyBody, moneyExample, moneySchema, moveMoney } from './money.ts'

/** POST account/withdraw (perp-api 2A.0): from the reserve at Gate to the wallet, and to no other. */
export const postAccountWithdraw = (context: PerpContext) =>
  defineRoute({
    method: 'POST',
    path: '/v4/public/trader/account/withdraw',
    summary: 'Takes quote from the wallet’s reserve to the wallet',
    description:
      'What is above maxWithdrawable of account/wallet-balance waits for pendingDuration, and is then paid to the wallet by Gate’s release, which anybody may call.',
    access: 'WRITABLE',
    schema: { body: moneyBody, data: moneySchema },
    reasons: MONEY_REASONS,
    examples: { bodies: moneyBodies('250'), data: moneyExample },
    handler: (request) => moveMoney(context, request, 'withdraw', request.body),
  })
