import { getOrders, type Order } from '@bourse/sdk/stock'
import { signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { allRows } from '../lib/all-rows.ts'
import { csvOf } from '../lib/csv.ts'
import { useResource } from '../lib/resource.ts'
import { Gate } from '../session/gate.tsx'
import { ExportButton } from '../ui/export-button.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { Pages } from '../ui/pages.tsx'
import { Panel } from '../ui/panel.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { OpenOrders as OpenList } from './cancel-all.tsx'
import { isOpen, recentOrders, watchOrders } from './open-orders.ts'
import { OrderTable, termsOf } from './order-table.tsx'
import { words } from './strings.ts'
import { changes, followMarket, stockSession, trader } from './venue.ts'

const tab = signal<'all' | 'open'>('all')

const PAGE = 20
const EXPORT_PAGE = 100
const EVERY_MS = 5000

export function Orders() {
  useEffect(followMarket, [])
  useEffect(watchOrders, [])
  return (
    <>
      <div class="page-head">
        <h1>{words.orders}</h1>
      </div>
      <Gate state={stockSession}>
        <Panel title={words.orders} flush actions={<ExportButton name="orders.csv" text={ordersCsv} />}>
          <Tabs
            label={words.orders}
            selected={tab.value}
            tabs={[
              { id: 'all', label: words.allOrders },
              { id: 'open', label: words.openOrders },
            ]}
            onSelect={(id) => {
              tab.value = id
            }}
          >
            {tab.value === 'all' ? <AllOrders /> : <OpenOrders />}
          </Tabs>
        </Panel>
      </Gate>
    </>
  )
}

function OpenOrders() {
  return <Loaded of={recentOrders}>{(rows) => <OpenList orders={rows.filter(isOpen)} />}</Loaded>
}

function AllOrders() {
  const [page, setPage] = useState(1)
  const orders = useResource(
    (abort) => getOrders(trader().client, { page, limit: PAGE }, { signal: abort }),
    [page],
    EVERY_MS,
    changes,
  )
  return (
    <Loaded of={orders}>
      {({ rows, total }) => (
        <>
          <OrderTable caption={words.allOrders} orders={rows} empty={words.noOrders} />
          <Pages page={page} size={PAGE} total={total} onPage={setPage} />
        </>
      )}
    </Loaded>
  )
}

/** Of one account from its first page to its last, whichever is chosen meanwhile. */
async function ordersCsv(): Promise<string> {
  const { client } = trader()
  const rows = await allRows((page) => getOrders(client, { page, limit: EXPORT_PAGE }))
  return csvOf(HEADER, rows.map(csvRow))
}

const HEADER = [
  'time',
  'symbol',
  'side',
  'type',
  'quantity',
  'notional',
  'limitPrice',
  'filledQuantity',
  'averagePrice',
  'fee',
  'status',
  'orderId',
  'txHash',
  'settleTxHash',
]

function csvRow(order: Order): (string | null)[] {
  const terms = termsOf(order)
  const createdAt = terms?.createdAt ?? order.mapping?.createdAt
  return [
    createdAt === undefined ? null : new Date(createdAt * 1000).toISOString(),
    terms?.symbol ?? null,
    terms?.side ?? null,
    terms?.type ?? null,
    terms?.quantity ?? null,
    terms?.notional ?? null,
    terms?.price ?? null,
    terms?.filledQuantity ?? null,
    terms?.avgFillPrice ?? null,
    order.historyOrder?.feeAmount ?? null,
    order.orderStatus,
    order.orderId,
    terms?.createTxHash ?? order.txHash,
    order.historyOrder?.settleTxHash ?? null,
  ]
}
