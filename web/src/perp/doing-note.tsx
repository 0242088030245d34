import { Failure } from '../ui/loaded.tsx'
import type { Doing } from './actions.ts'
import { oneClickOn } from './one-click.ts'
import { words } from './strings.ts'

/** Which step is under way, or how it will be sent; and why it failed. */
export function DoingNote({ doing }: { readonly doing: Doing }) {
  const step = doing.step.value
  return (
    <>
      {doing.failure.value && <Failure message={doing.failure.value} />}
      <p class="muted" aria-live="polite">
        {step ? words.steps[step] : oneClickOn.value ? words.byVenue : words.byWallet}
      </p>
    </>
  )
}
