import { exchangeOf } from './exchange.ts'
import { perp } from './perp/product.ts'
import type { Ccxt } from './venue.ts'

/** A Bourse venue as a class of ccxt: its perpetual futures. */
export const bourseExchange = (ccxt: Ccxt): Ccxt['Exchange'] => exchangeOf(ccxt, perp)
