import Type from 'typebox'
import { contractAddress } from '../../chain/deployment.ts'
import { amountSchema } from '../../http/schemas.ts'
import { parseAmount, UINT96_MAX } from '../../lib/decimal.ts'
import type { Call } from '../calldata/calls.ts'
import type { PerpContext } from '../context.ts'
import type { QuoteToken } from '../listing/catalogue.ts'
import { newestBlock } from '../listing/pair.ts'
import { quoteOf, quoteSchema, toWad } from '../listing/quote.ts'
import { chosenGas, NOTHING_FORETOLD, type Prepared } from './action.ts'
import { timingProperties } from './fields.ts'

// Moving money between the wallet and the reserve at Gate.

export const moneyParams = Type.Object({
  quote: quoteSchema,
  amount: amountSchema('Amount of the quote token, in human units, no finer than the token itself.'),
  gasLimit: timingProperties.gasLimit,
})

export interface MoneyFields {
  readonly quote: string
  readonly amount: string | number
  readonly gasLimit?: number
}

export interface Money {
  readonly token: QuoteToken
  readonly amountRaw: bigint
}

/** The quote that a body names, with the amount in its own units. Throws `quote_unknown`, `amount_invalid`. */
export async function readMoney({ instruments }: PerpContext, { quote, amount }: MoneyFields): Promise<Money> {
  const token = quoteOf(await instruments(), quote)
  return { token, amountRaw: parseAmount(amount, { field: 'amount', decimals: token.decimals, max: UINT96_MAX }) }
}

/** What a call of Gate comes to. */
export async function ofGate(
  { venue }: PerpContext,
  { gasLimit }: MoneyFields,
  { token, amountRaw }: Money,
  call: Call,
): Promise<Prepared> {
  const amount = toWad(amountRaw, token)
  return {
    to: contractAddress(venue.deployment, 'Gate'),
    calls: [call],
    block: await newestBlock(venue),
    pair: null,
    foretold: { ...NOTHING_FORETOLD, amount },
    orders: [],
    spending: null,
    gasLimit: chosenGas(gasLimit),
  }
}
