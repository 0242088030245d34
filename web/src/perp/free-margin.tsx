import { compare, isPositive } from '../lib/decimal.ts'
import { hrefTo } from '../router.ts'
import { Button } from '../ui/button.tsx'
import { balanceOf, isOf, positions } from './account-data.ts'
import { shownBooks } from './book.tsx'
import { amountText } from './figures.tsx'
import { type OrderTerms, sizeFor } from './size-for.ts'
import { words } from './strings.ts'
import { isLeverage, slippage, type Terms } from './terms.ts'
import { bpsOf, fromWad, isZero, toWad } from './units.ts'
import { instrumentOf, type Market } from './venue.ts'

const PERCENTS = [25, 50, 75, 95]
/** What the venue reckons with for a limit order, and for a market order where nothing that can be read is typed. */
const USUAL_SLIPPAGE_BPS = 50

/** What is free, and buttons that choose the size which a part of it pays for. */
export function FreeMargin({ market, terms }: { readonly market: Market; readonly terms: Terms }) {
  const held = balanceOf(market)
  if (!held) return null
  const fill = (percent: number) => terms.setSize(sizeFor(held.balance, percent, orderTerms(market, terms)))
  return (
    <div class="perp-free">
      <span class="muted">{words.free(amountText(held.balance, market.quoteToken))}</span>
      {isZero(held.balance) ? (
        <a href={hrefTo('/perp/account')}>{words.deposit}</a>
      ) : (
        <span class="row">
          {PERCENTS.map((percent) => (
            <Button key={percent} size="small" aria-label={words.ofFree(percent)} onClick={() => fill(percent)}>
              {`${percent}%`}
            </Button>
          ))}
        </span>
      )}
    </div>
  )
}

function orderTerms(market: Market, { side, type, price, postOnly, leverage }: Terms): OrderTerms {
  const isLong = side.value === 'long'
  const limit = type.value === 'limit' && isPositive(price.value) ? price.value : null
  const held = positions.data.value?.find(isOf(market))
  const books = shownBooks.peek()
  const { tradingFeeRatio = 0, protocolFeeRatio = 0 } = instrumentOf(market) ?? {}
  return {
    isLong,
    leverage: isLeverage(leverage.value, market.maxLeverage) ? leverage.value : '1',
    maxLeverage: String(market.maxLeverage),
    markPrice: market.markPrice,
    fairPrice: market.fairPrice,
    limitPrice: limit && toWad(limit),
    rests: limit !== null && (postOnly.value || isAway(limit, isLong, market)),
    slippageBps: (type.value === 'market' && bpsOf(slippage.value)) || USUAL_SLIPPAGE_BPS,
    feeBps: tradingFeeRatio + protocolFeeRatio,
    books: books && isOf(market)(books) ? books.books : undefined,
    grows: held && held.side === (isLong ? 2 : 1) && !isZero(held.size) ? held : null,
  }
}

/** Whether the price has not reached a limit. */
function isAway(limit: string, isLong: boolean, { fairPrice }: Market): boolean {
  const order = compare(limit, fromWad(fairPrice) ?? '0')
  return isLong ? order < 0 : order > 0
}
