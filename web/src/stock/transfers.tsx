import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { compare, isPositive } from '../lib/decimal.ts'
import { formatAmount, formatQuantity, formatRate } from '../lib/format.ts'
import { Gate } from '../session/gate.tsx'
import { Button } from '../ui/button.tsx'
import { Field, Select } from '../ui/field.tsx'
import { Failure, Loaded } from '../ui/loaded.tsx'
import { Panel } from '../ui/panel.tsx'
import { Segments } from '../ui/segments.tsx'
import { useAction } from './actions.ts'
import { balance } from './balance.ts'
import { words } from './strings.ts'
import { arriving, type Movable, movableTokens } from './tokens.ts'
import { type Direction, transfer, type What } from './transfer-actions.ts'
import { TransferHistory } from './transfer-history.tsx'
import { followMarket, marketConfig, stockSession } from './venue.ts'
import './transfers.css'

const direction = signal<Direction>('deposit')
const what = signal<What>('cash')
const chosen = signal('')
const amount = signal('')

export function Transfers() {
  useEffect(followMarket, [])
  return (
    <>
      <div class="page-head">
        <h1>{words.transfers}</h1>
      </div>
      <Gate state={stockSession}>
        <div class="transfers">
          <Panel title={words[direction.value]}>
            <Loaded of={balance}>
              {(held) => (
                <Loaded of={marketConfig}>
                  {(config) => <Form tokens={movableTokens(held, config, direction.value, what.value)} />}
                </Loaded>
              )}
            </Loaded>
          </Panel>
          <TransferHistory />
        </div>
      </Gate>
    </>
  )
}

/** Another direction or kind is another amount. */
function choose<Value>(target: { value: Value }, value: Value): void {
  target.value = value
  amount.value = ''
}

function Form({ tokens }: { readonly tokens: readonly Movable[] }) {
  const action = useAction('transfer')
  const token = tokens.find(({ address }) => address === chosen.value) ?? tokens[0]
  const problem = token && amount.value !== '' ? problemOf(token, amount.value) : null
  const title = `${words[direction.value]} ${token?.symbol ?? ''}`
  const submit = async (event: Event) => {
    event.preventDefault()
    if (!token || problem || amount.value === '') return
    const request = { direction: direction.value, what: what.value, token, amount: amount.value }
    // What was typed meanwhile is of the next transfer.
    if ((await action.run(title, (at) => transfer(request, at))) && amount.value === request.amount) amount.value = ''
  }
  return (
    <form class="stack" noValidate onSubmit={(event) => void submit(event)}>
      <Segments
        label={words.direction}
        value={direction.value}
        options={[
          { value: 'deposit', label: words.deposit },
          { value: 'withdraw', label: words.withdraw },
        ]}
        onChange={(value) => choose(direction, value)}
      />
      <Segments
        label={words.what}
        value={what.value}
        options={[
          { value: 'cash', label: words.moveCash },
          { value: 'stock', label: words.moveStock },
        ]}
        onChange={(value) => choose(what, value)}
      />
      {token && (
        <>
          <Select
            label={words.token}
            value={token.address}
            options={tokens.map(({ address, symbol }) => ({ value: address, label: symbol }))}
            onChange={(value) => choose(chosen, value)}
          />
          <AmountField token={token} problem={problem} />
        </>
      )}
      {action.failure.value && <Failure message={action.failure.value} />}
      <Button type="submit" variant="primary" size="wide" busy={action.step.value !== null}>
        {title}
      </Button>
      <p class="muted" aria-live="polite">
        {action.step.value
          ? words.steps[action.step.value]
          : direction.value === 'deposit'
            ? words.needsApproval(token?.symbol ?? '')
            : words.withdrawTo}
      </p>
    </form>
  )
}

function AmountField({ token, problem }: { readonly token: Movable; readonly problem: string | null }) {
  return (
    <>
      <Field
        label={words.quantity}
        decimal
        suffix={token.unit}
        value={amount.value}
        error={problem}
        hint={hintOf(token, amount.value)}
        onInput={(text) => {
          amount.value = text
        }}
      />
      <div class="row between">
        <span class="muted">{words.available(`${formatAmount(token.available, 9)} ${token.unit}`)}</span>
        <Button
          size="small"
          onClick={() => {
            amount.value = token.available
          }}
        >
          {words.max}
        </Button>
      </div>
    </>
  )
}

/** The fee, and what is left of the amount once there is one. */
function hintOf({ terms, decimals }: Movable, text: string): string | null {
  if (!terms) return null
  const rate = formatRate(terms.feeRate)
  if (!isPositive(text)) return words.feeRate(rate)
  return words.feeAndRest(rate, `${formatQuantity(arriving(terms, decimals, text))} ${terms.unit}`)
}

function problemOf(token: Movable, text: string): string | null {
  if (token.paused) return words.paused
  if (!isPositive(text)) return words.amountWrong
  if (compare(text, token.available) > 0) return words.tooMuch(`${formatAmount(token.available, 9)} ${token.unit}`)
  return token.least && compare(text, token.least) < 0 ? words.tooLittle(`${token.least} ${token.unit}`) : null
}
