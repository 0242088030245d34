import { signal } from '@preact/signals'

const STORED = 'stock-favourites'

/** Symbols that were marked in this browser. */
export const favourites = signal<ReadonlySet<string>>(
  new Set(JSON.parse(localStorage.getItem(STORED) ?? '[]') as string[]),
)

export function toggleFavourite(symbol: string): void {
  const next = new Set(favourites.value)
  if (!next.delete(symbol)) next.add(symbol)
  favourites.value = next
  localStorage.setItem(STORED, JSON.stringify([...next]))
}
