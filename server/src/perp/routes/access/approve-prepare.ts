import Type from 'typebox'
import { boundUser } from '../../../auth/bound-user.ts'
import { authReasons } from '../../../auth/reasons.ts'
import { delegationReasons } from '../../../delegation/reasons.ts'
import { WALLET } from '../../../http/examples.ts'
import { AtBlock, defineRoute } from '../../../http/product.ts'
import { amountSchema } from '../../../http/schemas.ts'
import { decimalReasons } from '../../../lib/decimal.ts'
import { allowanceOf, allowedRaw, approveData, spenderOf } from '../../access/approval.ts'
import type { PerpContext } from '../../context.ts'
import { quoteOf, quoteSchema } from '../../listing/quote.ts'
import { perpReasons } from '../../reasons.ts'
import { unsignedTransaction } from '../../sending/own-transaction.ts'
import { transactionExample, transactionSchema } from './transaction.ts'

const EXAMPLE_GATE = '0xdc64a140aa3e981100a9beca4e685f962f0cf6c9'

/** POST approve/prepare (perp-api 2A.0, 5): Gate is the spender, since deposits and margin enter by it. */
export const postApprovePrepare = (context: PerpContext) =>
  defineRoute({
    method: 'POST',
    path: '/v4/public/trader/approve/prepare',
    summary: 'An approval of a quote token for Gate, as an unsigned transaction of the wallet',
    description: 'Sign the transaction with fees of your choice, and send it by approve/submit or by any node.',
    access: 'WRITABLE',
    schema: {
      body: Type.Object({
        quote: quoteSchema,
        amount: Type.Optional(amountSchema('Token units to allow; unlimited unless given, and 0 takes it back.')),
      }),
      data: Type.Object({
        transaction: transactionSchema,
        spender: Type.String({ description: 'Gate.' }),
        allowance: Type.String({ description: 'What it may take now, 18 decimals; 2^256 − 1 for no limit.' }),
      }),
    },
    reasons: [
      authReasons.key_not_bound,
      perpReasons.quote_unknown,
      decimalReasons.amount_invalid,
      delegationReasons.would_revert,
      perpReasons.perp_chain_unreachable,
    ],
    examples: {
      bodies: { unlimited: { quote: 'USDC' }, limited: { quote: 'USDC', amount: '2500' } },
      data: {
        transaction: transactionExample(context.chainId, WALLET, approveData(EXAMPLE_GATE, 2_500_000_000n)),
        spender: EXAMPLE_GATE,
        allowance: '0',
      },
    },
    async handler({ caller, body: { quote, amount } }) {
      const user = boundUser(caller)
      const token = quoteOf(await context.instruments(), quote)
      const spender = spenderOf(context)
      const own = approveData(spender, allowedRaw(amount, token))
      const transaction = { to: token.address, calls: [{ own }], gasLimit: null }
      const [built, { block, allowanceWad }] = await Promise.all([
        unsignedTransaction(context, user, transaction),
        allowanceOf(context, user, token),
      ])
      return new AtBlock(block, { transaction: built, spender, allowance: String(allowanceWad) })
    },
  })
