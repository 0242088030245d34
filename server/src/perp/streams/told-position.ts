import Type, { type Static } from 'typebox'
import { positionExample, positionSchema } from '../portfolio/position-view.ts'

const TOLD = [
  'balance',
  'size',
  'entryNotional',
  'entrySocialLossIndex',
  'entryFundingIndex',
  'side',
  'entryPrice',
  'lastUpdateTime',
  'lastUpdateTxHash',
  'instrumentAddr',
  'expiry',
  'symbol',
] as const

/** The fields of a position that only its own events change; its worth follows from the market's. */
export const toldPositionSchema = Type.Pick(positionSchema, TOLD)

export const toldPositionExample = Object.fromEntries(TOLD.map((name) => [name, positionExample[name]])) as Static<
  typeof toldPositionSchema
>
