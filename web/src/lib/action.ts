// Something that a user does, from the press of a button until it is known what became of it.
import { UnknownOutcome } from '@bourse/sdk/stock'
import { type Signal, signal } from '@preact/signals'
import { toast } from '../ui/toast.tsx'
import { explain } from './explain.ts'

/** One thing that is under way: which step, and why it failed. */
export interface Action<Step> {
  readonly step: Signal<Step | null>
  readonly failure: Signal<string | null>
  /** Runs it unless it runs already, and says in a message that it went well. Tells whether it did. */
  run(what: string, act: (at: (step: Step) => void) => Promise<void>): Promise<boolean>
}

/** `told` words the message; `changed` is called at the end, however it went. */
export function makeAction<Step>(first: Step, told: (what: string) => string, changed: () => void): Action<Step> {
  const step = signal<Step | null>(null)
  const failure = signal<string | null>(null)
  return {
    step,
    failure,
    async run(what, act) {
      if (step.peek()) return false
      step.value = first
      failure.value = null
      try {
        await act((next) => {
          step.value = next
        })
        toast('good', told(what))
        return true
      } catch (error) {
        failure.value = explain(error)
        return false
      } finally {
        step.value = null
        changed()
      }
    },
  }
}

/** A send under way, as its steps are told. */
type Sending = (step: 'sending' | 'repeating') => void

const REPEATS = 30
const REPEAT_AFTER_MS = 2000

/** A send of One Click; where its answer is lost it is asked for again under the same key, so that it happens once. */
export async function sendOnce(
  send: (options: { readonly idempotencyKey: string }) => Promise<unknown>,
  at: Sending,
): Promise<void> {
  const idempotencyKey = crypto.randomUUID()
  at('sending')
  for (let attempt = 1; ; attempt += 1) {
    try {
      await send({ idempotencyKey })
      return
    } catch (error) {
      if (!(error instanceof UnknownOutcome) || attempt === REPEATS) throw error
      at('repeating')
      await new Promise((resolve) => setTimeout(resolve, REPEAT_AFTER_MS))
    }
  }
}
