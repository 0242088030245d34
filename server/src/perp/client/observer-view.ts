import Type, { type Static, type TSchema } from 'typebox'
import { nullable } from '../../http/schemas.ts'
import { ammExample, fullInstrumentExample } from '../market-data/instrument-full-schema.ts'
import type { PairState } from '../market-data/pair-reader.ts'
import {
  accountSchema,
  ammSchema,
  conditionSchema,
  type OnWire,
  priceDataSchema,
  quoteStateSchema,
  settingSchema,
  spacingSchema,
} from '../market-data/pair-state-schemas.ts'
import { blockInfoSchema } from '../schemas.ts'
import { quotationExample, quotationSchema } from './quotation-view.ts'

const { size: _, ...quotationFields } = quotationSchema.properties

/** What Observer answers of a pair, an account in it and a size, as it names its fields. */
const observerSchema = Type.Object({
  setting: settingSchema,
  condition: conditionSchema,
  amm: ammSchema,
  priceData: priceDataSchema,
  portfolio: accountSchema,
  quotation: nullable(Type.Object(quotationFields, { description: 'Null where no size is named.' })),
  quoteState: quoteStateSchema,
  spacing: spacingSchema,
  blockInfo: blockInfoSchema,
})
type ObserverView = Static<typeof observerSchema>

const { market, setting, blockInfo, spotPrice, quote } = fullInstrumentExample
const { quoteParam, ...marginRatios } = setting

export const observerExample: ObserverView = {
  setting: {
    symbol: fullInstrumentExample.symbol,
    config: '0xdc64a140aa3e981100a9beca4e685f962f0cf6c9',
    gate: '0x5fc8d32690cc91d4c39d9d3abcbd16989f875707',
    market: market.info.addr,
    quote: quote.address,
    decimals: quote.decimals,
    ...marginRatios,
    placePaused: fullInstrumentExample.placePaused,
    fundingHour: fullInstrumentExample.fundingHour,
    disableOrderRebate: fullInstrumentExample.disableOrderRebate,
    param: quoteParam,
  },
  condition: fullInstrumentExample.condition,
  amm: ammExample,
  priceData: {
    instrument: fullInstrumentExample.instrumentAddr,
    expiry: ammExample.expiry,
    markPrice: spotPrice,
    spotPrice,
    benchmarkPrice: spotPrice,
    feeder0: market.feeder.aggregator0,
    feeder1: market.feeder.aggregator1,
    feeder0UpdatedAt: String(blockInfo.timestamp),
    feeder1UpdatedAt: '0',
  },
  portfolio: {
    oids: [1_843_262_521_344],
    rids: [],
    position: { balance: '0', size: '0', entryNotional: '0', entrySocialLossIndex: '0', entryFundingIndex: '0' },
    orders: [{ balance: '200000000000000000000', size: '10000000000000000' }],
    ranges: [],
    ordersTaken: ['0'],
  },
  quotation: quotationExample,
  quoteState: {
    quote: quote.address,
    decimals: quote.decimals,
    symbol: quote.symbol,
    threshold: '50000000000',
    reserve: '1500000000',
    balance: '997500000000',
    allowance: '0',
    fundFlow: { totalIn: '2500000000', totalOut: '0' },
    pending: { timestamp: 0, native: false, amount: '0', exemption: '0' },
  },
  spacing: { pearl: 1, order: 1, range: 50 },
  blockInfo,
}

/** The same with names as the published client's server has them. */
type Capitalised<T> = T extends readonly (infer One)[]
  ? Capitalised<One>[]
  : T extends object
    ? { [Name in keyof T as Capitalize<Name & string>]: Capitalised<T[Name]> }
    : T

const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)

/** A schema of what `capitalised` makes of the values of another one. */
const capitalisedSchema = <T extends TSchema>(schema: T) => Type.Unsafe<Capitalised<Static<T>>>(withCapitals(schema))

function withCapitals<T>(node: T): T {
  if (Array.isArray(node)) return node.map(withCapitals) as T
  if (typeof node !== 'object' || node === null) return node
  const keywords = Object.entries(node).map(([keyword, value]) => {
    if (keyword === 'required') return [keyword, value.map(capital)]
    if (keyword !== 'properties') return [keyword, withCapitals(value)]
    return [keyword, Object.fromEntries(Object.entries(value).map(([name, one]) => [capital(name), withCapitals(one)]))]
  })
  return Object.fromEntries(keywords)
}

const ADDRESS = /^0x[0-9a-fA-F]{40}$/

/** A contract's answer as it goes over the wire. Addresses are lower-case, as everywhere. */
export function capitalised<T>(value: T): Capitalised<OnWire<T>> {
  return capitalisedValue(value) as Capitalised<OnWire<T>>
}

function capitalisedValue(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'string') return ADDRESS.test(value) ? value.toLowerCase() : value
  if (Array.isArray(value)) return value.map(capitalisedValue)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [capital(name), capitalisedValue(one)]))
}

export const observerViewSchema = capitalisedSchema(observerSchema)
export const observerViewExample: Static<typeof observerViewSchema> = capitalised(observerExample)

/** What Observer answers on the wire; it quotes a size of zero where none is named. */
export const observerView = (answer: PairState, isSized: boolean): Static<typeof observerViewSchema> =>
  capitalised({ ...answer, quotation: isSized ? answer.quotation : null })
