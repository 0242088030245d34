import Type, { type Static } from 'typebox'
import { zeroAddress } from 'viem'
import { nullable } from '../../http/schemas.ts'
import { fullInstrumentExample, fullInstrumentSchema } from '../market-data/instrument-full-schema.ts'
import type { PairState } from '../market-data/pair-reader.ts'
import { priceDataSchema, quoteStateSchema } from '../market-data/pair-state-schemas.ts'
import { blockInfoSchema } from '../schemas.ts'
import { observerExample } from './observer-view.ts'
import { clientPortfolioSchema } from './portfolio-view.ts'
import { quotationExample, quotationSchema } from './quotation-view.ts'

const { instrument, ...priceFields } = priceDataSchema.properties
const { quote, ...quoteFields } = quoteStateSchema.properties

const clientPriceSchema = Type.Object(
  { instrumentAddr: instrument, ...priceFields, blockInfo: blockInfoSchema },
  { description: 'Mark, spot and benchmark price, and the feeds they come from.' },
)

const clientQuoteSchema = Type.Object(
  { address: quote, ...quoteFields },
  { description: 'The account’s reserve, wallet and allowance.' },
)

/** A pair, an account in it and a quotation, as the published client reads them (perp-api 8). */
export const contextSchema = Type.Object({
  instrument: fullInstrumentSchema,
  inquireRes: nullable(quotationSchema),
  portfolioRes: Type.Object(
    { address: Type.String(), portfolios: Type.Array(clientPortfolioSchema) },
    { description: 'What the account has in the pair; of nobody, nothing.' },
  ),
  priceData: clientPriceSchema,
  quoteState: clientQuoteSchema,
})

const { instrument: instrumentAddr, ...priceExample } = observerExample.priceData
const { quote: address, ...quoteExample } = observerExample.quoteState

export const contextExample: Static<typeof contextSchema> = {
  instrument: fullInstrumentExample,
  inquireRes: quotationExample,
  portfolioRes: { address: zeroAddress, portfolios: [] },
  priceData: { instrumentAddr, ...priceExample, blockInfo: fullInstrumentExample.blockInfo },
  quoteState: { address, ...quoteExample },
}

export function priceDataView(
  { instrument, feeder0UpdatedAt, feeder1UpdatedAt, ...prices }: PairState['priceData'],
  blockInfo: Static<typeof blockInfoSchema>,
): Static<typeof clientPriceSchema> {
  const { markPrice, spotPrice, benchmarkPrice, ...feeders } = prices
  return {
    instrumentAddr: instrument.toLowerCase(),
    ...feeders,
    markPrice: String(markPrice),
    spotPrice: String(spotPrice),
    benchmarkPrice: String(benchmarkPrice),
    feeder0UpdatedAt: String(feeder0UpdatedAt),
    feeder1UpdatedAt: String(feeder1UpdatedAt),
    blockInfo,
  }
}

export function quoteStateView({
  quote,
  decimals,
  symbol,
  fundFlow,
  pending,
  ...amounts
}: PairState['quoteState']): Static<typeof clientQuoteSchema> {
  const { threshold, reserve, balance, allowance } = amounts
  return {
    address: quote.toLowerCase(),
    decimals,
    symbol,
    threshold: String(threshold),
    reserve: String(reserve),
    balance: String(balance),
    allowance: String(allowance),
    fundFlow: { totalIn: String(fundFlow.totalIn), totalOut: String(fundFlow.totalOut) },
    pending: { ...pending, amount: String(pending.amount), exemption: String(pending.exemption) },
  }
}
