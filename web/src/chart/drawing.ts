// A chart of lightweight-charts as this app has it: bars, volume, lines, colours of the theme.
import {
  type CandlestickData,
  CandlestickSeries,
  ColorType,
  CrosshairMode,
  createChart,
  HistogramSeries,
  type IChartApi,
  type IPriceLine,
  LineStyle,
  type UTCTimestamp,
} from 'lightweight-charts'
import { priceDigits } from '../lib/format.ts'
import { type Bar, changeOf, inOrder } from './bars.ts'
import { pointerLabel, secondsOf, tickLabel } from './time.ts'

export interface PriceLine {
  readonly id: string
  readonly price: string
  readonly title: string
  readonly tone: 'buy' | 'sell' | 'plain'
  readonly onClose?: () => void
  /** What the button does, where it does not simply close the line's thing. */
  readonly closeLabel?: string
}

export interface Drawing {
  draw(bars: readonly Bar[], interval: string): void
  lines(lines: readonly PriceLine[]): void
  restyle(): void
  /** Where a price is, in pixels from the top; null when out of view. */
  heightOf(price: string): number | null
  remove(): void
}

const SHOWN_BARS = 120
const VOLUME_SHARE = 0.82

const colour = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim()

/** Floats are for pixels alone: what is shown as text comes from the decimal text. */
const pointOf = ({ time, open, high, low, close }: Bar): CandlestickData<UTCTimestamp> => ({
  time: time as UTCTimestamp,
  open: Number(open),
  high: Number(high),
  low: Number(low),
  close: Number(close),
})

/** `dayZone` is the time zone in which the market's days begin. */
export function drawIn(box: HTMLElement, dayZone: string, onRedraw: () => void): Drawing {
  const chart = createChart(box, {
    autoSize: true,
    // At once: the logo's markup is refused by Trusted Types.
    layout: { attributionLogo: false },
    crosshair: { mode: CrosshairMode.Normal },
    rightPriceScale: { borderVisible: false, scaleMargins: { top: 0.08, bottom: 0.22 } },
    timeScale: {
      borderVisible: false,
      timeVisible: true,
      rightOffset: 6,
    },
  })
  const series = chart.addSeries(CandlestickSeries, { borderVisible: false })
  const volume = chart.addSeries(HistogramSeries, {
    priceScaleId: 'volume',
    priceFormat: { type: 'volume' },
    lastValueVisible: false,
    priceLineVisible: false,
  })
  volume.priceScale().applyOptions({ scaleMargins: { top: VOLUME_SHARE, bottom: 0 } })
  series.attachPrimitive({ updateAllViews: onRedraw })

  let drawn: readonly Bar[] = []
  let drawnInterval: string | null = null
  const volumeOf = (bar: Bar) => ({
    time: bar.time as UTCTimestamp,
    value: Number(bar.volume ?? 0),
    color: colour(Number(bar.close) >= Number(bar.open) ? '--up-soft' : '--down-soft'),
  })

  function setAll(bars: readonly Bar[]): void {
    drawn = bars
    series.setData(bars.map(pointOf))
    volume.setData(bars.map(volumeOf))
  }

  let digits = 0
  /** The axis tells as much of a price as the page does beside it. */
  function fitDigits(price: string): void {
    if (priceDigits(price) === digits) return
    digits = priceDigits(price)
    series.applyOptions({ priceFormat: { type: 'price', precision: digits, minMove: 10 ** -digits } })
  }

  /** Formatters of their own for each interval: the chart keeps what one has made of a time. */
  function tellTimes(interval: string): void {
    const times = { barSec: secondsOf(interval), dayZone }
    const tickMarkFormatter = (time: UTCTimestamp, type: Parameters<typeof tickLabel>[1]) =>
      tickLabel(time, type, times)
    const timeFormatter = (time: UTCTimestamp) => pointerLabel(time, times)
    chart.applyOptions({ timeScale: { tickMarkFormatter }, localization: { timeFormatter } })
  }

  function begin(bars: readonly Bar[], interval: string): void {
    tellTimes(interval)
    drawnInterval = interval
    setAll(bars)
    chart.timeScale().setVisibleLogicalRange({ from: bars.length - SHOWN_BARS, to: bars.length + 5 })
  }

  /** The same bars stay in view, wherever they are in the new data. */
  function replaceKeepingZoom(bars: readonly Bar[]): void {
    const range = chart.timeScale().getVisibleLogicalRange()
    const shift = bars.length - drawn.length
    const following = range !== null && range.to >= drawn.length - 1
    const before = drawn[0]?.time
    const added = before === undefined ? 0 : bars.findIndex(({ time }) => time >= before)
    setAll(bars)
    const by = following ? shift : Math.max(0, added)
    if (range) chart.timeScale().setVisibleLogicalRange({ from: range.from + by, to: range.to + by })
  }

  const placed = new Map<string, IPriceLine>()
  const drawing: Drawing = {
    draw(asked, interval) {
      const bars = inOrder(asked)
      fitDigits(bars.at(-1)?.close ?? '')
      if (interval !== drawnInterval || drawn.length === 0) return begin(bars, interval)
      const change = changeOf(drawn, bars)
      if (change.kind === 'replace') return replaceKeepingZoom(bars)
      for (const bar of change.bars) {
        series.update(pointOf(bar))
        volume.update(volumeOf(bar))
      }
      drawn = inOrder([...drawn, ...change.bars])
    },
    lines(lines) {
      for (const [id, line] of placed) {
        if (lines.some((one) => one.id === id)) continue
        series.removePriceLine(line)
        placed.delete(id)
      }
      for (const { id, price, title, tone } of lines) {
        const options = { price: Number(price), title, color: toneColour(tone), lineStyle: LineStyle.Dashed } as const
        const line = placed.get(id)
        if (line) line.applyOptions(options)
        else placed.set(id, series.createPriceLine({ ...options, lineWidth: 1, axisLabelVisible: true }))
      }
    },
    restyle: () => {
      restyle(chart)
      series.applyOptions({
        upColor: colour('--up-fill'),
        downColor: colour('--down-fill'),
        wickUpColor: colour('--up-fill'),
        wickDownColor: colour('--down-fill'),
      })
      volume.setData(drawn.map(volumeOf))
    },
    heightOf: (price) => series.priceToCoordinate(Number(price)),
    remove: () => chart.remove(),
  }
  drawing.restyle()
  return drawing
}

const toneColour = (tone: PriceLine['tone']): string =>
  colour(tone === 'buy' ? '--up' : tone === 'sell' ? '--down' : '--muted')

function restyle(chart: IChartApi): void {
  chart.applyOptions({
    layout: {
      background: { type: ColorType.Solid, color: colour('--panel') },
      textColor: colour('--muted'),
      fontFamily: getComputedStyle(document.body).fontFamily,
      fontSize: 11,
      // Its markup is refused by Trusted Types; the notice is in the footer.
      attributionLogo: false,
    },
    grid: { vertLines: { color: colour('--line') }, horzLines: { color: colour('--line') } },
  })
}
