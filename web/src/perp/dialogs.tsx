// What is asked before something ends: close, adjust, cancel, remove; each with what it would do.
import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { isPositive } from '../lib/decimal.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Segments } from '../ui/segments.tsx'
import { type Held, type Range, type Resting, unitOf } from './account-data.ts'
import { type Intent, perform, useTrade } from './actions.ts'
import { DoingNote } from './doing-note.tsx'
import { priceText, sideText, sizeText } from './figures.tsx'
import { Keep } from './keep.tsx'
import { pairName } from './pair-name.ts'
import { lacksOf, PreviewBox, usePreview } from './preview.tsx'
import { asked, done, marketOf, Question, sizeOf, sizeWrong, stillHeld } from './question.tsx'
import { words } from './strings.ts'
import { isLeverage, slippage } from './terms.ts'
import { Slippage } from './ticket.tsx'
import { bpsOf, magnitude } from './units.ts'

/** Goes with what shows it: later its figures are old ones. */
export function ActionDialog() {
  useEffect(() => done, [])
  const question = asked.value
  if (!question) return null
  if (question.kind === 'close') return <Close held={question.held} />
  if (question.kind === 'keep') return <Keep held={question.held} />
  if (question.kind === 'adjust') return <Adjust held={question.held} />
  if (question.kind === 'cancel') return <Cancel order={question.order} />
  if (question.kind === 'cancel-all') return <CancelAll orders={question.orders} />
  return <Remove range={question.range} />
}

function Close({ held }: { readonly held: Held }) {
  // Null for all of it, however much that is by then. Of a size that is shown no more is closed than is shown.
  const [typed, setTyped] = useState<string | null>(sizeOf(held))
  const now = stillHeld(held)
  const most = sizeOf(now ?? held)
  const size = typed ?? most
  const bps = bpsOf(slippage.value)
  const { instrumentAddr: instrument, expiry } = held
  const part = typed === null ? {} : { size }
  const form = `close ${pairName(held)}`
  // While it is closed the position goes, as it was meant to.
  const isUnderWay = useTrade(form).step.value !== null
  const wrong = isUnderWay ? null : now ? sizeWrong(size, most) : words.closeTurned
  const intent: Intent | null =
    wrong === null && bps !== null
      ? { action: 'close', params: { instrument, expiry, slippageBps: bps, ...part } }
      : null
  return (
    <Trade
      form={form}
      title={words.closeNamed(pairName(held))}
      what={words.closeDone(pairName(held))}
      intent={intent}
      about={held}
      verb={words.close}
    >
      <Field
        label={words.closeSize}
        decimal
        suffix={held.symbol.split('/')[0] ?? ''}
        value={size}
        error={wrong}
        onInput={setTyped}
      />
      <div class="row">
        <Button size="small" onClick={() => setTyped(null)}>
          {words.closeAll}
        </Button>
      </div>
      <Slippage />
    </Trade>
  )
}

type Way = 'leverage' | 'add' | 'remove'

function Adjust({ held }: { readonly held: Held }) {
  const [way, setWay] = useState<Way>('leverage')
  const [text, setText] = useState('')
  const market = marketOf(held)
  const { instrumentAddr: instrument, expiry } = held
  const most = market?.maxLeverage ?? '1'
  const isRight = way === 'leverage' ? isLeverage(text, most) : isPositive(text)
  const intent = isRight ? adjustIntent(way, text, { instrument, expiry }) : null
  const wrong = text === '' || isRight ? null : way === 'leverage' ? words.leverageWrong(most) : words.amountWrong
  return (
    <Trade
      form={`adjust ${pairName(held)}`}
      title={words.adjustNamed(pairName(held))}
      what={words.adjustDone(pairName(held))}
      intent={intent}
      about={held}
      verb={words.adjust}
    >
      <Segments
        label={words.adjust}
        value={way}
        options={[
          { value: 'leverage', label: words.byLeverage },
          { value: 'add', label: words.addMargin },
          { value: 'remove', label: words.removeMargin },
        ]}
        onChange={(next) => {
          setWay(next)
          // A leverage is no sum of money.
          setText('')
        }}
      />
      <Field
        label={way === 'leverage' ? words.leverage : words.amount}
        decimal
        suffix={way === 'leverage' ? '×' : unitOf(held).symbol}
        value={text}
        error={wrong}
        onInput={setText}
      />
    </Trade>
  )
}

