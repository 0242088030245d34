// A take-profit, a stop-loss or both for a position, which the venue keeps until the mark is there.
import type { KeepOrdersParams } from '@bourse/sdk/perp'
import { useState } from 'preact/hooks'
import type { Message } from '../lib/message.ts'
import { Button } from '../ui/button.tsx'
import { Facts } from '../ui/facts.tsx'
import { Field } from '../ui/field.tsx'
import { Failure } from '../ui/loaded.tsx'
import { noteKept } from './account-changes.ts'
import { type Held, unitOf } from './account-data.ts'
import { keep, useDoing } from './actions.ts'
import { DoingNote } from './doing-note.tsx'
import { priceOrNone, priceText, Signed } from './figures.tsx'
import { oneClickOn } from './one-click.ts'
import { OneClickSwitch } from './one-click-switch.tsx'
import { pairName } from './pair-name.ts'
import { marketOf, Question, sizeOf, sizeWrong, stillHeld } from './question.tsx'
import { words } from './strings.ts'
import { slippage } from './terms.ts'
import { Slippage } from './ticket.tsx'
import { isLiquidatedBefore, type Kind, resultAt, triggerFault } from './trigger.ts'
import { bpsOf, isZero, toWad } from './units.ts'
import { isMeantBySymbol } from './venue.ts'
import { waitingTexts } from './waiting.tsx'

/** One of the two prices, as it is typed. */
interface Leg {
  readonly kind: Kind
  readonly text: string
  readonly set: (text: string) => void
  /** What is wrong with it, in words; null where nothing is, or where it is left out. */
  readonly wrong: string | null
}

function useLeg(kind: Kind, isLong: boolean, mark: string): Leg {
  const [text, set] = useState('')
  const fault = text === '' ? null : triggerFault(text, { kind, isLong, mark })
  const wrong = fault && words.triggerWrong[fault](words.keptKinds[kind], priceText(mark))
  return { kind, text, set, wrong }
}

export function Keep({ held }: { readonly held: Held }) {
  const doing = useDoing(`keep ${pairName(held)}`, noteKept)
  const now = stillHeld(held)
  const mark = marketOf(held)?.markPrice ?? '0'
  const isLong = held.side === 2
  const legs = [useLeg('takeProfit', isLong, mark), useLeg('stopLoss', isLong, mark)] as const
  const given = legs.filter(({ text }) => text !== '')
  // Null for all of it, however much that is by then.
  const [typed, setTyped] = useState<string | null>(null)
  const size = typed ?? sizeOf(now ?? held)
  const wrongSize = now ? sizeWrong(size, sizeOf(now)) : words.closeTurned
  const isRight = given.length > 0 && wrongSize === null && legs.every(({ wrong }) => wrong === null)
  const params = isRight ? paramsOf(held, legs, typed) : null
  const mayKeep = oneClickOn.value && !isZero(mark) && isMeantBySymbol(held)
  const agree = params && mayKeep ? () => doing.run(words.keepDone(pairName(held)), keeping(held, params)) : null
  return (
    <Question
      title={words.keepNamed(pairName(held))}
      verb={words.keep}
      isUnderWay={doing.step.value !== null}
      agree={agree}
    >
      <Standing held={now ?? held} mark={mark} />
      {legs.map(({ kind, text, set, wrong }) => (
        <Field
          key={kind}
          label={words.keepAt(words.keptKinds[kind])}
          decimal
          suffix={unitOf(held).symbol}
          value={text}
          error={wrong}
          onInput={set}
        />
      ))}
      {given.length === legs.length && <p class="muted">{words.keepLinked}</p>}
      <Field
        label={words.closeSize}
        decimal
        suffix={held.symbol.split('/')[0] ?? ''}
        value={size}
        hint={typed === null ? words.keepAll : words.keepPart}
        error={wrongSize}
        onInput={setTyped}
      />
      <div class="row">
        <Button size="small" onClick={() => setTyped(null)}>
          {words.closeAll}
        </Button>
      </div>
      <Slippage />
      <p class="muted">{words.keepSlippage}</p>
      {now && wrongSize === null && <Estimate held={now} size={toWad(size)} legs={given} />}
      <DoingNote doing={doing} idle={words.byKeeper} />
    </Question>
  )
}

/** The request; null while the slippage is none. */
function paramsOf(held: Held, legs: readonly [Leg, Leg], size: string | null): KeepOrdersParams | null {
  const slippageBps = bpsOf(slippage.value)
  if (slippageBps === null) return null
  const [takeProfit, stopLoss] = legs
  return {
    instrument: held.symbol,
    expiry: held.expiry,
    side: held.side === 2 ? 1 : 2,
    slippageBps,
    ...(size === null ? {} : { size }),
    ...(takeProfit.text === '' ? {} : { takeProfitPrice: takeProfit.text }),
    ...(stopLoss.text === '' ? {} : { stopLossPrice: stopLoss.text }),
  }
}

const keeping =
  (held: Held, params: KeepOrdersParams) =>
  async (at: Parameters<typeof keep>[1]): Promise<Message> => {
    await keep(params, at)
    return { kind: 'good', text: words.keptNow(pairName(held)) }
  }

/** What the prices are about, what is there already, and what stands in the way. */
function Standing({ held, mark }: { readonly held: Held; readonly mark: string }) {
  const there = waitingTexts(held).join(', ')
  return (
    <>
      <Facts
        facts={[
          [words.entry, priceText(held.entryPrice)],
          [words.markLong, priceOrNone(mark)],
          [words.liquidation, priceOrNone(held.liquidationPrice)],
          [words.keptAlready, there === '' ? null : there],
        ]}
      />
      {isZero(mark) && <Failure message={words.keepNoMark} />}
      {isMeantBySymbol(held) === false && <Failure message={words.keepBySymbol(held.symbol)} />}
      {!oneClickOn.value && (
        <div class="notice wait">
          <span>{words.keepNeedsOneClick}</span>
          <OneClickSwitch />
        </div>
      )}
    </>
  )
}

interface EstimateProps {
  readonly held: Held
  /** 18 decimals. */
  readonly size: string
  readonly legs: readonly Leg[]
}

function Estimate({ held, size, legs }: EstimateProps) {
  const { entryPrice, liquidationPrice } = held
  const isLong = held.side === 2
  const right = legs.filter(({ wrong }) => wrong === null)
  if (right.length === 0) return null
  return (
    <section class="perp-preview" aria-label={words.estimate}>
      <Facts
        facts={right.map(({ kind, text }) => [
          words.resultAt(words.keptKinds[kind]),
          <Signed key={kind} wad={resultAt(text, { isLong, size, entryPrice })} unit={unitOf(held)} />,
        ])}
      />
      <p class="muted">{words.estimateNote}</p>
      {right.some(({ text }) => isLiquidatedBefore(text, { isLong, liquidationPrice })) && (
        <p class="warn" role="status">
          {words.liquidatedBefore(priceText(liquidationPrice))}
        </p>
      )}
    </section>
  )
}
