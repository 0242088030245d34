import type { Signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { isPositive } from '../lib/decimal.ts'
import { Gate } from '../session/gate.tsx'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Panel } from '../ui/panel.tsx'
import { Segments } from '../ui/segments.tsx'
import { isOf } from './account-data.ts'
import { perform, useTrade } from './actions.ts'
import { picked } from './book.tsx'
import { DoingNote } from './doing-note.tsx'
import { FreeMargin } from './free-margin.tsx'
import { OneClickSwitch } from './one-click-switch.tsx'
import { pairName } from './pair-name.ts'
import { lacksOf, PreviewBox, usePreview } from './preview.tsx'
import { Reducible } from './reducible.tsx'
import { words } from './strings.ts'
import { isLeverage, makeTerms, setSlippage, slippage, type Terms } from './terms.ts'
import { bpsOf, fromWad } from './units.ts'
import { type Market, perpSession } from './venue.ts'

export function Ticket({ market }: { readonly market: Market }) {
  const terms = useMemo(() => makeTerms(market), [pairName(market)])
  return (
    <Panel title={words.ticket} actions={<OneClickSwitch />}>
      <Gate state={perpSession}>
        <Form market={market} terms={terms} />
      </Gate>
    </Panel>
  )
}

function Form({ market, terms }: { readonly market: Market; readonly terms: Terms }) {
  const doing = useTrade(`order ${pairName(market)}`)
  const intent = terms.intent.value
  const preview = usePreview(intent, doing.step.value !== null)
  const lacks = lacksOf(preview, market)
  const isLong = terms.side.value === 'long'
  const label = words.place(isLong ? words.long : words.short, pairName(market))
  useEffect(
    () =>
      picked.subscribe((pick) => {
        if (pick === null) return
        picked.value = null
        // One that was clicked before somebody signed in may be of a market that was open then.
        if (!isOf(market)(pick)) return
        terms.type.value = 'limit'
        terms.price.value = pick.price
      }),
    [terms],
  )
  const submit = async (event: Event) => {
    event.preventDefault()
    terms.tried.value = true
    if (!intent || lacks) return
    const { typed } = terms
    if (!(await doing.run(label, (at) => perform(intent, at)))) return
    // What was typed meanwhile is of the next order, even if it is the same size.
    if (terms.typed !== typed) return
    terms.size.value = ''
    terms.tried.value = false
  }
  return (
    <form class="stack" onSubmit={(event) => void submit(event)} noValidate>
      <Choices terms={terms} />
      <Amounts market={market} terms={terms} />
      <PreviewBox intent={intent} preview={preview} market={market} />
      <Button
        type="submit"
        variant={isLong ? 'buy' : 'sell'}
        size="wide"
        busy={doing.step.value !== null}
        aria-disabled={lacks !== null}
      >
        {label}
      </Button>
      <DoingNote doing={doing} />
    </form>
  )
}

function Choices({ terms }: { readonly terms: Terms }) {
  return (
    <>
      <Segments
        label={words.side}
        value={terms.side.value}
        options={[
          { value: 'long', label: words.long, tone: 'buy' },
          { value: 'short', label: words.short, tone: 'sell' },
        ]}
        onChange={(value) => {
          terms.side.value = value
        }}
      />
      <Segments
        label={words.type}
        value={terms.type.value}
        options={[
          { value: 'market', label: words.marketOrder },
          { value: 'limit', label: words.limitOrder },
        ]}
        onChange={(value) => {
          if (value === 'limit' && terms.price.value === '') terms.price.value = ''
          terms.type.value = value
        }}
      />
    </>
  )
}

function Amounts({ market, terms }: { readonly market: Market; readonly terms: Terms }) {
  const tried = terms.tried.value
  const { maxLeverage } = market
  const isLimit = terms.type.value === 'limit'
  const onlyReduces = !isLimit && terms.reduceOnly.value
  return (
    <>
      {isLimit && (
        <Field
          label={words.limitPrice}
          decimal
          suffix={market.quoteToken.symbol}
          value={terms.price.value}
          placeholder={fromWad(market.fairPrice) ?? ''}
          error={tried && !isPositive(terms.price.value) ? words.priceWrong : null}
          onInput={(text) => {
            terms.price.value = text
          }}
        />
      )}
      <Field
        label={words.size}
        decimal
        suffix={market.baseToken.symbol}
        value={terms.size.value}
        error={tried && !isPositive(terms.size.value) ? words.sizeWrong : null}
        onInput={terms.setSize}
      />
      {onlyReduces ? <Reducible market={market} terms={terms} /> : <FreeMargin market={market} terms={terms} />}
      <div class="perp-pair">
        <Field
          label={words.leverage}
          decimal
          suffix="×"
          value={terms.leverage.value}
          error={isLeverage(terms.leverage.value, maxLeverage) ? null : words.leverageWrong(maxLeverage)}
          onInput={terms.setLeverage}
        />
        {!isLimit && <Slippage />}
      </div>
      {isLimit ? (
        <Tick label={words.postOnly} of={terms.postOnly} />
      ) : (
        <Tick label={words.reduceOnly} of={terms.reduceOnly} />
      )}
    </>
  )
}

const Tick = ({ label, of }: { readonly label: string; readonly of: Signal<boolean> }) => (
  <label class="row">
    <input
      type="checkbox"
      checked={of.value}
      onChange={(event) => {
        of.value = event.currentTarget.checked
      }}
    />
    {label}
  </label>
)

export const Slippage = () => (
  <Field
    label={words.slippage}
    decimal
    suffix="%"
    value={slippage.value}
    error={bpsOf(slippage.value) === null ? words.slippageWrong : null}
    onInput={setSlippage}
  />
)
