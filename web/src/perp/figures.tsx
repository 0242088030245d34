// How figures of this product are written: signs and units in view.
import { formatAmount, formatPercent, formatPrice, formatQuantity, formatTime, shorten } from '../lib/format.ts'
import { words } from './strings.ts'
import { fromWad, isZero } from './units.ts'

export const priceText = (wad: string | null | undefined): string => formatPrice(fromWad(wad))

/** A price where 0 means that there is none. */
export const priceOrNone = (wad: string | null | undefined): string => (isZero(wad) ? words.none : priceText(wad))

export const sizeText = (wad: string | null | undefined): string => formatQuantity(fromWad(wad))

export const amountText = (wad: string | null | undefined, unit: string): string => {
  const text = fromWad(wad)
  return text === null ? '–' : `${formatAmount(text)} ${unit}`
}

/** Small amounts, fees, with as many digits as they need. */
export const feeText = (wad: string | null | undefined, unit: string): string => {
  const text = fromWad(wad)
  return text === null ? '–' : `${formatAmount(text, 4)} ${unit}`
}

/** With its sign: `+12.50 USDC`. */
export const signedText = (wad: string | null | undefined, unit: string): string => {
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

export const leverageText = (wad: string | null | undefined): string => {
  const text = fromWad(wad)
  return text === null ? '–' : words.times(formatAmount(text))
}

export const toneOf = (wad: string | null | undefined): string => {
  if (isZero(wad)) return ''
  return wad?.startsWith('-') ? 'down' : 'up'
}

export const whenText = (sec: number): string => (sec === 0 ? '–' : formatTime(sec * 1000))

export const sideText = (side: 1 | 2 | 'long' | 'short'): string =>
  side === 2 || side === 'long' ? words.long : words.short

export const Hash = ({ hash }: { readonly hash: string }) => <code title={hash}>{shorten(hash)}</code>

export const Signed = ({ wad, unit }: { readonly wad: string | null | undefined; readonly unit: string }) => (
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
