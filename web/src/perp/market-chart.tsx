import { type GetMarketKlineParams, getMarketKline } from '@bourse/sdk/perp'
import { signal } from '@preact/signals'
import type { Bar } from '../chart/bars.ts'
import { PriceChart, type PriceLine } from '../chart/price-chart.tsx'
import { useResource } from '../lib/resource.ts'
import { Loaded } from '../ui/loaded.tsx'
import { Segments } from '../ui/segments.tsx'
import { type Held, isOf, openOrders, positions, type Resting, type Waiting } from './account-data.ts'
import { sideText, sizeShort } from './figures.tsx'
import { useChannel } from './live.ts'
import { pairName } from './pair-name.ts'
import { asked } from './question.tsx'
import { words } from './strings.ts'
import { fromWad, isZero, magnitude } from './units.ts'
import { type Market, publicClient } from './venue.ts'
import { waitingOf } from './waiting.tsx'

type Interval = GetMarketKlineParams['interval']

const INTERVALS: readonly Interval[] = ['1m', '5m', '15m', '1h', '4h', '1d', '1w']
const interval = signal<Interval>('1m')

const BARS = 500
const EVERY_MS = 20_000

export function MarketChart({ market }: { readonly market: Market }) {
  const chosen = interval.value
  return (
    <>
      <div class="perp-chart-tools row">
        <Segments
          label={words.interval}
          value={chosen}
          options={INTERVALS.map((value) => ({ value, label: value }))}
          onChange={(value) => {
            interval.value = value
          }}
        />
      </div>
      <div class="perp-chart-box">
        <Bars key={chosen} market={market} interval={chosen} />
      </div>
    </>
  )
}

/** Bars that were asked for, and the newest that the stream has told since. */
interface History {
  readonly bars: readonly Bar[]
  readonly live: Bar | null
}

function Bars({ market, interval: chosen }: { readonly market: Market; readonly interval: Interval }) {
  const { instrumentAddr, expiry } = market
  const history = useResource(
    async (abort): Promise<History> => {
      const params = { instrument: instrumentAddr, expiry, interval: chosen, limit: BARS }
      const rows = await getMarketKline(publicClient(), params, { signal: abort })
      const bars = rows.map(({ openTimestamp, open, high, low, close, baseVolume }): Bar => {
        return { time: openTimestamp, open, high, low, close, volume: baseVolume }
      })
      // What was told before this was asked is in the answer, or older than it where the stream is cut.
      return { bars, live: null }
    },
    [instrumentAddr, expiry, chosen],
    EVERY_MS,
  )
  useChannel({ type: 'kline', instrument: instrumentAddr, expiry, interval: chosen }, (message) => {
    if (message.type === 'gap') void history.refresh()
    if (message.type !== 'data') return
    const { timestamp, baseVolume, open, high, low, close } = message.data
    const bar = { time: timestamp, open, high, low, close, volume: baseVolume }
    history.tell((known) => known && { bars: known.bars, live: newest(known.live, bar) })
  })
  return (
    <Loaded of={history}>
      {({ bars, live }) => (
        <PriceChart
          bars={bars}
          live={live}
          lines={linesOf(market)}
          interval={chosen}
          dayZone="UTC"
          label={words.chartLabel(pairName(market))}
        />
      )}
    </Loaded>
  )
}

const newest = (known: Bar | null, told: Bar): Bar => (known && known.time > told.time ? known : told)

/** Entry and liquidation of the position, what is kept for it, and the orders; position and orders each with a button that ends it. */
const linesOf = (market: Market): readonly PriceLine[] => [
  ...(positions.data.value ?? []).filter(isOf(market)).flatMap(positionLines),
  ...(openOrders.data.value ?? []).filter(isOf(market)).map(orderLine),
]

function positionLines(held: Held): readonly PriceLine[] {
  if (isZero(held.size)) return []
  const tone = held.side === 2 ? ('buy' as const) : ('sell' as const)
  const entry: PriceLine = {
    id: 'entry',
    price: fromWad(held.entryPrice) ?? '0',
    title: words.entryLine(sideText(held.side), sizeShort(magnitude(held.size))),
    tone,
    onClose: () => {
      asked.value = { kind: 'close', held }
    },
  }
  const kept = waitingOf(held).map(keptLine)
  if (isZero(held.liquidationPrice)) return [entry, ...kept]
  const price = fromWad(held.liquidationPrice) ?? '0'
  return [entry, { id: 'liquidation', price, title: words.liquidationLine, tone: 'plain' }, ...kept]
}

const keptLine = ({ keptOrderId, kind, triggerPrice }: Waiting): PriceLine => ({
  id: keptOrderId,
  price: fromWad(triggerPrice) ?? '0',
  title: words.keptShortKinds[kind],
  tone: 'plain',
})

const orderLine = (order: Resting): PriceLine => ({
  id: order.orderId,
  price: fromWad(order.limitPrice) ?? '0',
  title: words.entryLine(sideText(order.side), sizeShort(magnitude(order.size))),
  tone: order.side === 2 ? 'buy' : 'sell',
  onClose: () => {
    asked.value = { kind: 'cancel', order }
  },
})
