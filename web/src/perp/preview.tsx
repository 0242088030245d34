// What an action would do, by the real contracts: asked while the form is filled in, and again as the market moves.
import { type PreviewActionResult, previewAction } from '@bourse/sdk/perp'
import { useEffect, useState } from 'preact/hooks'
import { explain } from '../lib/explain.ts'
import { Facts } from '../ui/facts.tsx'
import { Failure } from '../ui/loaded.tsx'
import { changes } from './account-changes.ts'
import { balanceOf } from './account-data.ts'
import type { Intent } from './actions.ts'
import {
  amountText,
  Becomes,
  feeText,
  leverageText,
  paidText,
  percentText,
  priceOrNone,
  priceText,
  signedText,
  sizeText,
} from './figures.tsx'
import { proceedsOf } from './proceeds.ts'
import { shortageOf } from './shortage.ts'
import { words } from './strings.ts'
import { isZero, magnitude } from './units.ts'
import { instrumentOf, type Market, perpSession, trader } from './venue.ts'

const AFTER_TYPING_MS = 300
const EVERY_MS = 8000

export interface Preview {
  /** Of the present intent of the present session; both are null until it is known. */
  readonly result: PreviewActionResult | null
  readonly failure: string | null
}

interface Known extends Preview {
  /** The session and the intent that it is of. */
  readonly of: string
}

const NOTHING: Known = { result: null, failure: null, of: '' }

/** `isUnderWay`: it is being done, so that what it would do beside that is not asked. */
export function usePreview(intent: Intent | null, isUnderWay: boolean): Preview {
  const [known, setKnown] = useState(NOTHING)
  const of = JSON.stringify([perpSession.session.value?.apiKey, intent])
  const version = changes.value
  useEffect(() => {
    if (!intent) return setKnown(NOTHING)
    if (isUnderWay) return
    const running = new AbortController()
    const { signal } = running
    const ask = async () => {
      try {
        const result = await previewAction(trader().client, intent, { signal })
        if (!signal.aborted) setKnown({ result, failure: null, of })
      } catch (error) {
        if (!signal.aborted) setKnown({ result: null, failure: explain(error), of })
      }
    }
    const first = setTimeout(() => void ask(), AFTER_TYPING_MS)
    const again = setInterval(() => document.hidden || void ask(), EVERY_MS)
    return () => {
      running.abort()
      clearTimeout(first)
      clearInterval(again)
    }
  }, [of, version, isUnderWay])
  return known.of === of ? known : NOTHING
}

/** In words what is missing for it; while it is, it is not to be sent. */
export function lacksOf({ result }: Preview, market: Market): string | null {
  const shortage = shortageOf(result, balanceOf(market))
  const unit = market.quoteToken
  return shortage && words.lacks(paidText(shortage.needed, unit), amountText(shortage.free, unit))
}

export function PreviewBox({
  intent,
  preview,
  market,
}: {
  readonly intent: Intent | null
  readonly preview: Preview
  readonly market: Market
}) {
  const { result, failure } = preview
  const isKnown = result !== null || failure !== null
  return (
    <section class="perp-preview" aria-label={words.preview} aria-busy={intent !== null && !isKnown}>
      {!intent && <p class="muted">{words.previewAsk}</p>}
      {intent && !isKnown && <p class="muted">{words.previewComes}</p>}
      {intent && failure && <Failure message={failure} />}
      {intent && result && (
        <Figures action={intent.action} result={result} market={market} lacks={lacksOf(preview, market)} />
      )}
    </section>
  )
}

interface FiguresProps {
  readonly action: Intent['action']
  readonly result: PreviewActionResult
  readonly market: Market
  readonly lacks: string | null
}

function Figures({ action, result, market, lacks }: FiguresProps) {
  const { before, after, price, priceImpact, notional, fee, amount, orders, range } = result
  const unit = market.quoteToken
  const order = orders[0]
  const rests = order?.margin ?? null
  // Of a limit order that its price has reached: value and fee are of what trades at once, the order is what then rests.
  const isBoth = rests !== null && fee !== null
  const isBack = amount?.startsWith('-')
  const proceeds = proceedsOf(result)
  const tip = paidText(instrumentOf(market)?.tip, unit)
  return (
    <>
      <Facts
        facts={[
          [words.executionPrice, price && !isZero(price) ? priceText(price) : null],
          [words.limitPrice, order ? priceText(order.price) : null],
          [words.priceImpact, priceImpact ? percentText(priceImpact) : null],
          [isBoth ? words.notionalTraded : words.notional, notional ? amountText(magnitude(notional), unit) : null],
          [isBoth ? words.feeTraded : words.fee, fee ? feeText(fee, unit) : null],
          [words.range, range ? `${priceText(range.lowerPrice)} – ${priceText(range.upperPrice)}` : null],
          [
            isBack ? words.marginBack : words.marginMoved,
            amount && !isZero(amount) && (isBoth || rests === null)
              ? (isBack ? amountText : paidText)(magnitude(amount), unit)
              : null,
          ],
          [words.realized, proceeds && signedText(proceeds.realized, unit)],
          [words.marginOut, proceeds?.out ? amountText(proceeds.out, unit) : null],
          [isBoth ? words.marginOfRest : words.margin, rests && paidText(rests, unit)],
          // Once, out of the position that it turns into; who ends it himself pays none.
          [words.tip, rests && tip],
          [words.tipOfRange, action === 'add-liquidity' ? tip : null],
        ]}
      />
      {before && after && (
        <Facts
          facts={[
            [
              `${words.position} (${market.baseToken.symbol})`,
              <Becomes key="p" before={sizeText(before.size)} after={sizeText(after.size)} />,
            ],
            [
              words.margin,
              <Becomes key="m" before={amountText(before.margin, unit)} after={amountText(after.margin, unit)} />,
            ],
            [
              words.leverage,
              <Becomes key="l" before={leverageText(before.leverage)} after={leverageText(after.leverage)} />,
            ],
            [
              words.liquidation,
              <Becomes
                key="q"
                before={priceOrNone(before.liquidationPrice)}
                after={priceOrNone(after.liquidationPrice)}
              />,
            ],
          ]}
        />
      )}
      {lacks ? <Failure message={lacks} /> : result.needsApproval && <Failure message={words.needsApproval} />}
    </>
  )
}
