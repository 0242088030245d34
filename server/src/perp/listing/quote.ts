import Type from 'typebox'
import { EXPECTED } from '../../http/validation.ts'
import { AppError } from '../../lib/errors.ts'
import { WAD_DECIMALS } from '../../lib/wad.ts'
import { perpReasons } from '../reasons.ts'
import type { Instruments, ListedInstrument, QuoteToken } from './catalogue.ts'

export const quoteSchema = Type.String({
  pattern: '^(0x[0-9a-fA-F]{40}|[A-Za-z0-9._-]{1,32})$',
  [EXPECTED]: 'a quote token: its symbol such as USDC, or its address',
  description: 'The token, by its symbol or its address.',
})

const STABLE = 1

/** True where one of the quote counts as one dollar; of no other quote does the venue know a price in USD. */
export const isDollarQuoted = ({ quoteType }: Pick<ListedInstrument, 'quoteType'>): boolean => quoteType === STABLE

/** True where one of a token is one dollar: every instrument that is quoted in it says so. */
export const isDollar = ({ list }: Pick<Instruments, 'list'>, { address }: Pick<QuoteToken, 'address'>): boolean =>
  list.filter(({ quote }) => quote.address === address).every(isDollarQuoted)

/** Every token that an instrument of the venue is quoted in, once. */
export function quotesOf({ list }: Pick<Instruments, 'list'>): readonly QuoteToken[] {
  return [...new Map(list.map(({ quote }) => [quote.address, quote])).values()]
}

/** The token that a request names. Throws `quote_unknown`, also for a symbol that two tokens have. */
export function quoteOf(instruments: Pick<Instruments, 'list'>, named: string): QuoteToken {
  const quotes = quotesOf(instruments)
  const isNamed = ({ symbol, address }: QuoteToken) => symbol === named || address === named.toLowerCase()
  const [found, ...more] = quotes.filter(isNamed)
  if (found && more.length === 0) return found
  const known = quotes.map(({ symbol, address }) => `${symbol} (${address})`).join(', ')
  const message = found
    ? `several tokens have the symbol ${named}: name one by its address, of ${known}`
    : `there is no quote ${named}; there is ${known}`
  throw new AppError(perpReasons.quote_unknown, message, { detail: { field: 'quote' } })
}

/** A token's own units as 18 decimals. */
export const toWad = (raw: bigint, { decimals }: Pick<QuoteToken, 'decimals'>): bigint =>
  raw * 10n ** BigInt(WAD_DECIMALS - decimals)

/** The greatest number of tokens, which stands for no limit. */
const UNLIMITED = (1n << 256n) - 1n

/** A limit as 18 decimals; one that is none, or near it, as the greatest number. */
export function limitToWad(raw: bigint, token: Pick<QuoteToken, 'decimals'>): bigint {
  const wad = toWad(raw, token)
  return wad > UNLIMITED ? UNLIMITED : wad
}
