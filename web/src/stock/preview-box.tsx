import { type ListedSymbol, type Preview, previewOrder } from '@bourse/sdk/stock'
import { useEffect, useMemo } from 'preact/hooks'
import { add, isPositive, subtract } from '../lib/decimal.ts'
import { formatCost, formatPrice, formatQuantity, formatUsd, formatUsdCost } from '../lib/format.ts'
import { createResource } from '../lib/resource.ts'
import { Facts } from '../ui/facts.tsx'
import { Failure } from '../ui/loaded.tsx'
import { deadline } from './actions.ts'
import { words } from './strings.ts'
import type { Terms } from './terms.ts'
import { trader } from './venue.ts'

const AFTER_TYPING_MS = 300
const EVERY_MS = 4000

/** What the order in the ticket would do now, asked of the contracts themselves. */
export function PreviewBox({ stock, terms }: { readonly stock: ListedSymbol; readonly terms: Terms }) {
  const order = terms.order.value
  const key = JSON.stringify(order)
  const preview = useMemo(
    () =>
      createResource(async (signal) => {
        const { client, user } = trader()
        return order
          ? previewOrder(client, { ...order, userAddress: user, deadline: deadline() }, { signal })
          : undefined
      }),
    [key],
  )
  useEffect(() => {
    if (!order) return
    const first = setTimeout(() => void preview.refresh(), AFTER_TYPING_MS)
    const again = setInterval(() => document.hidden || void preview.refresh(), EVERY_MS)
    return () => {
      clearTimeout(first)
      clearInterval(again)
      preview.stop()
    }
  }, [preview])
  const known = preview.data.value
  return (
    <section class="preview" aria-label={words.preview} aria-live="polite">
      <h3>{words.preview}</h3>
      {!order && <p class="muted">{words.previewAsk}</p>}
      {order && preview.error.value && <Failure message={preview.error.value} />}
      {order && known && (
        <Cost preview={known} stock={stock} buys={order.side === 'Buy'} mayRest={order.type === 'Limit'} />
      )}
    </section>
  )
}

interface CostProps {
  readonly preview: Preview
  readonly stock: ListedSymbol
  readonly buys: boolean
  /** A market order never rests: one that fills nothing is too fine to be traded. */
  readonly mayRest: boolean
}

function Cost({ preview, stock, buys, mayRest }: CostProps) {
  const { expectedFill: fill, lock, reverts } = preview
  const moved = buys ? formatUsdCost : formatUsd
  return (
    <>
      {reverts && <Failure message={reverts.explanation} />}
      <Facts
        facts={[
          ...(fill
            ? ([
                [words.expectedPrice, formatPrice(fill.price)],
                [words.expectedQuantity, `${formatQuantity(fill.quantity)} ${stock.contractSymbol}`],
                [words.expectedNotional, moved(fill.notional, 6)],
                [words.fees, formatUsdCost(fill.feeAmount, 6)],
                [buys ? words.total : words.proceeds, <strong key="total">{moved(totalOf(fill, buys), 6)}</strong>],
              ] as const)
            : []),
          [
            words.locks,
            lock.asset === 'mUSD' ? formatUsdCost(lock.amount, 6) : `${formatCost(lock.amount, 9)} ${lock.asset}`,
          ],
          [
            words.unspent,
            fill?.unspentNotional && isPositive(fill.unspentNotional) ? formatUsd(fill.unspentNotional, 9) : null,
          ],
          [
            words.unfilled,
            fill?.unfilledQuantity && isPositive(fill.unfilledQuantity) ? formatQuantity(fill.unfilledQuantity) : null,
          ],
        ]}
      />
      {mayRest && fill && !fill.fillsNow && <p class="muted">{words.rests}</p>}
    </>
  )
}

const totalOf = ({ notional, feeAmount }: NonNullable<Preview['expectedFill']>, buys: boolean): string =>
  buys ? add(notional, feeAmount) : subtract(notional, feeAmount)
