import { exchangeOf } from './exchange.ts'
import { perp } from './perp/product.ts'
import { stock } from './stock/product.ts'
import type { Ccxt } from './venue.ts'

const PRODUCTS = { perp, stock }
export type ProductName = keyof typeof PRODUCTS

/**
 * A Bourse venue as a class of ccxt. An API key belongs to one product, and so does a class: perpetual futures, or with
 * `'stock'` tokenized stocks.
 */
export const bourseExchange = (ccxt: Ccxt, product: ProductName = 'perp'): Ccxt['Exchange'] =>
  exchangeOf(ccxt, PRODUCTS[product])
