// What the venue tells of the session's account, as signals of its stream and by what was done here: which lists are to be asked again.
import type { PerpMessage, Signal } from '@bourse/sdk/perp'
import { computed, type ReadonlySignal } from '@preact/signals'
import { makeChanges } from '../lib/together.ts'

/** What signals of an account are about. */
type Part = Signal['type']
const PARTS: readonly Part[] = ['gate', 'order', 'range', 'position']

/** So often at most it is asked what no signal is about. */
const SELDOM_MS = 10_000

const noted = makeChanges()
const notedSeldom = makeChanges(SELDOM_MS)
const notedOf: Readonly<Record<Part, ReturnType<typeof makeChanges>>> = {
  gate: makeChanges(),
  order: makeChanges(),
  range: makeChanges(),
  position: makeChanges(),
}

/** Grows with whatever the venue tells of the session's account. */
export const changes = noted.changes
/** The same, every ten seconds at most: for what changes with nothing of it. */
export const changesSeldom = notedSeldom.changes

/**
 * Grows with what the venue tells of this part of it. A list asks again for its part alone: a key has 120 requests a minute for everything,
 * and whoever trades quickly would have spent them on lists that are what they were.
 */
export const changesOf = (part: Part): ReadonlySignal<number> => notedOf[part].changes

const notedKept = makeChanges()
/** Grows with what this page does to orders that the venue keeps: nothing on chain, so that no other list is asked for. */
export const keptHere = notedKept.changes
export const noteKept = notedKept.note
/** Grows also with whatever may be the end of one. */
export const keptChanges = computed(() => keptHere.value + changes.value)

/** Anything may have changed of what the chain has. */
export const noteChange = (): void => noteParts(PARTS)

function noteParts(parts: readonly Part[]): void {
  noted.note()
  notedSeldom.note()
  for (const part of parts) notedOf[part].note()
}

/** The signals of a block come one after the other: what they are about is asked for once. */
const SIGNALS_TOGETHER_MS = 30
let signalled: Set<Part> | null = null

export function noteSignal(message: PerpMessage<'portfolio'>): void {
  const part = message.type === 'data' ? message.data.type : undefined
  if (signalled === null) setTimeout(noteSignalled, SIGNALS_TOGETHER_MS)
  signalled ??= new Set()
  for (const one of part !== undefined && PARTS.includes(part) ? [part] : PARTS) signalled.add(one)
}

function noteSignalled(): void {
  const parts = [...(signalled ?? [])]
  signalled = null
  noteParts(parts)
}
