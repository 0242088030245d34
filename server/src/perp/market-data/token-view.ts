import Type from 'typebox'
import { jsonNumber } from '../../lib/decimal.ts'
import { WAD, WAD_DECIMALS } from '../../lib/wad.ts'
import type { ListedInstrument } from '../listing/catalogue.ts'

/** A base is a name that a price source knows, and no token. */
const NO_ADDRESS = '0x0000000000000000000000000000000000000000'
const STABLE = 1

/** Token of a row (perp-api 2B). */
export const tokenSchema = Type.Object({
  address: Type.String({ description: 'Zero where it is no token.' }),
  symbol: Type.String(),
  decimals: Type.Integer(),
  image: Type.String({ description: 'Empty: the venue has no images.' }),
  price: Type.Number({ description: 'In USD; 0 where it is not known.' }),
})

export const tokenExample: Type.Static<typeof tokenSchema> = {
  address: '0x5fbdb2315678afecb367f032d93f642f64180aa3',
  symbol: 'USDC',
  decimals: 6,
  image: '',
  price: 1,
}

/** The base at a price in the quote, WAD. */
export const baseToken = ({ base, quoteType }: ListedInstrument, priceWad: bigint) => ({
  address: NO_ADDRESS,
  symbol: base,
  decimals: WAD_DECIMALS,
  image: '',
  price: jsonNumber(quoteType === STABLE ? priceWad : 0n, WAD_DECIMALS),
})

/** A stable quote counts as a dollar. */
export const quoteToken = ({ quote, quoteType }: ListedInstrument) => ({
  address: quote.address,
  symbol: quote.symbol,
  decimals: quote.decimals,
  image: '',
  price: jsonNumber(quoteType === STABLE ? WAD : 0n, WAD_DECIMALS),
})
