import { useEffect } from 'preact/hooks'
import { formatCompact } from '../lib/format.ts'
import { hrefTo } from '../router.ts'
import { Loaded } from '../ui/loaded.tsx'
import { Panel } from '../ui/panel.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { percentText, priceOrNone, priceText, rateText, toneOf } from './figures.tsx'
import { LiveBadge } from './live-badge.tsx'
import { words } from './strings.ts'
import { fromWad } from './units.ts'
import { followMarkets, type Market, markets } from './venue.ts'
import './perp.css'
import { pairName, pairPath } from './pair-name.ts'

export function Markets() {
  useEffect(followMarkets, [])
  return (
    <>
      <div class="page-head">
        <h1>{words.perpetuals}</h1>
        <LiveBadge />
      </div>
      <Panel title={words.perpetuals} flush>
        <Loaded of={markets}>
          {(listed) => (
            <Table
              caption={words.perpetuals}
              columns={COLUMNS}
              rows={listed}
              rowKey={({ instrumentAddr, expiry }) => `${instrumentAddr}-${expiry}`}
              empty={words.noPerpetuals}
            />
          )}
        </Loaded>
      </Panel>
    </>
  )
}

const COLUMNS: readonly Column<Market>[] = [
  {
    key: 'symbol',
    title: words.market,
    cell: (market) => (
      <a class="perp-market" href={hrefTo(pairPath(market))}>
        <strong>{pairName(market)}</strong> <span class="muted">{words.times(market.maxLeverage)}</span>
      </a>
    ),
  },
  { key: 'price', title: words.fair, number: true, cell: ({ fairPrice }) => priceText(fairPrice) },
  {
    key: 'change',
    title: words.change,
    number: true,
    cell: ({ fairPriceChange24h }) => <span class={toneOf(fairPriceChange24h)}>{percentText(fairPriceChange24h)}</span>,
  },
  { key: 'mark', title: words.markLong, number: true, cell: ({ markPrice }) => priceOrNone(markPrice) },
  {
    key: 'funding',
    title: words.funding,
    number: true,
    cell: ({ fundingRatePerHour }) => rateText(fundingRatePerHour),
  },
  {
    key: 'volume',
    title: words.volume,
    number: true,
    cell: ({ quoteVolume24h, quoteToken }) => `${formatCompact(fromWad(quoteVolume24h))} ${quoteToken.symbol}`,
  },
  {
    key: 'interest',
    title: words.openInterest,
    number: true,
    cell: ({ openInterests, baseToken }) => `${formatCompact(fromWad(openInterests))} ${baseToken.symbol}`,
  },
]
