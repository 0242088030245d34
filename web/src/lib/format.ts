// Amounts come as decimal text and stay text: Intl prints it exactly, however many digits it has.

const DASH = '–'

const isDecimal = (text: string): text is `${number}` => /^-?\d+(\.\d+)?$/.test(text)

const formats = new Map<string, Intl.NumberFormat>()

function formatOf(options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = JSON.stringify(options)
  const known = formats.get(key) ?? new Intl.NumberFormat('en-US', options)
  formats.set(key, known)
  return known
}

function print(text: string | null | undefined, options: Intl.NumberFormatOptions): string {
  if (text === null || text === undefined) return DASH
  return isDecimal(text) ? formatOf(options).format(text) : text
}

/** An amount that somebody owns: never shown as more than it is, and a loss never as less. */
export function formatAmount(text: string | null | undefined, digits = 2): string {
  return print(text, {
    minimumFractionDigits: Math.min(2, digits),
    maximumFractionDigits: digits,
    roundingMode: 'floor',
  })
}

/** What something costs, or puts at risk: never shown as less than it is. */
export function formatCost(text: string | null | undefined, digits: number): string {
  return print(text, {
    minimumFractionDigits: Math.min(2, digits),
    maximumFractionDigits: digits,
    roundingMode: 'ceil',
  })
}

/** A quantity of stock: all its digits, no more zeros than it has. */
export function formatQuantity(text: string | null | undefined): string {
  return print(text, { maximumFractionDigits: 18 })
}

const dollars = (digits: number, roundingMode: 'floor' | 'ceil'): Intl.NumberFormatOptions => ({
  style: 'currency',
  currency: 'USD',
  minimumFractionDigits: Math.min(2, digits),
  maximumFractionDigits: digits,
  roundingMode,
})

/** US dollars that somebody owns or gets: never shown as more than they are. */
export const formatUsd = (text: string | null | undefined, digits = 2): string => print(text, dollars(digits, 'floor'))

/** US dollars that are paid: never shown as less than they are. */
export const formatUsdCost = (text: string | null | undefined, digits: number): string =>
  print(text, dollars(digits, 'ceil'))

/** Below one, where a price is read by its digits. */
const SMALL_DIGITS = 6
const MOST_DIGITS = 18

/** How many digits a number has before the point; below one, less by each 0 that follows the point. */
function placesOf(text: string): number {
  const [, whole = '', zeros = ''] = /^-?0*(\d*)(?:\.(0*))?/.exec(text) ?? []
  return whole === '' ? -zeros.length : whole.length
}

/** Digits after the point by which prices differ that are a basis point, the finest step of a book, from each other. */
export function priceDigits(price: string): number {
  const places = placesOf(price)
  return places > 0 ? Math.max(2, 5 - places) : Math.min(MOST_DIGITS, Math.max(SMALL_DIGITS, 5 - places))
}

/** Digits after the point of an amount in a token whose worth is not known: eight that count. */
export const amountDigits = (amount: string): number => Math.min(MOST_DIGITS, Math.max(2, 8 - placesOf(amount)))

/** A price, to the nearest cent, or with more digits where it is small. */
export function formatPrice(text: string | null | undefined): string {
  return print(text, { minimumFractionDigits: 2, maximumFractionDigits: priceDigits(text ?? '') })
}

/** A profit or loss in US dollars, with its sign: never shown as better than it is. */
export function formatChange(text: string | null | undefined): string {
  return print(text, {
    style: 'currency',
    currency: 'USD',
    signDisplay: 'exceptZero',
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
    roundingMode: 'floor',
  })
}

/** A fraction in per cent, with its sign: `0.0123` is `+1.23%`. */
export function formatPercent(fraction: string | null | undefined): string {
  return print(fraction, {
    style: 'percent',
    signDisplay: 'exceptZero',
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
  })
}

/** The rate of a fee, which contracts count in parts per million: every one of them, in per cent and without a sign. */
export function formatRate(fraction: string | null | undefined): string {
  return print(fraction, { style: 'percent', minimumFractionDigits: 2, maximumFractionDigits: 4 })
}

/** What is in per cent already, with its sign: `1.23` is `+1.23%`. */
export function formatPercentPoints(percent: string | null | undefined): string {
  const text = print(percent, { signDisplay: 'exceptZero', minimumFractionDigits: 2, maximumFractionDigits: 2 })
  return text === DASH ? text : `${text}%`
}

/** A large number in few characters: `1.2M`. */
export function formatCompact(text: string | null | undefined): string {
  return print(text, { notation: 'compact', maximumFractionDigits: 2 })
}

export type Timestamp = number | string | Date

const dateOf = (time: Timestamp): Date => (time instanceof Date ? time : new Date(time))

/** Date and time in the reader's time zone. */
export const formatTime = (time: Timestamp): string =>
  dateOf(time).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

/** The reader's time zone, as times are shown in it. */
export const timeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

/** The ends of an address or hash. */
export const shorten = (hex: string): string => (hex.length > 12 ? `${hex.slice(0, 6)}…${hex.slice(-4)}` : hex)
