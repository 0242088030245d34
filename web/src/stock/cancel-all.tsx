// Cancels every open limit order that the list shows, after it was shown again what that is.
import type { Order } from '@bourse/sdk/stock'
import { useState } from 'preact/hooks'
import { formatPrice, formatQuantity } from '../lib/format.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Failure } from '../ui/loaded.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { cancelAll, useAction } from './actions.ts'
import { isCancellable } from './open-orders.ts'
import { OrderTable, SideOf } from './order-table.tsx'
import { words } from './strings.ts'

/** The open orders, and a way to end them all. */
export function OpenOrders({ orders }: { readonly orders: readonly Order[] }) {
  return (
    <>
      <OrderTable caption={words.openOrders} orders={orders} empty={words.noOpenOrders} />
      <CancelAll orders={orders} />
    </>
  )
}

function CancelAll({ orders }: { readonly orders: readonly Order[] }) {
  // Those that were shown when it was asked: what comes later stays.
  const [asked, ask] = useState<readonly Order[] | null>(null)
  const open = orders.filter(isCancellable)
  if (open.length === 0 && !asked) return null
  return (
    <>
      {open.length > 0 && (
        <p class="table-actions">
          <Button size="small" onClick={() => ask(open)}>
            {words.cancelAll}
          </Button>
        </p>
      )}
      {asked && <Question orders={asked} onClose={() => ask((now) => (now === asked ? null : now))} />}
    </>
  )
}

const orderIdOf = ({ orderId }: Order): string => orderId ?? ''

const COLUMNS: readonly Column<Order>[] = [
  { key: 'symbol', title: words.symbol, cell: ({ openOrder }) => <strong>{openOrder?.symbol}</strong> },
  { key: 'side', title: words.side, cell: (order) => <SideOf order={order} /> },
  {
    key: 'quantity',
    title: words.quantity,
    number: true,
    cell: ({ openOrder }) => formatQuantity(openOrder?.quantity),
  },
  { key: 'price', title: words.limitPrice, number: true, cell: ({ openOrder }) => formatPrice(openOrder?.price) },
]

function Question({ orders, onClose }: { readonly orders: readonly Order[]; readonly onClose: () => void }) {
  const action = useAction('cancel all')
  const count = orders.length
  const agree = async () => {
    if (await action.run(words.cancelAllDone(count), (at) => cancelAll(orders.map(orderIdOf), at))) onClose()
  }
  return (
    <Dialog title={words.cancelAllTitle(count)} onClose={onClose}>
      <Table caption={words.cancelAllTitle(count)} columns={COLUMNS} rows={orders} rowKey={orderIdOf} empty="" />
      <p class="muted" aria-live="polite">
        {action.step.value ? words.steps[action.step.value] : words.cancelAllLead}
      </p>
      {action.failure.value && <Failure message={action.failure.value} />}
      <div class="dialog-actions">
        <Button onClick={onClose}>{words.back}</Button>
        <Button variant="danger" busy={action.step.value !== null} onClick={() => void agree()}>
          {words.cancelAll}
        </Button>
      </div>
    </Dialog>
  )
}
