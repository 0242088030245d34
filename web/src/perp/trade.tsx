import { useEffect } from 'preact/hooks'
import { formatCompact } from '../lib/format.ts'
import { go, type Params } from '../router.ts'
import { Failure, Loaded } from '../ui/loaded.tsx'
import { Panel } from '../ui/panel.tsx'
import { Book } from './book.tsx'
import { percentText, priceOrNone, priceText, rateText, toneOf } from './figures.tsx'
import { LiveBadge } from './live-badge.tsx'
import { MarketChart } from './market-chart.tsx'
import { Records } from './records.tsx'
import { words } from './strings.ts'
import { Ticket } from './ticket.tsx'
import { Trades } from './trades.tsx'
import { fromWad, isZero } from './units.ts'
import { followMarkets, type Market, markets } from './venue.ts'
import './perp.css'
import { pairAt, pairName, pairPath } from './pair-name.ts'

export function Trade({ params }: { readonly params: Params }) {
  useEffect(followMarkets, [])
  return (
    <Loaded of={markets}>
      {(listed) => {
        const market = pairAt(listed, params.symbol)
        if (!market) return <Failure message={words.unknownMarket(params.symbol ?? '')} />
        return <Screen key={pairName(market)} market={market} all={listed} />
      }}
    </Loaded>
  )
}

/** Everything for a trade on one screen. */
function Screen({ market, all }: { readonly market: Market; readonly all: readonly Market[] }) {
  return (
    <div class="perp">
      <Head market={market} all={all} />
      <Panel title={`${words.chart} · ${pairName(market)}`} class="perp-chart" flush>
        <MarketChart market={market} />
      </Panel>
      <div class="perp-flow">
        <Book market={market} />
        <Trades market={market} />
      </div>
      <div class="perp-ticket">
        <Ticket market={market} />
      </div>
      <div class="perp-records">
        <Records market={market} />
      </div>
    </div>
  )
}

function Head({ market, all }: { readonly market: Market; readonly all: readonly Market[] }) {
  const { baseToken, quoteToken } = market
  return (
    <section class="panel perp-head" aria-label={pairName(market)}>
      <h1>
        <select
          class="perp-choice"
          aria-label={words.choose}
          value={pairPath(market)}
          onChange={(event) => go(event.currentTarget.value)}
        >
          {all.map((one) => (
            <option key={pairPath(one)} value={pairPath(one)}>
              {pairName(one)}
            </option>
          ))}
        </select>
      </h1>
      <div>
        <strong class={`perp-price ${toneOf(market.fairPriceChange24h)}`}>{priceText(market.fairPrice)}</strong>{' '}
        <span class={toneOf(market.fairPriceChange24h)}>{percentText(market.fairPriceChange24h)}</span>
      </div>
      <dl class="perp-facts">
        <Fact name={words.markLong} value={priceOrNone(market.markPrice)} />
        <Fact name={words.spot} value={priceOrNone(market.spotPrice)} />
        <Fact name={words.funding} value={rateText(market.fundingRatePerHour)} hint={words.fundingHint} />
        <Fact name={words.volume} value={`${formatCompact(fromWad(market.quoteVolume24h))} ${quoteToken.symbol}`} />
        <Fact name={words.openInterest} value={`${formatCompact(fromWad(market.openInterests))} ${baseToken.symbol}`} />
      </dl>
      <LiveBadge />
      {isZero(market.markPrice) && <Failure message={words.noMark} />}
      {(market.condition !== 0 || market.ammStatus !== 1) && <Failure message={words.frozen} />}
    </section>
  )
}

const Fact = ({ name, value, hint }: { readonly name: string; readonly value: string; readonly hint?: string }) => (
  <div title={hint}>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
)
