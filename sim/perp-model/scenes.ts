/** All scenes written by hand, by name. Each is replayed on the contracts. */

import { crashDay } from './crash-day.ts'
import type { Cast } from './markets.ts'
import type { Scenario } from './replay.ts'
import { LIQUIDITY_SCENES } from './scenes-liquidity.ts'
import { MONEY_SCENES } from './scenes-money.ts'

export const SCENES: { readonly [name: string]: (cast: Cast) => Scenario } = {
  ...LIQUIDITY_SCENES,
  ...MONEY_SCENES,
  'a day on which the market loses 30 %': (cast) => crashDay(cast).scenario(),
}
