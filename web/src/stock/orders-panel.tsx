import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Gate } from '../session/gate.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { Panel } from '../ui/panel.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { OpenOrders } from './cancel-all.tsx'
import { isOpen, recentOrders, watchOrders } from './open-orders.ts'
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
                  <OrderTable
                    caption={words.history}
                    orders={orders.filter((one) => !isOpen(one) && termsOf(one)?.symbol === symbol)}
                    empty={words.noOrders}
                  />
                )
              }
            </Loaded>
          )}
        </Tabs>
      </Gate>
    </Panel>
  )
}