function adjustIntent(way: Way, text: string, pair: { instrument: string; expiry: number }): Intent {
  if (way === 'leverage') return { action: 'adjust', params: { ...pair, leverage: text } }
  return { action: 'margin', params: { ...pair, amount: text, type: way } }
}

function Cancel({ order }: { readonly order: Resting }) {
  const { instrumentAddr: instrument, expiry, orderId } = order
  const price = priceText(order.limitPrice)
  const intent = useMemo((): Intent => ({ action: 'cancel', params: { instrument, expiry, orderId } }), [orderId])
  return (
    <Trade
      form={`cancel ${pairName(order)} ${orderId}`}
      title={words.cancelNamed(pairName(order), price)}
      what={words.cancelDone(pairName(order))}
      intent={intent}
      about={order}
      verb={words.cancel}
    >
      <p>{`${sizeText(order.size)} × ${price}`}</p>
    </Trade>
  )
}

/** So many fit into one call of the instrument, which is all that a wallet is asked for. */
export const MOST_CANCELLED = 8

/** Cancels the orders of one market that were shown when it was asked. */
function CancelAll({ orders }: { readonly orders: readonly [Resting, ...Resting[]] }) {
  const [first] = orders
  const { instrumentAddr: instrument, expiry } = first
  const intent = useMemo((): Intent => {
    return { action: 'batch-cancel', params: { instrument, expiry, orderIds: orders.map(({ orderId }) => orderId) } }
  }, [orders])
  return (
    <Trade
      form={`cancel all ${pairName(first)}`}
      title={words.cancelAll(pairName(first))}
      what={words.cancelAll(pairName(first))}
      intent={intent}
      about={first}
      verb={words.cancelAll(pairName(first))}
    >
      <p>{words.cancelAllLead(orders.length)}</p>
      <ul>
        {orders.map(({ orderId, side, size, limitPrice }) => (
          <li key={orderId}>{`${sideText(side)} ${sizeText(magnitude(size))} × ${priceText(limitPrice)}`}</li>
        ))}
      </ul>
    </Trade>
  )
}

function Remove({ range }: { readonly range: Range }) {
  const { instrumentAddr: instrument, expiry, tickLower, tickUpper } = range
  const bps = bpsOf(slippage.value)
  const intent: Intent | null =
    bps === null
      ? null
      : { action: 'remove-liquidity', params: { instrument, expiry, tickLower, tickUpper, slippageBps: bps } }
  return (
    <Trade
      form={`remove ${pairName(range)} ${tickLower} ${tickUpper}`}
      title={words.removeNamed(pairName(range))}
      what={words.removeDone(pairName(range))}
      intent={intent}
      about={range}
      verb={words.removeLiquidity}
    >
      <p>{`${priceText(range.lowerPrice)} – ${priceText(range.upperPrice)}`}</p>
      <p class="muted">{words.removeLead}</p>
      <Slippage />
    </Trade>
  )
}

interface TradeProps {
  /** What it is asked about, so that it is found again while it is under way. */
  readonly form: string
  readonly title: string
  readonly what: string
  readonly verb: string
  readonly intent: Intent | null
  readonly about: { readonly instrumentAddr: string; readonly expiry: number }
  readonly children: ComponentChildren
}

/** A question about an intent, with what that would do. */
function Trade({ form, title, what, verb, intent, about, children }: TradeProps) {
  const doing = useTrade(form)
  const preview = usePreview(intent, doing.step.value !== null)
  const market = marketOf(about)
  const lacks = market ? lacksOf(preview, market) : null
  const agree = intent && !lacks ? () => doing.run(what, (at) => perform(intent, at)) : null
  return (
    <Question title={title} verb={verb} isUnderWay={doing.step.value !== null} agree={agree}>
      {children}
      {market && <PreviewBox intent={intent} preview={preview} market={market} />}
      <DoingNote doing={doing} />
    </Question>
  )
}
