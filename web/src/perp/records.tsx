// What the wallet has in perpetuals: positions, open orders, liquidity, history.
import { signal } from '@preact/signals'
import { Gate } from '../session/gate.tsx'
import { Button } from '../ui/button.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { type Held, isOf, openOrders, positions, type Resting, unitOf } from './account-data.ts'
import { ActionDialog, MOST_CANCELLED } from './dialogs.tsx'
import { amountText, priceText, Size, sideText, toneOf, whenText } from './figures.tsx'
import { History } from './history.tsx'
import { KeptOrders } from './kept.tsx'
import { Liquidity } from './liquidity.tsx'
import { pairName } from './pair-name.ts'
import { positionFigures } from './position-columns.tsx'
import { asked } from './question.tsx'
import { words } from './strings.ts'
import { isZero, magnitude } from './units.ts'
import { type Market, perpSession } from './venue.ts'
import { waitingTexts } from './waiting.tsx'

type Tab = 'positions' | 'orders' | 'kept' | 'liquidity' | 'history'

const tab = signal<Tab>('positions')

const count = (label: string, rows: readonly unknown[] | undefined): string =>
  rows && rows.length > 0 ? `${label} (${rows.length})` : label

export function Records({ market }: { readonly market: Market }) {
  const held = positions.data.value?.filter(({ size }) => !isZero(size))
  return (
    <section class="panel" aria-label={words.account}>
      <Tabs
        label={words.account}
        tabs={[
          { id: 'positions', label: count(words.positions, held) },
          { id: 'orders', label: count(words.openOrders, openOrders.data.value) },
          { id: 'kept', label: words.kept },
          { id: 'liquidity', label: words.liquidity },
          { id: 'history', label: words.history },
        ]}
        selected={tab.value}
        onSelect={(id) => {
          tab.value = id
        }}
      >
        <Gate state={perpSession}>
          {tab.value === 'positions' && <Positions />}
          {tab.value === 'orders' && <OpenOrders market={market} />}
          {tab.value === 'kept' && <KeptOrders />}
          {tab.value === 'liquidity' && <Liquidity market={market} />}
          {tab.value === 'history' && <History />}
        </Gate>
      </Tabs>
      <ActionDialog />
    </section>
  )
}

function Positions() {
  return (
    <Loaded of={positions}>
      {(rows) => (
        <Table
          caption={words.positions}
          columns={POSITION_COLUMNS}
          rows={rows.filter(({ size }) => !isZero(size))}
          rowKey={({ instrumentAddr, expiry }) => `${instrumentAddr}-${expiry}`}
          empty={words.noPositions}
        />
      )}
    </Loaded>
  )
}

/** A line each: beside the figures there is no room. */
const Waits = (held: Held) =>
  waitingTexts(held).map((text) => (
    <div key={text} class="muted perp-waits">
      {text}
    </div>
  ))

const POSITION_COLUMNS: readonly Column<Held>[] = [
  ...positionFigures((held) => <strong>{pairName(held)}</strong>, Waits),
  {
    key: 'actions',
    title: '',
    number: true,
    cell: (held) => (
      <span class="perp-actions">
        <Button
          size="small"
          aria-label={words.keepNamed(pairName(held))}
          onClick={() => {
            asked.value = { kind: 'keep', held }
          }}
        >
          {words.keepShort}
        </Button>
        <Button
          size="small"
          aria-label={words.adjustNamed(pairName(held))}
          onClick={() => {
            asked.value = { kind: 'adjust', held }
          }}
        >
          {words.adjust}
        </Button>
        <Button
          size="small"
          aria-label={words.closeNamed(pairName(held))}
          onClick={() => {
            asked.value = { kind: 'close', held }
          }}
        >
          {words.close}
        </Button>
      </span>
    ),
  },
]

function OpenOrders({ market }: { readonly market: Market }) {
  return (
    <Loaded of={openOrders}>
      {(rows) => (
        <>
          <Table
            caption={words.openOrders}
            columns={ORDER_COLUMNS}
            rows={rows}
            rowKey={({ orderId }) => orderId}
            empty={words.noOpenOrders}
          />
          <CancelAll market={market} rows={rows} />
        </>
      )}
    </Loaded>
  )
}

function CancelAll({ market, rows }: { readonly market: Market; readonly rows: readonly Resting[] }) {
  const [first, ...others] = rows.filter(isOf(market)).slice(0, MOST_CANCELLED)
  if (!first) return null
  return (
    <p class="perp-note">
      <Button
        size="small"
        onClick={() => {
          asked.value = { kind: 'cancel-all', orders: [first, ...others] }
        }}
      >
        {words.cancelAll(pairName(market))}
      </Button>
    </p>
  )
}

const ORDER_COLUMNS: readonly Column<Resting>[] = [
  {
    key: 'market',
    title: words.market,
    cell: (order) => (
      <>
        <strong>{pairName(order)}</strong> <span class={toneOf(order.size)}>{sideText(order.side)}</span>
      </>
    ),
  },
  { key: 'price', title: words.limitPrice, number: true, cell: ({ limitPrice }) => priceText(limitPrice) },
  { key: 'size', title: words.size, number: true, cell: ({ size }) => <Size wad={magnitude(size)} /> },
  { key: 'taken', title: words.taken, number: true, cell: ({ taken }) => <Size wad={magnitude(taken)} /> },
  { key: 'margin', title: words.margin, number: true, cell: (order) => amountText(order.balance, unitOf(order)) },
  { key: 'status', title: words.kind, cell: ({ status }) => words.orderStatus[status] },
  { key: 'placed', title: words.placed, cell: ({ lastUpdateTime }) => whenText(lastUpdateTime) },
  {
    key: 'actions',
    title: '',
    number: true,
    cell: (order) => (
      <Button
        size="small"
        aria-label={words.cancelNamed(pairName(order), priceText(order.limitPrice))}
        onClick={() => {
          asked.value = { kind: 'cancel', order }
        }}
      >
        {words.cancel}
      </Button>
    ),
  },
]
