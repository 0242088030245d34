import Type, { type Static } from 'typebox'
import { boundUser } from '../../../auth/bound-user.ts'
import { authReasons } from '../../../auth/reasons.ts'
import { delegationReasons } from '../../../delegation/reasons.ts'
import { SEND_REASONS } from '../../../delegation/send.ts'
import { AtBlock, type RouteRequest } from '../../../http/product.ts'
import { decimalReasons } from '../../../lib/decimal.ts'
import { ACTIONS } from '../../actions/actions.ts'
import { moneyParams } from '../../actions/quotes.ts'
import type { PerpContext } from '../../context.ts'
import { perpReasons } from '../../reasons.ts'
import { unsignedTransaction } from '../../sending/own-transaction.ts'
import { sendAction, sendExample, sendSchema, withoutOrders } from '../../sending/send.ts'
import { transactionSchema } from './transaction.ts'

// What moving money in and out has in common: by One Click, or as a transaction for the wallet to sign.

export const moneyBody = Type.Object({
  ...moneyParams.properties,
  build: Type.Optional(
    Type.Boolean({
      description: 'True for an unsigned transaction instead, which needs no One Click; nothing is sent.',
    }),
  ),
})

export const moneySchema = Type.Union([sendSchema, Type.Object({ transaction: transactionSchema })])

export const MONEY_REASONS = [
  ...SEND_REASONS,
  authReasons.key_not_bound,
  decimalReasons.amount_invalid,
  perpReasons.quote_unknown,
  perpReasons.perp_chain_unreachable,
  delegationReasons.would_revert,
] as const

export const moneyBodies = (amount: string) => ({
  'by One Click': { quote: 'USDC', amount },
  'for the wallet to sign': { quote: 'USDC', amount, build: true },
})

export const moneyExample = sendExample

/** Sends the move by One Click, or builds it for the wallet. Throws `MONEY_REASONS`. */
export async function moveMoney(
  context: PerpContext,
  request: Pick<RouteRequest, 'caller' | 'idempotency'>,
  name: 'deposit' | 'withdraw',
  { build, ...params }: Static<typeof moneyBody>,
) {
  if (build !== true) return withoutOrders(await sendAction(context, request, name, params))
  const user = boundUser(request.caller)
  const prepared = await ACTIONS[name].prepare(context, user, params)
  return new AtBlock(prepared.block, { transaction: await unsignedTransaction(context, user, prepared) })
}
