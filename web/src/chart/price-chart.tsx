import { useSignalEffect } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { formatPrice } from '../lib/format.ts'
import { theme } from '../theme.ts'
import { type Bar, extremesOf, withLive } from './bars.ts'
import { type Drawing, drawIn, type PriceLine } from './drawing.ts'
import { words } from './strings.ts'
import { type BarTimes, pointerLabel, secondsOf } from './time.ts'
import './price-chart.css'

export type { Bar } from './bars.ts'
export type { PriceLine } from './drawing.ts'

export interface PriceChartProps {
  readonly bars: readonly Bar[]
  /** The bar of the moment, where a stream tells it. */
  readonly live?: Bar | null
  readonly lines?: readonly PriceLine[]
  readonly interval: string
  /** The time zone in which the market's days begin. */
  readonly dayZone: string
  /** What it is the chart of. */
  readonly label: string
}

/** Bars and lines of prices. What is in view stays in view when bars arrive; another interval or label begins anew. */
export function PriceChart(props: PriceChartProps) {
  return <Chart key={props.label} {...props} />
}

function Chart({ bars, live, lines = [], interval, dayZone, label }: PriceChartProps) {
  const box = useRef<HTMLDivElement>(null)
  const marks = useRef<HTMLDivElement>(null)
  const [drawing, setDrawing] = useState<Drawing | null>(null)
  const shown = withLive(bars, live)
  useLayoutEffect(() => {
    if (!box.current) return
    // It draws for the first time while it is made.
    let made: Drawing | null = null
    made = drawIn(box.current, dayZone, () => made && placeMarks(marks.current, made))
    setDrawing(made)
    return () => made?.remove()
  }, [])
  useEffect(() => drawing?.draw(shown, interval), [drawing, shown, interval])
  useEffect(() => {
    drawing?.lines(lines)
    if (drawing) placeMarks(marks.current, drawing)
  }, [drawing, lines])
  useSignalEffect(() => {
    theme.value
    // The page's colours change after the signal has.
    requestAnimationFrame(() => drawing?.restyle())
  })
  return (
    <figure class="price-chart" aria-label={label}>
      <div class="price-chart-box" ref={box} aria-hidden="true" />
      <div class="price-chart-marks" ref={marks}>
        {lines.map(
          ({ id, price, title, onClose, closeLabel }) =>
            onClose && (
              <button
                key={id}
                type="button"
                data-price={price}
                aria-label={closeLabel ?? words.close(title)}
                onClick={onClose}
              >
                ✕
              </button>
            ),
        )}
      </div>
      {shown.length === 0 && <p class="price-chart-none">{words.none}</p>}
      <figcaption class="visually-hidden">
        {summaryOf(label, shown, { barSec: secondsOf(interval), dayZone })}
      </figcaption>
    </figure>
  )
}

/** The buttons of the lines stand at their prices. */
function placeMarks(marks: HTMLElement | null, drawing: Drawing): void {
  for (const mark of marks?.querySelectorAll<HTMLElement>('[data-price]') ?? []) {
    const height = drawing.heightOf(mark.dataset.price ?? '0')
    mark.hidden = height === null || height < 0
    mark.style.top = `${height ?? 0}px`
  }
}

function summaryOf(label: string, bars: readonly Bar[], times: BarTimes): string {
  const [extremes, first, last] = [extremesOf(bars), bars[0], bars.at(-1)]
  if (!extremes || !first || !last) return `${label}: ${words.none}`
  const { open, last: close, low, high } = extremes
  const span = words.summary(bars.length, pointerLabel(first.time, times), pointerLabel(last.time, times))
  return `${label}. ${span} ${words.figures(formatPrice(open), formatPrice(close), formatPrice(low), formatPrice(high))}`
}
