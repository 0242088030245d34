import type { ListedSymbol } from '@bourse/sdk/stock'
import { useEffect, useMemo } from 'preact/hooks'
import { isPositive } from '../lib/decimal.ts'
import { formatQuantity, formatUsd } from '../lib/format.ts'
import { hrefTo } from '../router.ts'
import { Gate } from '../session/gate.tsx'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Failure } from '../ui/loaded.tsx'
import { Panel } from '../ui/panel.tsx'
import { Segments } from '../ui/segments.tsx'
import { place, useAction } from './actions.ts'
import { balance } from './balance.ts'
import { oneClickOn } from './one-click.ts'
import { OneClickSwitch } from './one-click-switch.tsx'
import { PreviewBox } from './preview-box.tsx'
import { words } from './strings.ts'
import { makeTerms, picked, type Terms } from './terms.ts'
import { stockSession } from './venue.ts'

export function Ticket({ stock }: { readonly stock: ListedSymbol }) {
  const terms = useMemo(() => makeTerms(stock), [stock.symbol])
  return (
    <Panel title={words.ticket} actions={<OneClickSwitch />}>
      <Gate state={stockSession}>
        <Form stock={stock} terms={terms} />
      </Gate>
    </Panel>
  )
}

function Form({ stock, terms }: { readonly stock: ListedSymbol; readonly terms: Terms }) {
  const action = useAction(`order ${stock.symbol}`)
  const side = terms.side.value === 'Buy' ? words.buy : words.sell
  useEffect(
    () =>
      picked.subscribe((pick) => {
        if (pick?.symbol !== stock.symbol) return
        terms.sellAll(pick.sell)
        picked.value = null
      }),
    [terms],
  )
  const submit = async (event: Event) => {
    event.preventDefault()
    const order = terms.order.value
    if (!order) {
      terms.touched.value = true
      return
    }
    const amount = terms.amount.value
    const isDone = await action.run(words.place(side, stock.symbol), (at) => place(order, at))
    // What was typed meanwhile is of the next order.
    if (isDone && terms.amount.value === amount) terms.amount.value = ''
  }
  return (
    <form class="stack" onSubmit={(event) => void submit(event)} noValidate>
      <Segments
        label={words.side}
        value={terms.side.value}
        options={[
          { value: 'Buy', label: words.buy, tone: 'buy' },
          { value: 'Sell', label: words.sell, tone: 'sell' },
        ]}
        onChange={terms.setSide}
      />
      <Segments
        label={words.type}
        value={terms.type.value}
        options={[
          { value: 'Market', label: words.market },
          { value: 'Limit', label: words.limit },
        ]}
        onChange={terms.setType}
      />
      <Amounts stock={stock} terms={terms} />
      <PreviewBox stock={stock} terms={terms} />
      {action.failure.value && <Failure message={action.failure.value} />}
      <Button
        type="submit"
        variant={terms.side.value === 'Buy' ? 'buy' : 'sell'}
        size="wide"
        busy={action.step.value !== null}
      >
        {words.place(side, stock.symbol)}
      </Button>
      <p class="muted" aria-live="polite">
        {action.step.value
          ? words.steps[action.step.value]
          : oneClickOn.value
            ? words.placedByVenue
            : words.placedByWallet}
      </p>
    </form>
  )
}

function Amounts({ stock, terms }: { readonly stock: ListedSymbol; readonly terms: Terms }) {
  const spends = terms.spends.value
  const held = available(stock, terms)
  const wrong = (text: string) => (terms.touched.value && !isPositive(text) ? words.amountWrong : null)
  return (
    <>
      {terms.type.value === 'Limit' && (
        <Field
          label={words.limitPrice}
          decimal
          suffix="USD"
          value={terms.price.value}
          error={wrong(terms.price.value)}
          onInput={(text) => {
            terms.price.value = text
          }}
        />
      )}
      <Field
        label={spends ? words.amount : words.quantity}
        decimal
        suffix={spends ? 'USD' : stock.contractSymbol}
        value={terms.amount.value}
        error={wrong(terms.amount.value)}
        onInput={(text) => {
          terms.amount.value = text
        }}
      />
      {held !== null && (
        <div class="row between">
          <span class="muted">
            {words.available(
              terms.side.value === 'Buy' ? formatUsd(held) : `${formatQuantity(held)} ${stock.contractSymbol}`,
            )}
          </span>
          {isPositive(held) ? (
            (spends || terms.side.value === 'Sell') && (
              <Button
                size="small"
                onClick={() => {
                  terms.amount.value = terms.most(held)
                }}
              >
                {words.max}
              </Button>
            )
          ) : (
            <a href={hrefTo('/transfers')}>{words.toTransfers}</a>
          )}
        </div>
      )}
    </>
  )
}

/** What the order could use: free cash, or free stock at the venue. */
function available(stock: ListedSymbol, terms: Terms): string | null {
  const known = balance.data.value
  if (!known) return null
  if (terms.side.value === 'Buy') return known.mUsdBalance
  const token = known.tokenBalances.find(({ address }) => address.toLowerCase() === stock.contractAddress.toLowerCase())
  return token?.exchangeBalance ?? '0'
}
