/**
 * Subjects that are looked at in turn, so many at each reading. Beside them stands what differed in the last one: it is looked at
 * again until it agrees, so that a difference lasts however many subjects there are.
 */
export interface Turn<Key> {
  /** The last one that was looked at; null to begin with the first. */
  readonly after: Key | null
  readonly again: readonly Key[]
}

export const FIRST_TURN = { after: null, again: [] } as const satisfies Turn<never>

export interface NextTurn<Key> {
  readonly turn: Turn<Key>
  /** The last of the subjects was looked at: the next reading begins anew. */
  readonly isRoundOver: boolean
  /** So many differ that the next ones wait: there is no room for more, and none is forgotten. */
  readonly isWaiting: boolean
}

/** What a reading looks at after this one, which looked at `part` (fewer than `size` when nothing follows). */
export function nextTurn<Key>(
  { after }: Turn<Key>,
  {
    part,
    size,
    differing,
  }: { readonly part: readonly Key[]; readonly size: number; readonly differing: readonly Key[] },
): NextTurn<Key> {
  if (differing.length >= size) return { turn: { after, again: differing }, isRoundOver: false, isWaiting: true }
  const isRoundOver = part.length < size
  const last = part.at(-1) ?? null
  return { turn: { after: isRoundOver ? null : last, again: differing }, isRoundOver, isWaiting: false }
}
