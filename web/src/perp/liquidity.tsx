import { useState } from 'preact/hooks'
import { isPositive } from '../lib/decimal.ts'
import { Button } from '../ui/button.tsx'
import { Field, Select } from '../ui/field.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { balanceOf, type Range, ranges, unitOf } from './account-data.ts'
import { type Intent, perform, useTrade } from './actions.ts'
import { DoingNote } from './doing-note.tsx'
import { amountText, priceText, whenText } from './figures.tsx'
import { pairName } from './pair-name.ts'
import { lacksOf, PreviewBox, usePreview } from './preview.tsx'
import { asked } from './question.tsx'
import { words } from './strings.ts'
import { slippage } from './terms.ts'
import { Slippage } from './ticket.tsx'
import { bpsOf } from './units.ts'
import type { Market } from './venue.ts'

const WIDTHS = ['1.05', '1.1', '1.2', '1.5', '2'] as const

export function Liquidity({ market }: { readonly market: Market }) {
  return (
    <div class="perp-liquidity">
      <div>
        <Loaded of={ranges}>
          {(rows) => (
            <Table
              caption={words.liquidity}
              columns={COLUMNS}
              rows={rows}
              rowKey={({ instrumentAddr, rid }) => `${instrumentAddr}-${rid}`}
              empty={words.noRanges}
            />
          )}
        </Loaded>
        <p class="muted perp-note">{words.feeOnRemove}</p>
      </div>
      <AddForm market={market} />
    </div>
  )
}

const COLUMNS: readonly Column<Range>[] = [
  { key: 'market', title: words.market, cell: (range) => <strong>{pairName(range)}</strong> },
  { key: 'lower', title: words.lower, number: true, cell: ({ lowerPrice }) => priceText(lowerPrice) },
  { key: 'upper', title: words.upper, number: true, cell: ({ upperPrice }) => priceText(upperPrice) },
  { key: 'entry', title: words.entryPrice, number: true, cell: ({ entryPrice }) => priceText(entryPrice) },
  { key: 'margin', title: words.margin, number: true, cell: (range) => amountText(range.balance, unitOf(range)) },
  { key: 'added', title: words.added, cell: ({ lastUpdateTime }) => whenText(lastUpdateTime) },
  {
    key: 'actions',
    title: '',
    number: true,
    cell: (range) => (
      <Button
        size="small"
        aria-label={words.removeNamed(pairName(range))}
        onClick={() => {
          asked.value = { kind: 'remove', range }
        }}
      >
        {words.removeLiquidity}
      </Button>
    ),
  },
]

function AddForm({ market }: { readonly market: Market }) {
  const [amount, setAmount] = useState('')
  const [width, setWidth] = useState<(typeof WIDTHS)[number]>('1.2')
  const doing = useTrade(`add ${pairName(market)}`)
  const bps = bpsOf(slippage.value)
  const { instrumentAddr: instrument, expiry } = market
  const intent: Intent | null =
    isPositive(amount) && bps !== null
      ? {
          action: 'add-liquidity',
          params: { instrument, expiry, amount, alphaLower: width, alphaUpper: width, slippageBps: bps },
        }
      : null
  const preview = usePreview(intent, doing.step.value !== null)
  const lacks = lacksOf(preview, market)
  const held = balanceOf(market)
  const add = async (event: Event) => {
    event.preventDefault()
    if (intent && !lacks && (await doing.run(words.addDone(pairName(market)), (at) => perform(intent, at))))
      setAmount('')
  }
  return (
    <form class="stack perp-side-form" aria-label={words.addLiquidity} noValidate onSubmit={(event) => void add(event)}>
      <h3>{`${words.addLiquidity} · ${pairName(market)}`}</h3>
      <Field
        label={words.margin}
        decimal
        suffix={market.quoteToken.symbol}
        value={amount}
        hint={held ? words.free(amountText(held.balance, market.quoteToken)) : null}
        error={amount === '' || isPositive(amount) ? null : words.amountWrong}
        onInput={setAmount}
      />
      <Select
        label={words.width}
        value={width}
        hint={words.widthHint}
        options={WIDTHS.map((value) => ({ value, label: words.times(value) }))}
        onChange={setWidth}
      />
      <Slippage />
      <PreviewBox intent={intent} preview={preview} market={market} />
      <Button
        type="submit"
        variant="primary"
        size="wide"
        busy={doing.step.value !== null}
        aria-disabled={intent === null || lacks !== null}
      >
        {words.addLiquidity}
      </Button>
      <DoingNote doing={doing} />
    </form>
  )
}
