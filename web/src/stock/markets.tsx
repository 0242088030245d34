import type { ListedSymbol } from '@bourse/sdk/stock'
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { formatCompact, formatPercentPoints, formatPrice } from '../lib/format.ts'
import { hrefTo } from '../router.ts'
import { Field } from '../ui/field.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { Panel } from '../ui/panel.tsx'
import { Segments } from '../ui/segments.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { favourites, toggleFavourite } from './favourites.ts'
import { MarketClock } from './market-clock.tsx'
import { words } from './strings.ts'
import { toneOf } from './tone.ts'
import { followMarket, symbols } from './venue.ts'
import './markets.css'

const search = signal('')
const shown = signal<'all' | 'favourites'>('all')

export function Markets() {
  useEffect(followMarket, [])
  return (
    <>
      <div class="page-head">
        <h1>{words.markets}</h1>
        <MarketClock />
      </div>
      <Panel title={words.stocks} flush actions={<Filters />}>
        <Loaded of={symbols}>
          {(listed) => (
            <Table
              caption={words.markets}
              columns={COLUMNS}
              rows={matching(listed, search.value, shown.value === 'favourites' ? favourites.value : null)}
              rowKey={({ symbol }) => symbol}
              empty={shown.value === 'favourites' && search.value === '' ? words.noFavourites : words.noMatch}
            />
          )}
        </Loaded>
      </Panel>
    </>
  )
}

/** By symbol or name, the symbols that begin with it first. */
export function matching(
  listed: readonly ListedSymbol[],
  text: string,
  only: ReadonlySet<string> | null,
): readonly ListedSymbol[] {
  const wanted = text.trim().toLowerCase()
  const begins = ({ symbol }: ListedSymbol) => Number(symbol.toLowerCase().startsWith(wanted))
  return listed
    .filter(({ symbol }) => !only || only.has(symbol))
    .filter(({ symbol, name }) => `${symbol} ${name}`.toLowerCase().includes(wanted))
    .toSorted((a, b) => begins(b) - begins(a))
}

function Filters() {
  return (
    <div class="row market-filters">
      <Segments
        label={words.show}
        value={shown.value}
        options={[
          { value: 'all', label: words.all },
          { value: 'favourites', label: `★ ${words.favourites}` },
        ]}
        onChange={(value) => {
          shown.value = value
        }}
      />
      <Field
        label={words.search}
        type="search"
        placeholder={words.searchHint}
        value={search.value}
        onInput={(text) => {
          search.value = text
        }}
      />
    </div>
  )
}

const COLUMNS: readonly Column<ListedSymbol>[] = [
  {
    key: 'star',
    title: <span class="visually-hidden">{words.favourites}</span>,
    cell: ({ symbol }) => <Star symbol={symbol} />,
  },
  {
    key: 'symbol',
    title: words.symbol,
    cell: ({ symbol, name }) => (
      <a class="market-link" href={hrefTo(`/trade/${encodeURIComponent(symbol)}`)}>
        <strong>{symbol}</strong>
        <span class="muted">{name}</span>
      </a>
    ),
  },
  { key: 'price', title: words.price, number: true, cell: ({ price }) => formatPrice(price) },
  {
    key: 'change',
    title: words.change,
    number: true,
    cell: ({ change24HPercent }) => (
      <span class={toneOf(change24HPercent)}>{formatPercentPoints(change24HPercent)}</span>
    ),
  },
  { key: 'volume', title: words.volume, number: true, cell: ({ volume24H }) => formatCompact(volume24H) },
]

function Star({ symbol }: { readonly symbol: string }) {
  const marked = favourites.value.has(symbol)
  return (
    <button
      type="button"
      class="star"
      aria-pressed={marked}
      aria-label={marked ? words.removeFavourite(symbol) : words.addFavourite(symbol)}
      onClick={() => toggleFavourite(symbol)}
    >
      {marked ? '★' : '☆'}
    </button>
  )
}
