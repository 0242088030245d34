// The session's newest orders and all that are open, once for the chart, the ticket and the list under it.
import { getOrders, type Order } from '@bourse/sdk/stock'
import { computed, effect, signal } from '@preact/signals'
import { createResource, type Resource } from '../lib/resource.ts'
import { changes, noteChange, trader, trading } from './venue.ts'

export const NEWEST = 100
const EVERY_MS = 3000
/** For a list by status the venue goes through all orders of the key: not at every change, of which a bot makes one each second. */
const OLDER_EVERY_MS = 12_000

const OPEN = ['Init', 'Pending', 'New', 'Partial filled'] as const

const newest = createResource((abort) => getOrders(trader().client, { limit: NEWEST }, { signal: abort }))

/** When the older ones may be asked for again, by a clock that nobody sets; not while an answer is on its way. */
let olderDueMs = 0

/** Every open order, however old. */
const older = createResource(async (abort) => {
  olderDueMs = Number.POSITIVE_INFINITY
  try {
    const { client } = trader()
    const lists = await Promise.all(OPEN.map((status) => allOf(client, status, abort)))
    // One that fills meanwhile may be in two of the lists.
    return [...new Map(lists.flat().map((order) => [keyOf(order), order])).values()]
  } finally {
    if (!abort.aborted) olderDueMs = performance.now() + OLDER_EVERY_MS
  }
})

/** Whether there are more orders than the newest: of those that have ended only the newest are known here. */
export const hasOlder = (): boolean => {
  const { rows, total } = newest.data.value ?? { rows: [], total: 0 }
  return total > rows.length
}

/** The newest, whatever becomes of the question for older ones; nothing while only that one can tell whether any is open. */
const known = computed((): readonly Order[] | undefined => {
  const rows = newest.data.value?.rows
  if (!rows || !hasOlder()) return rows
  const isAsked = older.data.value === undefined && older.error.value === null
  if (isAsked && !rows.some(isOpen)) return undefined
  const shown = new Set(rows.map(keyOf))
  return [...rows, ...(older.data.value ?? []).filter((order) => !shown.has(keyOf(order)))]
})

/** Asks for the newest, and for the older ones where it is time. */
async function refresh(): Promise<void> {
  await newest.refresh()
  if (hasOlder() && performance.now() >= olderDueMs) await older.refresh()
}

/** What this page has changed itself shows at once among the older ones too. */
export function noteOwnChange(): void {
  if (hasOlder()) void older.refresh()
  noteChange()
}

export const recentOrders: Resource<readonly Order[]> = {
  data: known,
  error: computed(() => newest.error.value ?? (hasOlder() ? older.error.value : null)),
  async refresh() {
    if (hasOlder()) void older.refresh()
    await newest.refresh()
  },
}

type Market = ReturnType<typeof trader>['client']

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
  for (const one of [newest, older]) one.reset()
  olderDueMs = 0
})

effect(() => {
  changes.value
  if (!trading.value || watchers.value === 0) return
  void refresh()
  // The stream tells of changes at once; asking as well finds what a cut stream has not told.
  const timer = setInterval(() => document.hidden || void refresh(), EVERY_MS)
  return () => clearInterval(timer)
})

export function watchOrders(): () => void {
  watchers.value += 1
  return () => {
    watchers.value -= 1
  }
}
