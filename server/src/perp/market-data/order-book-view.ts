import Type from 'typebox'
import type { BlockInfo } from '../../http/product.ts'
import { blockInfoSchema, wad } from '../schemas.ts'
import { type BookWidth, type Depth, type Level, orderBook } from './order-book.ts'

const levelSchema = Type.Object({
  tick: Type.Integer(),
  price: wad('Price of the tick, the worst in the level'),
  baseSize: wad('Base between the level before and this one'),
  quoteSize: wad('The same at the price of the tick'),
  baseSum: wad('Base up to this level'),
  quoteSum: wad('Quote up to this level'),
})

/** One value of row 4 of perp-api 2B. */
export const bookSchema = Type.Object({
  blockInfo: blockInfoSchema,
  bids: Type.Array(levelSchema, { description: 'From high to low.' }),
  asks: Type.Array(levelSchema, { description: 'From low to high.' }),
})

/** Row 4 of perp-api 2B: books by the width of their levels in basis points. */
export const booksSchema = Type.Record(Type.String({ pattern: '^[1-9]\\d*$' }), bookSchema)

export const booksExample: Type.Static<typeof booksSchema> = {
  '1': {
    blockInfo: { height: 4_211, timestamp: 1_764_000_000 },
    bids: [
      {
        tick: 110_018,
        price: '59996521731446321374123',
        baseSize: '834270312345678901',
        quoteSize: '50053316876543210987654',
        baseSum: '834270312345678901',
        quoteSum: '50053316876543210987654',
      },
    ],
    asks: [
      {
        tick: 110_020,
        price: '60008521635758179654321',
        baseSize: '416962512345678901',
        quoteSize: '25021304012345678901234',
        baseSum: '416962512345678901',
        quoteSum: '25021304012345678901234',
      },
    ],
  },
}

type Books = Type.Static<typeof booksSchema>
type Side = Type.Static<typeof bookSchema>['bids']

const clientLevels = Type.Array(Type.Object({ ...levelSchema.properties, baseQuantity: wad('The same as baseSize') }))

/** The same with the name that the published client has for a level's base in its answers. */
export const clientBooksSchema = Type.Record(
  Type.String({ pattern: '^[1-9]\\d*$' }),
  Type.Object({ ...bookSchema.properties, bids: clientLevels, asks: clientLevels }),
)

export function clientBooksView(books: Books): Type.Static<typeof clientBooksSchema> {
  const named = (side: Side) => side.map((level) => ({ ...level, baseQuantity: level.baseSize }))
  return Object.fromEntries(
    Object.entries(books).map(([ratio, { bids, asks, ...book }]) => {
      return [ratio, { ...book, bids: named(bids), asks: named(asks) }]
    }),
  )
}

/** The books of a pair on the wire. */
export function booksView(
  depth: Depth,
  widths: readonly BookWidth[],
  { height, timestampSec }: BlockInfo,
): Type.Static<typeof booksSchema> {
  const blockInfo = { height: Number(height), timestamp: Number(timestampSec) }
  return Object.fromEntries(
    widths.map(({ ratio, step }) => {
      const { bids, asks } = orderBook(depth, step)
      return [String(ratio), { blockInfo, bids: bids.map(levelView), asks: asks.map(levelView) }]
    }),
  )
}

const levelView = ({ tick, price, baseSize, quoteSize, baseSum, quoteSum }: Level) => ({
  tick,
  price: String(price),
  baseSize: String(baseSize),
  quoteSize: String(quoteSize),
  baseSum: String(baseSum),
  quoteSum: String(quoteSum),
})
