import { type ReadonlySignal, signal } from '@preact/signals'

const TOGETHER_MS = 1000

/**
 * A count that grows with what is noted: with the first change at once, and with all that come within a second of it, or another time,
 * once more at its end. Every list is asked for again when it grows, and each change would be a question of each.
 */
export function makeChanges(togetherMs = TOGETHER_MS): {
  readonly changes: ReadonlySignal<number>
  readonly note: () => void
} {
  const changes = signal(0)
  let isResting = false
  let isNoted = false
  function note(): void {
    if (isResting) {
      isNoted = true
      return
    }
    isResting = true
    changes.value = changes.peek() + 1
    setTimeout(() => {
      isResting = false
      if (!isNoted) return
      isNoted = false
      note()
    }, togetherMs)
  }
  return { changes, note }
}
