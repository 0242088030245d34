import { Failure } from '../ui/loaded.tsx'
import type { Doing } from './actions.ts'
import { oneClickOn } from './one-click.ts'
import { words } from './strings.ts'

interface NoteProps {
  readonly doing: Doing
  /** How it will be sent, where that is not by the wallet or One Click at once. */
  readonly idle?: string
}

/** Which step is under way, or how it will be sent; and why it failed. */
export function DoingNote({ doing, idle }: NoteProps) {
  const step = doing.step.value
  return (
    <>
      {doing.failure.value && <Failure message={doing.failure.value} />}
      <p class="muted" aria-live="polite">
        {step ? words.steps[step] : (idle ?? (oneClickOn.value ? words.byVenue : words.byWallet))}
      </p>
    </>
  )
}
