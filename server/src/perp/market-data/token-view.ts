import Type from 'typebox'
import { jsonNumber } from '../../lib/decimal.ts'
import { WAD, WAD_DECIMALS } from '../../lib/wad.ts'
import type { ListedInstrument } from '../listing/catalogue.ts'
import { isDollarQuoted } from '../listing/quote.ts'

/** A base is a name that a price source knows, and no token. */
const NO_ADDRESS = '0x0000000000000000000000000000000000000000'

/** Token of a row (perp-api 2B). */
export const tokenSchema = Type.Object({
  address: Type.String({ description: 'Zero where it is no token.' }),
  symbol: Type.String({
    description:
      'Empty where the contract of a token that is no quote of the venue says none of up to 32 printable characters.',
  }),
  decimals: Type.Integer({
    description: '0 where the contract of such a token says none up to 255: its amounts are in its smallest unit then.',
  }),
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
export const baseToken = (instrument: ListedInstrument, priceWad: bigint) => ({
  address: NO_ADDRESS,
  symbol: instrument.base,
  decimals: WAD_DECIMALS,
  image: '',
  price: jsonNumber(isDollarQuoted(instrument) ? priceWad : 0n, WAD_DECIMALS),
})

/** A stable quote counts as a dollar. */
export const quoteToken = (instrument: ListedInstrument) => ({
  address: instrument.quote.address,
  symbol: instrument.quote.symbol,
  decimals: instrument.quote.decimals,
  image: '',
  price: jsonNumber(isDollarQuoted(instrument) ? WAD : 0n, WAD_DECIMALS),
})
