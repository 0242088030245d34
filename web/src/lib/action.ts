// Something that a user does, from the press of a button until it is known what became of it.
import { type Signal, signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { failureWords } from '../strings.ts'
import { explain, mayBeDone } from './explain.ts'
import type { Message } from './message.ts'

/** One thing that is under way: which step, and why it failed. */
export interface Action<Step> {
  readonly step: Signal<Step | null>
  readonly failure: Signal<string | null>
  /**
   * Runs it unless it runs already, and says in a message that it went well, or what it resolves to in place of that. Tells whether it
   * went well.
   */
  run(what: string, act: (at: (step: Step) => void) => Promise<Message | null> | Promise<void>): Promise<boolean>
  /**
   * Something shows it, until the answer is called. What fails while nothing does is said in a message, and what may have been done
   * though it failed is said in one when its form goes.
   */
  show(): () => void
}

/** What the actions of a product have in common. */
export interface ActionKind<Step> {
  readonly first: Step
  /** Words the message that it went well. */
  done(what: string): string
  tell(kind: Message['kind'], text: string): void
  /** Called at the end, however it went. */
  changed(): void
}

/** By name, those that are under way or shown. */
const held = new Map<string, unknown>()

/**
 * The action of a form, by the form's name and not by what shows it: whoever leaves while it is under way and comes back finds it so,
 * and cannot begin it a second time.
 */
export function actionOf<Step>(name: string, kind: ActionKind<Step>): Action<Step> {
  return (held.get(name) as Action<Step> | undefined) ?? makeAction(name, kind)
}

/** The same for as long as a component is shown. */
export function useAction<Step>(name: string, kind: ActionKind<Step>): Action<Step> {
  const action = useMemo(() => actionOf(name, kind), [name])
  useEffect(() => action.show(), [action])
  return action
}

function makeAction<Step>(name: string, { first, done, tell, changed }: ActionKind<Step>): Action<Step> {
  const step = signal<Step | null>(null)
  const failure = signal<string | null>(null)
  let shown = 0
  const hold = () => held.set(name, action)
  const release = () => {
    if (shown === 0 && step.peek() === null) held.delete(name)
  }
  /** What the form says of something that may have been done: with the form, as at the end of a session, it must not be lost. */
  let doubt: string | null = null
  const fail = (what: string, error: unknown) => {
    const text = failureWords.of(what, explain(error))
    if (shown === 0) return tell('bad', text)
    failure.value = explain(error)
    if (mayBeDone(error)) doubt = text
  }
  const leave = () => {
    if (shown > 0 || doubt === null) return
    tell('bad', doubt)
    doubt = null
  }
  const action: Action<Step> = {
    step,
    failure,
    async run(what, act) {
      if (step.peek() !== null) return false
      hold()
      step.value = first
      failure.value = null
      doubt = null
      try {
        const own = await act((next) => {
          step.value = next
        })
        if (own) tell(own.kind, own.text)
        else tell('good', done(what))
        return true
      } catch (error) {
        fail(what, error)
        return false
      } finally {
        step.value = null
        release()
        changed()
      }
    },
    show() {
      shown += 1
      hold()
      return () => {
        shown -= 1
        leave()
        release()
      }
    },
  }
  return action
}
