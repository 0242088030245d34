// The session's newest orders and all that are open, once for the chart, the ticket and the list under it.
import { getOrders, type Order } from '@bourse/sdk/stock'
import { computed, effect, signal } from '@preact/signals'
import { createResource } from '../lib/resource.ts'
import { changes, trader, trading } from './venue.ts'

const NEWEST = 100
const EVERY_MS = 3000
/** For a list by status the venue goes through all orders of the key. */
const OLDER_EVERY_MS = 12_000

const OPEN = ['Init', 'Pending', 'New', 'Partial filled'] as const

export const recentOrders = createResource(async (abort) => {
  const { client } = trader()
  const { rows, total } = await getOrders(client, { limit: NEWEST }, { signal: abort })
  if (total <= rows.length) return rows
  const newest = new Set(rows.map(keyOf))
  return [...rows, ...(await openOf(client, abort)).filter((order) => !newest.has(keyOf(order)))]
})

type Market = ReturnType<typeof trader>['client']

let known: {
  readonly client: Market
  readonly version: number
  readonly atMs: number
  readonly rows: readonly Order[]
} | null = null

/** Every open order, however old; anew as soon as the venue tells of a change. */
async function openOf(client: Market, abort: AbortSignal): Promise<readonly Order[]> {
  const [version, atMs] = [changes.peek(), performance.now()]
  const isPresent = known?.client === client && known.version === version && atMs - known.atMs < OLDER_EVERY_MS
  if (known && isPresent) return known.rows
  const lists = await Promise.all(OPEN.map((status) => allOf(client, status, abort)))
  // One that fills meanwhile may be in two of the lists.
  const once = new Map(lists.flat().map((order) => [keyOf(order), order]))
  known = { client, version, atMs, rows: [...once.values()] }
  return known.rows
}

async function allOf(client: Market, status: (typeof OPEN)[number], abort: AbortSignal): Promise<readonly Order[]> {
  const all: Order[] = []
  for (let page = 1; ; page += 1) {
    const { rows, total } = await getOrders(client, { status, page, limit: NEWEST }, { signal: abort })
    all.push(...rows)
    if (all.length >= total || rows.length === 0) return all
  }
}

/** Names an order from its record on, before the chain has given it an id. */
export const keyOf = ({ mapping, orderId, txHash }: Order): string => mapping?.id ?? orderId ?? txHash ?? ''

/** Not known to be over: what still may fill, and what is on its way. */
export const isOpen = ({ orderStatus, mappingStatus }: Order): boolean =>
  mappingStatus !== 'expired' && (OPEN as readonly string[]).includes(orderStatus)

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
