import { type Books, getMarketOrderBook } from '@bourse/sdk/perp'
import { signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { useResource } from '../lib/resource.ts'
import { Loaded } from '../ui/loaded.tsx'
import { Panel } from '../ui/panel.tsx'
import { priceText, sizeShort } from './figures.tsx'
import { useChannel } from './live.ts'
import { words } from './strings.ts'
import { fromWad, shareOf, sumOf } from './units.ts'
import { type Market, publicClient } from './venue.ts'

type Level = Books[string]['bids'][number]

const LEVELS = 9
/** Asked for again where the stream does not tell. */
const EVERY_MS = 20_000

const step = signal('10')
/** Where a click on a price goes: the ticket of the same pair. */
export const picked = signal<{
  readonly instrumentAddr: string
  readonly expiry: number
  readonly price: string
} | null>(null)
/** The books of the pair that is shown, for whoever reckons what a trade would cost. */
export const shownBooks = signal<{
  readonly instrumentAddr: string
  readonly expiry: number
  readonly books: Books
} | null>(null)

export function Book({ market }: { readonly market: Market }) {
  const { instrumentAddr, expiry } = market
  const books = useResource(
    (abort): Promise<Books> =>
      getMarketOrderBook(publicClient(), { address: instrumentAddr, expiry }, { signal: abort }),
    [instrumentAddr, expiry],
    EVERY_MS,
  )
  useChannel({ type: 'orderBook', instrument: instrumentAddr, expiry }, (message) => {
    if (message.type === 'data') books.tell(() => message.data)
    else if (message.type === 'gap') void books.refresh()
  })
  const known = books.data.value
  useEffect(() => {
    shownBooks.value = known ? { instrumentAddr, expiry, books: known } : null
  }, [known, instrumentAddr, expiry])
  return (
    <Panel title={words.book} flush actions={<Step books={books.data.value} />}>
      <Loaded of={books}>
        {(all) => <Ladder book={all[step.value] ?? Object.values(all)[0]} spread={spreadOf(all)} market={market} />}
      </Loaded>
    </Panel>
  )
}

function Step({ books }: { readonly books: Books | undefined }) {
  if (!books) return null
  return (
    <select
      class="perp-step"
      aria-label={words.bookStep}
      value={step.value}
      onChange={(event) => {
        step.value = event.currentTarget.value
      }}
    >
      {Object.keys(books).map((ratio) => (
        <option key={ratio} value={ratio}>
          {words.bookStepOf(ratio)}
        </option>
      ))}
    </select>
  )
}

function Ladder({
  book,
  spread,
  market,
}: {
  readonly book: Books[string] | undefined
  readonly spread: string | null
  readonly market: Market
}) {
  const [bids, asks] = [book?.bids.slice(0, LEVELS) ?? [], book?.asks.slice(0, LEVELS) ?? []]
  const deepest = useMemo(() => deepestOf([...bids, ...asks]), [book])
  if (!bids[0] && !asks[0]) return <p class="empty">{words.noBook}</p>
  return (
    <table class="book">
      <caption class="visually-hidden">{words.book}</caption>
      <thead>
        <tr>
          <th scope="col">{`${words.price} (${market.quoteToken.symbol})`}</th>
          <th scope="col">{`${words.size} (${market.baseToken.symbol})`}</th>
          <th scope="col">{words.total}</th>
        </tr>
      </thead>
      <tbody>
        {asks.toReversed().map((level) => (
          <Row key={`a${level.tick}`} level={level} deepest={deepest} side="down" market={market} />
        ))}
        <tr class="book-middle">
          <td colSpan={3}>
            <strong>{priceText(market.fairPrice)}</strong>{' '}
            <span class="muted">{spread === null ? '' : `${words.spread} ${priceText(spread)}`}</span>
          </td>
        </tr>
        {bids.map((level) => (
          <Row key={`b${level.tick}`} level={level} deepest={deepest} side="up" market={market} />
        ))}
      </tbody>
    </table>
  )
}

const deepestOf = (levels: readonly Level[]): string =>
  levels.reduce((most, { baseSum }) => (BigInt(baseSum) > BigInt(most) ? baseSum : most), '0')

/** Between the best prices, those of the finest book, the first: a wider step puts both ends of it further away. */
function spreadOf(books: Books): string | null {
  const [finest] = Object.values(books)
  const [bid, ask] = [finest?.bids[0], finest?.asks[0]]
  return bid && ask ? sumOf(ask.price, `-${bid.price}`) : null
}

function Row({
  level,
  deepest,
  side,
  market,
}: {
  readonly level: Level
  readonly deepest: string
  readonly side: 'up' | 'down'
  readonly market: Market
}) {
  const { instrumentAddr, expiry } = market
  const share = Number(fromWad(shareOf(level.baseSum, deepest)) ?? 0)
  return (
    <tr>
      <td>
        <span class={`book-depth ${side}`} style={{ transform: `scaleX(${share})` }} aria-hidden="true" />
        <button
          type="button"
          class={`book-price ${side}`}
          onClick={() => {
            picked.value = { instrumentAddr, expiry, price: fromWad(level.price) ?? '' }
          }}
        >
          {priceText(level.price)}
        </button>
      </td>
      <td>{sizeShort(level.baseSize)}</td>
      <td>{sizeShort(level.baseSum)}</td>
    </tr>
  )
}
