import type { Order } from '@bourse/sdk/stock'
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { hrefTo } from '../router.ts'
import { Gate } from '../session/gate.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { Panel } from '../ui/panel.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { OpenOrders } from './cancel-all.tsx'
import { hasOlder, isOpen, NEWEST, recentOrders, watchOrders } from './open-orders.ts'
import { OrderTable, termsOf } from './order-table.tsx'
import { PositionsTable } from './positions.tsx'
import { words } from './strings.ts'
import { stockSession } from './venue.ts'

const tab = signal<'open' | 'history' | 'positions'>('open')

/** The session's orders and positions under the chart; of all stocks, since a cancel of another one must not be far. */
export function OrdersPanel({ symbol }: { readonly symbol: string }) {
  useEffect(watchOrders, [])
  return (
    <Panel title={words.orders} flush>
      <Gate state={stockSession}>
        <Tabs
          label={words.orders}
          selected={tab.value}
          tabs={[
            { id: 'open', label: words.openOrders },
            { id: 'history', label: words.history },
            { id: 'positions', label: words.positions },
          ]}
          onSelect={(id) => {
            tab.value = id
          }}
        >
          {tab.value === 'positions' ? (
            <PositionsTable />
          ) : (
            <Loaded of={recentOrders}>
              {(orders) =>
                tab.value === 'open' ? (
                  <OpenOrders orders={orders.filter(isOpen)} />
                ) : (
                  <Ended symbol={symbol} orders={orders} />
                )
              }
            </Loaded>
          )}
        </Tabs>
      </Gate>
    </Panel>
  )
}

/** Those of a stock that have ended, among the newest of all stocks: what may be missing is said. */
function Ended({ symbol, orders }: { readonly symbol: string; readonly orders: readonly Order[] }) {
  const own = orders.filter((one) => !isOpen(one) && termsOf(one)?.symbol === symbol)
  const isCut = hasOlder()
  return (
    <>
      <OrderTable
        caption={words.history}
        orders={own}
        empty={isCut ? words.noneOfNewest(symbol, NEWEST) : words.noOrders}
      />
      {isCut && (
        <p class="table-actions">
          {own.length > 0 && <span class="muted">{words.newestAlone(NEWEST)}</span>}{' '}
          <a href={hrefTo('/orders')}>{words.allOrders}</a>
        </p>
      )}
    </>
  )
}
