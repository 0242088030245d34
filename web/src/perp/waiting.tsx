// The take-profits and stop-losses that wait for the mark, at the position that they would reduce.
import { type Held, type Waiting, waiting } from './account-data.ts'
import { priceText } from './figures.tsx'
import { words } from './strings.ts'
import { KINDS, nearestFirst } from './trigger.ts'
import { isMeantBySymbol } from './venue.ts'

/** Those that would reduce a position. */
export function waitingOf(held: Held): readonly Waiting[] {
  // An order names the symbol alone.
  if (isMeantBySymbol(held) === false) return []
  const isOfHeld = ({ symbol, expiry, side }: Waiting) =>
    symbol === held.symbol && expiry === held.expiry && side !== held.side
  return waiting.data.value?.filter(isOfHeld) ?? []
}

/** The nearest of each kind, and how many more there are: "TP 66,000.00", "SL 57,000.00 +1". */
export const waitingTexts = (held: Held): readonly string[] =>
  KINDS.flatMap((kind) => {
    const [first, ...others] = nearestFirst(waitingOf(held), kind, held.side === 2)
    return first ? [words.keptShort(words.keptShortKinds[kind], priceText(first.triggerPrice), others.length)] : []
  })
