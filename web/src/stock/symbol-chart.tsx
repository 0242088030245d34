import {
  type GetPriceHistoryParams,
  type GetPriceHistoryResult,
  getPriceHistory,
  type Position,
} from '@bourse/sdk/stock'
import { signal } from '@preact/signals'
import { PriceChart, type PriceLine } from '../chart/price-chart.tsx'
import { isPositive, subtract } from '../lib/decimal.ts'
import { formatQuantity } from '../lib/format.ts'
import { useResource } from '../lib/resource.ts'
import { Loaded } from '../ui/loaded.tsx'
import { Segments } from '../ui/segments.tsx'
import { openOrdersOf } from './open-orders.ts'
import { useSessionPositions } from './positions.tsx'
import { words } from './strings.ts'
import { picked } from './terms.ts'
import { publicClient } from './venue.ts'

type Interval = GetPriceHistoryParams['interval']

const INTERVALS: readonly Interval[] = ['1m', '5m', '15m', '1h', '1d', '1w']
const interval = signal<Interval>('1m')

/** Trade dates are New York's. */
const MARKET_ZONE = 'America/New_York'
const BARS = 500
const EVERY_MS = 2500

const barsOf = (rows: GetPriceHistoryResult) => rows.map(({ timestamp, ...bar }) => ({ ...bar, time: timestamp }))

export function SymbolChart({ symbol }: { readonly symbol: string }) {
  const chosen = interval.value
  const positions = useSessionPositions()
  const history = useResource(
    (abort) => {
      const client = publicClient()
      const endTime = Math.floor(client.now() / 1000) + 60
      return getPriceHistory(client, { symbol, interval: chosen, endTime, limit: BARS }, { signal: abort })
    },
    [symbol, chosen],
    EVERY_MS,
  )
  return (
    <>
      <div class="chart-tools row">
        <Segments
          label={words.interval}
          value={chosen}
          options={INTERVALS.map((value) => ({ value, label: value }))}
          onChange={(value) => {
            interval.value = value
          }}
        />
      </div>
      <div class="chart-box">
        <Loaded of={history}>
          {(rows) => (
            <PriceChart
              bars={barsOf(rows)}
              lines={[...positionLine(symbol, positions.data.value), ...linesOf(symbol)]}
              interval={chosen}
              dayZone={MARKET_ZONE}
              label={words.chartLabel(symbol)}
            />
          )}
        </Loaded>
      </div>
    </>
  )
}

/** What is held, at its average cost; its button fills the ticket with the sale of all that no order holds. */
function positionLine(symbol: string, positions: readonly Position[] | undefined): readonly PriceLine[] {
  const held = positions?.find((one) => one.symbol === symbol)
  if (!held?.avgPrice || !isPositive(held.quantity)) return []
  const free = subtract(held.quantity, held.lockedQuantity)
  const line: PriceLine = {
    id: 'position',
    price: held.avgPrice,
    title: words.averageLine(formatQuantity(held.quantity)),
    tone: 'plain',
  }
  if (!isPositive(free)) return [line]
  const onClose = () => {
    picked.value = { symbol, sell: free }
  }
  return [{ ...line, closeLabel: words.closePosition(symbol), onClose }]
}

/** One's open limit orders, at their prices. */
const linesOf = (symbol: string): readonly PriceLine[] =>
  openOrdersOf(symbol).flatMap(({ orderId, openOrder }) =>
    openOrder?.price && orderId
      ? [
          {
            id: orderId,
            price: openOrder.price,
            title: `${openOrder.side === 'Buy' ? words.buy : words.sell} ${formatQuantity(openOrder.quantity)}`,
            tone: openOrder.side === 'Buy' ? ('buy' as const) : ('sell' as const),
          },
        ]
      : [],
  )
