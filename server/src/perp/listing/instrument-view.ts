import Type from 'typebox'
import { minOrderValue, minRangeValue, minTradeValue } from '../maths/position.ts'
import { minRangeTickDelta } from '../maths/tick.ts'
import { wad } from '../schemas.ts'
import type { ListedInstrument } from './catalogue.ts'

const QUOTE_TYPES = ['INVALID', 'STABLE', 'NONSTABLE'] as const
const CONDITIONS = ['NORMAL', 'FROZEN', 'RESOLVED'] as const

const ratio = (description: string) => Type.Integer({ description: `${description}, basis points.` })

/** Row 2 of perp-api 2B. */
export const instrumentSchema = Type.Object({
  instrumentAddress: Type.String(),
  symbol: Type.String(),
  base: Type.Object({ symbol: Type.String() }),
  quote: Type.Object({ symbol: Type.String(), address: Type.String(), decimals: Type.Integer() }),
  market: Type.Object({ address: Type.String(), type: Type.String() }),
  initialMarginRatio: ratio('Margin of a new position'),
  maintenanceMarginRatio: ratio('Margin below which a position is liquidated'),
  minMarginAmount: wad('Least margin'),
  tradingFeeRatio: ratio('Fee of a taker for liquidity'),
  protocolFeeRatio: ratio('Fee of a taker for the protocol'),
  tip: wad('Paid to whoever fills or removes for another'),
  quoteType: Type.Enum([...QUOTE_TYPES]),
  minTradeValue: wad('Least notional of a trade'),
  minOrderValue: wad('Least notional of a limit order'),
  minRangeValue: wad('Least notional of a range'),
  fundingIntervalHour: Type.Integer({ description: 'Hours over which funding pays the whole gap; 0 stands for 24.' }),
  minRangeTickDelta: Type.Integer({ description: 'Least distance of a range’s edge from the price, ticks.' }),
  instrumentCondition: Type.Enum([...CONDITIONS]),
  placeLimitOrderPaused: Type.Boolean(),
  disableMakerOrderRebate: Type.Boolean(),
})

export const instrumentExample: Type.Static<typeof instrumentSchema> = {
  instrumentAddress: '0x73ada1ea346cc3908f41cf67a040f0acd7808be0',
  symbol: 'BTC/USDC',
  base: { symbol: 'BTC' },
  quote: { symbol: 'USDC', address: '0x5fbdb2315678afecb367f032d93f642f64180aa3', decimals: 6 },
  market: { address: '0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0', type: 'LINK' },
  initialMarginRatio: 1000,
  maintenanceMarginRatio: 500,
  minMarginAmount: '10000000000000000000',
  tradingFeeRatio: 5,
  protocolFeeRatio: 2,
  tip: '10000000000000000',
  quoteType: 'STABLE',
  minTradeValue: '100000000000000000000',
  minOrderValue: '200000000000000000000',
  minRangeValue: '1000000000000000000000',
  fundingIntervalHour: 24,
  minRangeTickDelta: 953,
  instrumentCondition: 'NORMAL',
  placeLimitOrderPaused: false,
  disableMakerOrderRebate: false,
}

/** An instrument on the wire; the least values follow from its margins (perp-protocol 2.1). */
export function instrumentView(instrument: ListedInstrument): Type.Static<typeof instrumentSchema> {
  const { base, quote, market, initialMarginRatio, minMarginAmount } = instrument
  return {
    instrumentAddress: instrument.address,
    symbol: instrument.symbol,
    base: { symbol: base },
    quote,
    market,
    initialMarginRatio,
    maintenanceMarginRatio: instrument.maintenanceMarginRatio,
    minMarginAmount: String(minMarginAmount),
    tradingFeeRatio: instrument.tradingFeeRatio,
    protocolFeeRatio: instrument.protocolFeeRatio,
    tip: String(instrument.tip),
    quoteType: QUOTE_TYPES[instrument.quoteType] ?? 'INVALID',
    minTradeValue: String(minTradeValue(instrument)),
    minOrderValue: String(minOrderValue(instrument)),
    minRangeValue: String(minRangeValue(instrument)),
    fundingIntervalHour: instrument.fundingHour,
    minRangeTickDelta: minRangeTickDelta(initialMarginRatio),
    instrumentCondition: CONDITIONS[instrument.condition] ?? 'FROZEN',
    placeLimitOrderPaused: instrument.placePaused,
    disableMakerOrderRebate: instrument.disableOrderRebate,
  }
}
