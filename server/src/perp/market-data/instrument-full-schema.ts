import Type, { type Static } from 'typebox'
import { PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import { instrumentExample, instrumentSchema } from '../listing/instrument-view.ts'
import { blockInfoSchema } from '../schemas.ts'
import {
  ammSchema,
  conditionSchema,
  contractSymbolSchema,
  instrumentFlags,
  marginSettingSchema,
  priceFields,
} from './pair-state-schemas.ts'
import { pairExample, pairSchema } from './pair-view.ts'
import { tokenSchema } from './token-view.ts'

const heartBeat = (feed: string) =>
  Type.Integer({
    description: `Age at which an answer of the ${feed} feed is too old, seconds; 0 where there is none.`,
  })
const scaler = (feed: string) =>
  Type.String({ description: `What an answer of the ${feed} feed is multiplied by, for 18 decimals.` })
const aggregator = (feed: string) => Type.String({ description: `The ${feed} feed; zero where there is none.` })

/** What kind of price source it is, and its feeds. */
const feederFields = {
  ftype: Type.Integer({ description: 'Kind of the price source, as its market numbers them.' }),
  aggregator0: aggregator('first'),
  heartBeat0: heartBeat('first'),
  aggregator1: aggregator('second'),
  heartBeat1: heartBeat('second'),
}

const marketSchema = Type.Object(
  {
    info: Type.Object({
      addr: Type.String({ description: 'The market’s address.' }),
      type: Type.String({ description: 'The market’s type, such as LINK.' }),
      beacon: Type.String(),
    }),
    config: Type.Object({
      dailyInterestRate: Type.Integer({ description: 'Carry of a dated pair in a day, basis points.' }),
      feederSource: Type.Array(Type.Object({ baseSymbol: Type.String(), quoteSymbol: Type.String(), ...feederFields })),
    }),
    feeder: Type.Object({ ...feederFields, scaler0: scaler('first'), scaler1: scaler('second') }),
  },
  { description: 'What prices it.' },
)

const fullAmmSchema = Type.Object({
  instrumentAddr: Type.String(),
  ...ammSchema.properties,
  markPrice: priceFields.markPrice,
  fairPrice: pairSchema.properties.fairPrice,
  blockInfo: blockInfoSchema,
})

const { minTradeValue, minOrderValue, minRangeValue, minRangeTickDelta } = instrumentSchema.properties

/** The full instrument of the published client (perp-api 7.4, `instrument`). */
export const fullInstrumentSchema = Type.Object({
  instrumentAddr: Type.String(),
  symbol: contractSymbolSchema,
  market: marketSchema,
  condition: conditionSchema,
  setting: marginSettingSchema,
  spotPrice: priceFields.spotPrice,
  amms: Type.Array(fullAmmSchema, { description: 'Its open pairs, or the one that is followed.' }),
  base: tokenSchema,
  quote: tokenSchema,
  displayBase: tokenSchema,
  displayQuote: tokenSchema,
  blockInfo: blockInfoSchema,
  ...instrumentFlags,
  instrumentType: feederFields.ftype,
  marketType: pairSchema.properties.marketType,
  minTradeValue,
  minOrderValue,
  minRangeValue,
  minTickDelta: minRangeTickDelta,
})

const BLOCK = { height: 4_211, timestamp: 1_764_000_000 }
const NO_FEED = '0x0000000000000000000000000000000000000000'
const FEEDER = {
  ftype: 1,
  aggregator0: '0x610178da211fef7d417bc0e6fed39f05609ad788',
  heartBeat0: 86_400,
  aggregator1: NO_FEED,
  heartBeat1: 0,
}

export const ammExample: Static<typeof ammSchema> = {
  expiry: PERPETUAL_EXPIRY,
  timestamp: BLOCK.timestamp,
  status: pairExample.ammStatus,
  tick: 110_040,
  sqrtPX96: '19426380926034381525367186411263',
  liquidity: '85103321456778901234567',
  totalLiquidity: '85103321456778901234567',
  totalShort: pairExample.shortOi,
  openInterests: pairExample.openInterests,
  totalLong: pairExample.longOi,
  involvedFund: pairExample.tvl,
  feeIndex: '2649123456789012',
  protocolFee: '90180750000000000000',
  longSocialLossIndex: '0',
  shortSocialLossIndex: '0',
  longFundingIndex: '-1402310021002100210',
  shortFundingIndex: '1682772025202520252',
  insuranceFund: '0',
  settlementPrice: '0',
}

export const fullInstrumentExample: Static<typeof fullInstrumentSchema> = {
  instrumentAddr: pairExample.instrumentAddr,
  symbol: 'BTC-USDC-LINK',
  market: {
    info: {
      addr: instrumentExample.market.address,
      type: instrumentExample.market.type,
      beacon: '0xcf7ed3acca5a467e9e704c703e8d87f634fb0fc9',
    },
    config: {
      dailyInterestRate: 3,
      feederSource: [{ baseSymbol: 'BTC', quoteSymbol: 'USDC', ...FEEDER }],
    },
    feeder: { ...FEEDER, scaler0: '10000000000', scaler1: '0' },
  },
  condition: pairExample.condition,
  setting: {
    initialMarginRatio: instrumentExample.initialMarginRatio,
    maintenanceMarginRatio: instrumentExample.maintenanceMarginRatio,
    quoteParam: {
      minMarginAmount: instrumentExample.minMarginAmount,
      tradingFeeRatio: instrumentExample.tradingFeeRatio,
      protocolFeeRatio: instrumentExample.protocolFeeRatio,
      qtype: 1,
      tip: instrumentExample.tip,
    },
  },
  spotPrice: pairExample.spotPrice,
  amms: [
    {
      instrumentAddr: pairExample.instrumentAddr,
      ...ammExample,
      markPrice: pairExample.markPrice,
      fairPrice: pairExample.fairPrice,
      blockInfo: BLOCK,
    },
  ],
  base: pairExample.baseToken,
  quote: pairExample.quoteToken,
  displayBase: pairExample.baseToken,
  displayQuote: pairExample.quoteToken,
  blockInfo: BLOCK,
  placePaused: instrumentExample.placeLimitOrderPaused,
  fundingHour: instrumentExample.fundingIntervalHour,
  disableOrderRebate: instrumentExample.disableMakerOrderRebate,
  instrumentType: FEEDER.ftype,
  marketType: pairExample.marketType,
  minTradeValue: instrumentExample.minTradeValue,
  minOrderValue: instrumentExample.minOrderValue,
  minRangeValue: instrumentExample.minRangeValue,
  minTickDelta: instrumentExample.minRangeTickDelta,
}
