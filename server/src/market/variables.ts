import Type from 'typebox'
import { defineVariables, type ValuesOf } from '../lib/variables.ts'
import { brokerProblems, brokerVariables } from './alpaca/variables.ts'

/** The variables that decide which market the venue trades with. */
export const marketVariables = defineVariables({
  properties: {
    MARKET_SEED: Type.String({ minLength: 1, default: 'bourse', description: 'the seed of the simulated market' }),
    MARKET_RECORDED_FILES: Type.Optional(
      Type.String({
        pattern: '^[A-Z.]+=[^,]+(,[A-Z.]+=[^,]+)*$',
        description: 'SYMBOL=path to a CSV of daily bars, comma-separated',
      }),
    ),
    MARKET_HOURS: Type.Union([Type.Literal('always'), Type.Literal('calendar')], {
      default: 'always',
      description: 'always (the simulated market never closes) or calendar (it keeps the hours of the US stock market)',
    }),
    MARKET_CORPORATE_ACTIONS: Type.Optional(
      Type.String({ minLength: 1, description: 'a CSV file of splits, dividends and spin-offs' }),
    ),
    ...brokerVariables,
  },
  problems: brokerProblems,
})

export type MarketSettings = ValuesOf<typeof marketVariables>
