import type { ListedSymbol } from '@bourse/sdk/stock'
import { useEffect } from 'preact/hooks'
import { formatPercentPoints, formatPrice } from '../lib/format.ts'
import { go, type Params } from '../router.ts'
import { Failure, Loaded } from '../ui/loaded.tsx'
import { Panel } from '../ui/panel.tsx'
import { MarketClock } from './market-clock.tsx'
import { OrdersPanel } from './orders-panel.tsx'
import { useQuote } from './quote.ts'
import { words } from './strings.ts'
import { SymbolChart } from './symbol-chart.tsx'
import { Ticket } from './ticket.tsx'
import { toneOf } from './tone.ts'
import { followMarket, symbols } from './venue.ts'
import './trade.css'

const LAST = 'stock-last-symbol'

export function Trade({ params }: { readonly params: Params }) {
  useEffect(followMarket, [])
  return (
    <Loaded of={symbols}>
      {(listed) => {
        const wanted = params.symbol ?? localStorage.getItem(LAST) ?? listed[0]?.symbol ?? ''
        const stock = listed.find(({ symbol }) => symbol === wanted)
        return stock ? (
          <Screen key={stock.symbol} stock={stock} all={listed} />
        ) : (
          <Failure message={words.unknownSymbol(wanted)} />
        )
      }}
    </Loaded>
  )
}

/** Everything for a trade: what it costs now, how it got there, the ticket, and one's orders. */
function Screen({ stock, all }: { readonly stock: ListedSymbol; readonly all: readonly ListedSymbol[] }) {
  useEffect(() => localStorage.setItem(LAST, stock.symbol), [stock.symbol])
  return (
    <div class="trade">
      <QuoteBar stock={stock} all={all} />
      <Panel title={`${words.chart} · ${stock.symbol}`} class="trade-chart" flush>
        <SymbolChart symbol={stock.symbol} />
      </Panel>
      <div class="trade-side">
        <Ticket stock={stock} />
      </div>
      <div class="trade-orders">
        <OrdersPanel symbol={stock.symbol} />
      </div>
    </div>
  )
}

function QuoteBar({ stock, all }: { readonly stock: ListedSymbol; readonly all: readonly ListedSymbol[] }) {
  const { data, error } = useQuote(stock.symbol)
  const quote = data.value?.basicInfo
  const price = quote?.price ?? stock.price
  return (
    <section class="panel quote" aria-label={stock.name}>
      <div class="quote-name">
        <h1>
          <SymbolChoice symbol={stock.symbol} all={all} />
        </h1>
        <span class="muted">{stock.name}</span>
      </div>
      <div>
        <strong class={`quote-price ${toneOf(quote?.change24HPercent)}`}>{formatPrice(price)}</strong>{' '}
        <span class={toneOf(quote?.change24HPercent)}>{formatPercentPoints(quote?.change24HPercent)}</span>
      </div>
      <dl class="quote-facts">
        <Fact name={words.bid} value={formatPrice(quote?.bid)} />
        <Fact name={words.ask} value={formatPrice(quote?.ask)} />
        <Fact name={words.open} value={formatPrice(quote?.open)} />
        <Fact name={words.high} value={formatPrice(quote?.high)} />
        <Fact name={words.low} value={formatPrice(quote?.low)} />
        <Fact name={words.prevClose} value={formatPrice(quote?.prevClose)} />
      </dl>
      <MarketClock />
      {error.value && <Failure message={error.value} />}
    </section>
  )
}

function SymbolChoice({ symbol, all }: { readonly symbol: string; readonly all: readonly ListedSymbol[] }) {
  return (
    <select
      class="symbol-choice"
      aria-label={words.choose}
      value={symbol}
      onChange={(event) => go(`/trade/${encodeURIComponent(event.currentTarget.value)}`)}
    >
      {all.map((one) => (
        <option key={one.symbol} value={one.symbol}>
          {one.symbol}
        </option>
      ))}
    </select>
  )
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}
