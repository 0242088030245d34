import type { Static } from 'typebox'
import type { BlockInfo } from '../../http/product.ts'
import type { Printed } from '../../lib/decimal.ts'
import type { ListedInstrument } from '../listing/catalogue.ts'
import { instrumentView } from '../listing/instrument-view.ts'
import { sqrtToPrice } from '../maths/tick.ts'
import type { fullInstrumentSchema } from './instrument-full-schema.ts'
import type { PairState } from './pair-reader.ts'
import type { OnWire } from './pair-state-schemas.ts'
import { MARKET_TYPE } from './pair-view.ts'
import type { PriceSource } from './price-sources.ts'
import { baseToken, quoteToken } from './token-view.ts'

/** Basis points of a dated pair's carry in a day, as the markets' contracts have it (perp-protocol 3.11). */
const DAILY_INTEREST_RATE = 3

/** What the full object of an instrument is made of: its open pairs, all at one block. */
export interface FullInstrument {
  readonly instrument: ListedInstrument
  readonly source: PriceSource
  /** A pair of it, open or not, for what is the instrument's own. */
  readonly shown: PairState
  readonly states: readonly PairState[]
  readonly block: BlockInfo
}

/** An instrument on the wire. */
export function fullInstrumentView({
  instrument,
  source,
  shown,
  states,
  block,
}: FullInstrument): Printed<Static<typeof fullInstrumentSchema>> {
  const { minTradeValue, minOrderValue, minRangeValue, minRangeTickDelta } = instrumentView(instrument)
  const blockInfo = { height: Number(block.height), timestamp: Number(block.timestampSec) }
  const { priceData, setting } = shown
  const [base, quote] = [baseToken(instrument, priceData.markPrice), quoteToken(instrument)]
  return {
    instrumentAddr: instrument.address,
    symbol: setting.symbol,
    market: marketView(instrument, source),
    condition: instrument.condition,
    setting: {
      initialMarginRatio: instrument.initialMarginRatio,
      maintenanceMarginRatio: instrument.maintenanceMarginRatio,
      quoteParam: {
        minMarginAmount: String(instrument.minMarginAmount),
        tradingFeeRatio: instrument.tradingFeeRatio,
        protocolFeeRatio: instrument.protocolFeeRatio,
        qtype: instrument.quoteType,
        tip: String(instrument.tip),
      },
    },
    spotPrice: String(priceData.spotPrice),
    amms: states.map((state) => ammView(instrument, state, blockInfo)),
    base,
    quote,
    displayBase: base,
    displayQuote: quote,
    blockInfo,
    placePaused: instrument.placePaused,
    fundingHour: instrument.fundingHour,
    disableOrderRebate: instrument.disableOrderRebate,
    instrumentType: source.ftype,
    marketType: MARKET_TYPE,
    minTradeValue,
    minOrderValue,
    minRangeValue,
    minTickDelta: minRangeTickDelta,
  }
}

function marketView({ base, quote, market }: ListedInstrument, { beacon, scaler0, scaler1, ...source }: PriceSource) {
  const { ftype, aggregator0, heartBeat0, aggregator1, heartBeat1 } = source
  const feeder = { ftype, aggregator0, heartBeat0, aggregator1, heartBeat1 }
  return {
    info: { addr: market.address, type: market.type, beacon },
    config: {
      dailyInterestRate: DAILY_INTEREST_RATE,
      feederSource: [{ baseSymbol: base, quoteSymbol: quote.symbol, ...feeder }],
    },
    feeder: { ...feeder, scaler0: String(scaler0), scaler1: String(scaler1) },
  }
}

/** A pair's pool with the prices of the block. */
function ammView(
  { address }: ListedInstrument,
  { amm, priceData }: PairState,
  blockInfo: { readonly height: number; readonly timestamp: number },
) {
  const figures = Object.fromEntries(
    Object.entries(amm).map(([name, value]) => [name, typeof value === 'bigint' ? String(value) : value]),
  ) as OnWire<typeof amm>
  return {
    instrumentAddr: address,
    ...figures,
    markPrice: String(priceData.markPrice),
    fairPrice: String(sqrtToPrice(amm.sqrtPX96)),
    blockInfo,
  }
}
