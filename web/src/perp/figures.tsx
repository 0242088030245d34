// How figures of this product are written: signs and units in view.
import {
  amountDigits,
  formatAmount,
  formatCost,
  formatPercent,
  formatPrice,
  formatQuantity,
  formatTime,
  shorten,
} from '../lib/format.ts'
import { words } from './strings.ts'
import { fromWad, isZero, magnitude } from './units.ts'

export const priceText = (wad: string | null | undefined): string => formatPrice(fromWad(wad))

/** A price where 0 means that there is none. */
export const priceOrNone = (wad: string | null | undefined): string => (isZero(wad) ? words.none : priceText(wad))

export const sizeText = (wad: string | null | undefined): string => formatQuantity(fromWad(wad))

/** The least that four digits after the point show. */
const LEAST_SHORT = 10n ** 14n

/** Without its sign and cut to four digits after the point; what is less is not shown as 0. */
function cutSize(wad: string): string {
  const size = BigInt(magnitude(wad))
  if (size > 0n && size < LEAST_SHORT) return `<${sizeText(String(LEAST_SHORT))}`
  return sizeText(String(size - (size % LEAST_SHORT)))
}

/** A size where it is one of many, never more than it is: the book, trades, lists. */
export const sizeShort = (wad: string): string => `${wad.startsWith('-') ? '-' : ''}${cutSize(wad)}`

/** A size that somebody owns or ordered, in a list: where digits are left out that is seen, and all of them are at hand. */
export function Size({ wad }: { readonly wad: string }) {
  const [short, whole] = [sizeShort(wad), sizeText(wad)]
  return short === whole ? <span>{whole}</span> : <span title={whole}>{short.includes('<') ? short : `${short}…`}</span>
}

/** The token that amounts are in, as the venue's lists have it: one of a dollar has the price 1, others none. */
export interface Unit {
  readonly symbol: string
  readonly price: string
}

/** Of dollars as many digits as are asked for; of other tokens a cent's worth may be far behind the point. */
const digitsOf = (text: string, { price }: Unit, ofDollars: number): number =>
  Number(price) === 1 ? ofDollars : amountDigits(text)

export const amountText = (wad: string | null | undefined, unit: Unit, ofDollars = 2): string => {
  const text = fromWad(wad)
  return text === null ? '–' : `${formatAmount(text, digitsOf(text, unit, ofDollars))} ${unit.symbol}`
}

/** Fees are small. */
const FEE_DIGITS = 4

/** A fee that is earned. */
export const earnedText = (wad: string | null | undefined, unit: Unit): string => amountText(wad, unit, FEE_DIGITS)

/** What is paid in. */
export const paidText = (wad: string | null | undefined, unit: Unit, ofDollars = 2): string => {
  const text = fromWad(wad)
  return text === null ? '–' : `${formatCost(text, digitsOf(text, unit, ofDollars))} ${unit.symbol}`
}

/** A fee that is paid. */
export const feeText = (wad: string | null | undefined, unit: Unit): string => paidText(wad, unit, FEE_DIGITS)

/** With its sign: `+12.50 USDC`. */
export const signedText = (wad: string | null | undefined, unit: Unit): string => {
  const text = amountText(wad, unit)
  return wad && BigInt(wad) > 0n ? `+${text}` : text
}

export const percentText = (wad: string | null | undefined): string => formatPercent(fromWad(wad))

/** A rate of an hour is small: four digits. */
export function rateText(wad: string | null | undefined): string {
  const text = fromWad(wad)
  if (text === null) return '–'
  return `${formatQuantitySigned(String(BigInt(wad ?? '0') * 100n))}%`
}

function formatQuantitySigned(wad: string): string {
  const text = formatAmount(fromWad(wad), 4)
  return BigInt(wad) > 0n ? `+${text}` : text
}

const LEVERAGE_DIGITS = 2

export const leverageText = (wad: string | null | undefined): string => {
  const text = fromWad(wad)
  return text === null ? '–' : words.times(formatCost(text, LEVERAGE_DIGITS))
}

export const toneOf = (wad: string | null | undefined): string => {
  if (isZero(wad)) return ''
  return wad?.startsWith('-') ? 'down' : 'up'
}

export const whenText = (sec: number): string => (sec === 0 ? '–' : formatTime(sec * 1000))

export const sideText = (side: 1 | 2 | 'long' | 'short'): string =>
  side === 2 || side === 'long' ? words.long : words.short

export const Hash = ({ hash }: { readonly hash: string }) => <code title={hash}>{shorten(hash)}</code>

export const Signed = ({ wad, unit }: { readonly wad: string | null | undefined; readonly unit: Unit }) => (
  <span class={toneOf(wad)}>{signedText(wad, unit)}</span>
)

/** A value before and after, in words for screen readers. */
export const Becomes = ({ before, after }: { readonly before: string; readonly after: string }) =>
  before === after ? (
    <span>{after}</span>
  ) : (
    <>
      <span class="muted">{before}</span> <span aria-hidden="true">→</span>
      <span class="visually-hidden">{words.arrow}</span> {after}
    </>
  )
