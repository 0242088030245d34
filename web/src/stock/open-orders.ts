// The session's newest orders, once for the chart, the ticket and the list under it.
import { getOrders, type Order } from '@bourse/sdk/stock'
import { computed, effect, signal } from '@preact/signals'
import { createResource } from '../lib/resource.ts'
import { changes, trader, trading } from './venue.ts'

const NEWEST = 100
const EVERY_MS = 3000

export const recentOrders = createResource(async (abort) => {
  const { rows } = await getOrders(trader().client, { limit: NEWEST }, { signal: abort })
  return rows
})

/** Not known to be over: what still may fill, and what is on its way. */
export const isOpen = ({ orderStatus, mappingStatus }: Order): boolean =>
  mappingStatus !== 'expired' && ['Init', 'Pending', 'New', 'Partial filled'].includes(orderStatus)

/** Rests on the market or is on its way there, and nobody has asked for its end. */
export const isCancellable = ({ orderId, orderStatus, openOrder, cancellation }: Order): boolean =>
  orderId !== null &&
  openOrder?.type === 'Limit' &&
  ['New', 'Partial filled', 'Pending'].includes(orderStatus) &&
  !openOrder.cancelRequested &&
  cancellation?.status !== 'pending'

export const openOrders = computed(() => (recentOrders.data.value ?? []).filter(isOpen))

export const openOrdersOf = (symbol: string): readonly Order[] =>
  openOrders.value.filter(({ openOrder }) => openOrder?.symbol === symbol)

/** How many screens look on. */
const watchers = signal(0)

effect(() => {
  trading.value
  recentOrders.reset()
})

effect(() => {
  changes.value
  if (!trading.value || watchers.value === 0) return
  void recentOrders.refresh()
  // The stream tells of changes at once; asking as well finds what a cut stream has not told.
  const timer = setInterval(() => document.hidden || void recentOrders.refresh(), EVERY_MS)
  return () => clearInterval(timer)
})

export function watchOrders(): () => void {
  watchers.value += 1
  return () => {
    watchers.value -= 1
  }
}
