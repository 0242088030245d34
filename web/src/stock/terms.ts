// What stands in the ticket, and the order that it makes.
import type { ListedSymbol } from '@bourse/sdk/stock'
import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import { floorTo } from '../lib/decimal.ts'
import { type OrderTerms, type OrderType, orderOf, type Side, spendable } from './order-terms.ts'
import { marketConfig, symbols } from './venue.ts'

/** An order that a ticket is to be filled with, from elsewhere on the screen. */
export const picked = signal<{ readonly symbol: string; readonly sell: string } | null>(null)

export interface Terms {
  readonly side: Signal<Side>
  readonly type: Signal<OrderType>
  /** US dollars where the order spends, else stock tokens. */
  readonly amount: Signal<string>
  readonly price: Signal<string>
  /** Whether to say what is wrong: not before something was tried. */
  readonly touched: Signal<boolean>
  /** A market buy is by the amount spent, everything else by quantity. */
  readonly spends: ReadonlySignal<boolean>
  /** Null while something is missing. */
  readonly order: ReadonlySignal<OrderTerms | null>
  setSide(side: Side): void
  setType(type: OrderType): void
  /** The largest amount that what is held allows, with fees. */
  most(held: string): string
  /** A market order that sells so much. */
  sellAll(quantity: string): void
}

export function makeTerms(stock: ListedSymbol): Terms {
  const side = signal<Side>('Buy')
  const type = signal<OrderType>('Market')
  const amount = signal('')
  const price = signal('')
  const touched = signal(false)
  /** The price that the ticket itself has put in: until somebody writes another it follows the market. */
  let suggested = ''
  const spends = computed(() => side.value === 'Buy' && type.value === 'Market')
  const order = computed(() =>
    orderOf(stock, { side: side.value, type: type.value, amount: amount.value, price: price.value }),
  )
  /** An amount in dollars is none in tokens. */
  const forget = () => {
    amount.value = ''
    touched.value = false
  }
  return {
    side,
    type,
    amount,
    price,
    touched,
    spends,
    order,
    setSide(next) {
      if (next !== side.value) forget()
      side.value = next
    },
    setType(next) {
      if (next === type.value) return
      if (side.value === 'Buy') forget()
      if (next === 'Limit' && price.value === suggested) {
        suggested = presentPrice(stock)
        price.value = suggested
      }
      type.value = next
    },
    most: (held) => mostOf(stock, side.value, held),
    sellAll(quantity) {
      forget()
      side.value = 'Sell'
      type.value = 'Market'
      amount.value = mostOf(stock, 'Sell', quantity)
    },
  }
}

const presentPrice = ({ symbol }: ListedSymbol): string =>
  symbols.data.peek()?.find((one) => one.symbol === symbol)?.price ?? ''

/** A buy locks its fees on top of what it spends. */
function mostOf(stock: ListedSymbol, side: Side, held: string): string {
  if (side === 'Sell') return floorTo(held, stock.quantityIncrement)
  const rate = marketConfig.data.peek()?.exchangeFeeConfig.buyFeeRate ?? '0'
  return floorTo(spendable(held, rate), stock.notionalIncrement)
}
