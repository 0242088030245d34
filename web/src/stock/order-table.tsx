import type { Order } from '@bourse/sdk/stock'
import { formatAmount, formatPrice, formatQuantity, formatTime, formatUsd, shorten } from '../lib/format.ts'
import { Badge, type Tone } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Failure } from '../ui/loaded.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { cancel, useAction } from './actions.ts'
import { isCancellable, keyOf } from './open-orders.ts'
import { words } from './strings.ts'
import './tables.css'

const TONES: Record<Order['orderStatus'], Tone> = {
  Init: 'wait',
  Pending: 'wait',
  New: 'info',
  'Partial filled': 'info',
  Filled: 'good',
  Canceled: 'plain',
  Expired: 'plain',
  Rejected: 'bad',
  Failed: 'bad',
}

export interface OrderTableProps {
  readonly caption: string
  readonly orders: readonly Order[]
  readonly empty: string
}

export function OrderTable({ caption, orders, empty }: OrderTableProps) {
  return <Table caption={caption} columns={COLUMNS} rows={orders} rowKey={keyOf} empty={empty} />
}

/** What is known of the order itself: nothing until its transaction is indexed. */
export const termsOf = (order: Order) => order.historyOrder ?? order.openOrder

const COLUMNS: readonly Column<Order>[] = [
  {
    key: 'time',
    title: words.time,
    cell: (order) => formatTime((termsOf(order)?.createdAt ?? order.mapping?.createdAt ?? 0) * 1000),
  },
  { key: 'symbol', title: words.symbol, cell: (order) => <strong>{termsOf(order)?.symbol ?? '–'}</strong> },
  { key: 'side', title: words.side, cell: (order) => <SideOf order={order} /> },
  {
    key: 'amount',
    title: words.quantity,
    number: true,
    cell: (order) => {
      const { notional, quantity } = termsOf(order) ?? {}
      return notional ? formatUsd(notional) : formatQuantity(quantity)
    },
  },
  { key: 'price', title: words.limitPrice, number: true, cell: (order) => formatPrice(termsOf(order)?.price) },
  {
    key: 'filled',
    title: words.filled,
    number: true,
    cell: (order) => formatAmount(termsOf(order)?.filledQuantity, 9),
  },
  { key: 'average', title: words.average, number: true, cell: (order) => formatPrice(termsOf(order)?.avgFillPrice) },
  { key: 'status', title: words.status, cell: (order) => <StatusOf order={order} /> },
  { key: 'tx', title: words.transactions, cell: (order) => <TransactionsOf order={order} /> },
  {
    key: 'cancel',
    title: <span class="visually-hidden">{words.cancelOrder}</span>,
    cell: (order) => <CancelOf order={order} />,
  },
]

export function SideOf({ order }: { readonly order: Order }) {
  const terms = termsOf(order)
  if (!terms) return <>–</>
  const buys = terms.side === 'Buy'
  return (
    <>
      <span class={buys ? 'up' : 'down'}>{buys ? words.buy : words.sell}</span>{' '}
      <span class="muted">{terms.type === 'Market' ? words.market : words.limit}</span>
    </>
  )
}

/** Where the order stands and why, in words. */
function StatusOf({ order }: { readonly order: Order }) {
  const expired = order.mappingStatus === 'expired'
  const [name, meaning] = expired ? words.operationStatus.expired : words.orderStatus[order.orderStatus]
  const reason = order.historyOrder?.reason ?? order.mapping?.statusReason ?? order.cancellation?.statusReason
  const cancelling = order.openOrder?.cancelRequested || order.cancellation?.status === 'pending'
  return (
    <div class="status-line">
      <Badge tone={expired ? 'bad' : TONES[order.orderStatus]}>{name}</Badge>
      {cancelling && order.openOrder && <Badge tone="wait">{words.cancelling}</Badge>}
      <span class="muted">{reason ?? meaning}</span>
    </div>
  )
}

function TransactionsOf({ order }: { readonly order: Order }) {
  const terms = termsOf(order)
  const hashes = [
    [words.txPlaced, terms?.createTxHash ?? order.txHash],
    [words.txCancelled, terms?.cancelTxHash ?? order.cancellation?.txHash],
    [words.txSettled, order.historyOrder?.settleTxHash],
  ] as const
  return (
    <ul class="hashes">
      {hashes.map(([name, hash]) =>
        hash ? (
          <li key={name}>
            <span class="muted">{name}</span> <code title={hash}>{shorten(hash)}</code>
          </li>
        ) : null,
      )}
    </ul>
  )
}

function CancelOf({ order }: { readonly order: Order }) {
  const { orderId, openOrder } = order
  const action = useAction(`cancel ${orderId}`)
  if (!orderId || !openOrder || !isCancellable(order)) return null
  return (
    <>
      <Button
        size="small"
        busy={action.step.value !== null}
        aria-label={words.cancelNamed(openOrder.symbol)}
        onClick={() => void action.run(words.cancelNamed(openOrder.symbol), (at) => cancel(orderId, at))}
      >
        {words.cancelOrder}
      </Button>
      {action.failure.value && <Failure message={action.failure.value} />}
    </>
  )
}
