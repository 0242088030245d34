// A ticket as it is filled in, and the intent that it comes to.
import { computed, signal } from '@preact/signals'
import { compare, isPositive } from '../lib/decimal.ts'
import type { Intent } from './actions.ts'
import { bpsOf } from './units.ts'
import type { Market } from './venue.ts'

export type OrderIntent = Extract<Intent, { action: 'market' | 'limit' }>

const LEVERAGE = 'perp-leverage'
const SLIPPAGE = 'perp-slippage'

export const slippage = signal(localStorage.getItem(SLIPPAGE) ?? '0.5')
export const setSlippage = (text: string) => {
  slippage.value = text
  if (bpsOf(text) !== null) localStorage.setItem(SLIPPAGE, text)
}

export const isLeverage = (text: string, most: string): boolean =>
  isPositive(text) && compare(text, '1') >= 0 && compare(text, most) <= 0

export function makeTerms(market: Market) {
  const side = signal<'long' | 'short'>('long')
  const type = signal<'market' | 'limit'>('market')
  const size = signal('')
  const price = signal('')
  const leverage = signal(localStorage.getItem(LEVERAGE) ?? '3')
  const postOnly = signal(false)
  const reduceOnly = signal(false)
  /** Whether what is missing should be said: not before somebody has tried. */
  const tried = signal(false)
  let typed = 0

  const intent = computed((): OrderIntent | null => {
    if (!isPositive(size.value) || !isLeverage(leverage.value, market.maxLeverage)) return null
    const common = {
      instrument: market.instrumentAddr,
      expiry: market.expiry,
      size: size.value,
      side: side.value === 'long' ? (2 as const) : (1 as const),
      leverage: leverage.value,
    }
    if (type.value === 'limit') {
      if (!isPositive(price.value)) return null
      return { action: 'limit', params: { ...common, price: price.value, postOnly: postOnly.value } }
    }
    const slippageBps = bpsOf(slippage.value)
    return slippageBps === null
      ? null
      : { action: 'market', params: { ...common, slippageBps, reduceOnly: reduceOnly.value } }
  })

  return {
    side,
    type,
    size,
    price,
    leverage,
    postOnly,
    /** Of market orders alone: the venue looks at the position when it works the order out, and one that rests is taken later. */
    reduceOnly,
    tried,
    intent,
    /** How often a size was chosen: tells whether it was again, be it the same one. */
    get typed(): number {
      return typed
    },
    setSize(text: string) {
      typed += 1
      size.value = text
    },
    setLeverage(text: string) {
      leverage.value = text
      if (isLeverage(text, market.maxLeverage)) localStorage.setItem(LEVERAGE, text)
    },
  }
}

export type Terms = ReturnType<typeof makeTerms>
