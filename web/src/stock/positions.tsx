import { getPositions, type Position } from '@bourse/sdk/stock'
import { formatChange, formatPrice, formatQuantity, formatUsd } from '../lib/format.ts'
import { useResource } from '../lib/resource.ts'
import { hrefTo } from '../router.ts'
import { Loaded } from '../ui/loaded.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { words } from './strings.ts'
import { toneOf } from './tone.ts'
import { changes, stockSession, trader, trading } from './venue.ts'

const EVERY_MS = 4000

export const usePositions = () =>
  useResource(
    (signal) => {
      const { client, user } = trader()
      return getPositions(client, { userId: user }, { signal })
    },
    [],
    EVERY_MS,
    changes,
  )

/** The same where nobody may have signed in yet. */
export const useSessionPositions = () =>
  useResource(
    async (signal): Promise<readonly Position[]> => {
      const [client, session] = [trading.peek(), stockSession.session.peek()]
      return client && session ? getPositions(client, { userId: session.address }, { signal }) : []
    },
    [stockSession.session.value?.address],
    EVERY_MS,
    changes,
  )

export function PositionsTable() {
  const positions = usePositions()
  return (
    <Loaded of={positions}>
      {(rows) => (
        <Table
          caption={words.positions}
          columns={COLUMNS}
          rows={rows}
          rowKey={({ symbol }) => symbol}
          empty={words.noPositions}
        />
      )}
    </Loaded>
  )
}

const COLUMNS: readonly Column<Position>[] = [
  {
    key: 'symbol',
    title: words.symbol,
    cell: ({ symbol }) => (
      <a href={hrefTo(`/trade/${encodeURIComponent(symbol)}`)}>
        <strong>{symbol}</strong>
      </a>
    ),
  },
  { key: 'quantity', title: words.quantity, number: true, cell: ({ quantity }) => formatQuantity(quantity) },
  { key: 'locked', title: words.locked, number: true, cell: ({ lockedQuantity }) => formatQuantity(lockedQuantity) },
  { key: 'average', title: words.averageCost, number: true, cell: ({ avgPrice }) => formatPrice(avgPrice) },
  { key: 'price', title: words.price, number: true, cell: ({ price }) => formatPrice(price) },
  { key: 'value', title: words.value, number: true, cell: ({ marketValue }) => formatUsd(marketValue) },
  {
    key: 'profit',
    title: words.profit,
    number: true,
    cell: ({ unrealizedPnl }) => <span class={toneOf(unrealizedPnl)}>{formatChange(unrealizedPnl)}</span>,
  },
]
