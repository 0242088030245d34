import type { ComponentChildren } from 'preact'
import type { Column } from '../ui/table.tsx'
import { type Held, unitOf } from './account-data.ts'
import { amountText, leverageText, priceOrNone, priceText, Signed, Size, sideText } from './figures.tsx'
import { words } from './strings.ts'

type Written = (held: Held) => ComponentChildren

/** Figures of positions; `Market` writes the market's name, and `below` what stands under it. */
export const positionFigures = (Market: Written, below?: Written): readonly Column<Held>[] => [
  {
    key: 'market',
    title: words.market,
    cell: (held) => (
      <>
        {Market(held)}{' '}
        <span class={held.side === 2 ? 'up' : 'down'}>{`${sideText(held.side)} ${leverageText(held.leverage)}`}</span>
        {below?.(held)}
      </>
    ),
  },
  { key: 'size', title: words.size, number: true, cell: ({ size }) => <Size wad={size} /> },
  { key: 'entry', title: words.entry, number: true, cell: ({ entryPrice }) => priceText(entryPrice) },
  { key: 'mark', title: words.mark, number: true, cell: ({ markPrice }) => priceText(markPrice) },
  {
    key: 'liquidation',
    title: words.liquidation,
    number: true,
    cell: ({ liquidationPrice }) => <span class="warn">{priceOrNone(liquidationPrice)}</span>,
  },
  {
    key: 'profit',
    title: words.profit,
    number: true,
    cell: (held) => <Signed wad={held.unrealizedPnl} unit={unitOf(held)} />,
  },
  {
    key: 'funding',
    title: words.fundingPaid,
    number: true,
    cell: (held) => <Signed wad={held.unrealizedFunding} unit={unitOf(held)} />,
  },
  { key: 'equity', title: words.equity, number: true, cell: (held) => amountText(held.equity, unitOf(held)) },
]
