import { Button } from '../ui/button.tsx'
import { isOf, positions } from './account-data.ts'
import { sizeText } from './figures.tsx'
import { words } from './strings.ts'
import type { Terms } from './terms.ts'
import { fromWad, isZero, magnitude } from './units.ts'
import type { Market } from './venue.ts'

/** What an order that only reduces may take off, and a button that chooses all of it. */
export function Reducible({ market, terms }: { readonly market: Market; readonly terms: Terms }) {
  const known = positions.data.value
  if (!known) return null
  const isLong = terms.side.value === 'long'
  const held = known.find(isOf(market))
  const isThere = held && !isZero(held.size) && held.side === (isLong ? 1 : 2)
  if (!isThere) return <p class="muted">{words.nothingToReduce(isLong ? words.short : words.long)}</p>
  const size = magnitude(held.size)
  return (
    <div class="perp-free">
      <span class="muted">{words.reducible(`${sizeText(size)} ${market.baseToken.symbol}`)}</span>
      <Button size="small" onClick={() => terms.setSize(fromWad(size) ?? '')}>
        {words.closeAll}
      </Button>
    </div>
  )
}
