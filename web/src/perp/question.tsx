// A question in a dialog, about something that the account has.
import { effect, signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { compare, isPositive } from '../lib/decimal.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { type Held, isOf, positions, type Range, type Resting } from './account-data.ts'
import { words } from './strings.ts'
import { fromWad, isZero, magnitude } from './units.ts'
import { type Market, markets, perpSession } from './venue.ts'

export type Asked =
  | { readonly kind: 'close'; readonly held: Held }
  | { readonly kind: 'keep'; readonly held: Held }
  | { readonly kind: 'adjust'; readonly held: Held }
  | { readonly kind: 'cancel'; readonly order: Resting }
  | { readonly kind: 'cancel-all'; readonly orders: readonly [Resting, ...Resting[]] }
  | { readonly kind: 'remove'; readonly range: Range }

export const asked = signal<Asked | null>(null)
export const done = () => {
  asked.value = null
}

// What is held and what it would become are figures of one account: no other one's question.
effect(() => {
  perpSession.session.value
  done()
})

export const marketOf = (one: { readonly instrumentAddr: string; readonly expiry: number }): Market | undefined =>
  markets.data.value?.find((market) => isOf(market)(one))

export const sizeOf = (held: Held): string => fromWad(magnitude(held.size)) ?? '0'

/** The position as it is now; null where none is left on the side that was asked about, and a close would be of another one. */
export function stillHeld(asked: Held): Held | null {
  const now = positions.data.value?.find(isOf(asked))
  return now && !isZero(now.size) && now.side === asked.side ? now : null
}

/** What is wrong with a size to take off a position; null where nothing is. */
export function sizeWrong(size: string, most: string): string | null {
  if (!isPositive(size)) return words.sizeWrong
  return compare(size, most) > 0 ? words.closeTooMuch(most) : null
}

interface QuestionProps {
  readonly title: string
  readonly verb: string
  readonly isUnderWay: boolean
  /** Does it, and tells whether it went well; null while it cannot be done. */
  readonly agree: (() => Promise<boolean>) | null
  readonly children: ComponentChildren
}

export function Question({ title, verb, isUnderWay, agree, children }: QuestionProps) {
  const submit = async (event: Event) => {
    event.preventDefault()
    const question = asked.peek()
    if (!agree || !(await agree())) return
    // What was asked meanwhile is another question, even about the same.
    if (asked.peek() === question) done()
  }
  return (
    <Dialog title={title} onClose={done}>
      <form class="stack" noValidate onSubmit={(event) => void submit(event)}>
        {children}
        <div class="dialog-actions">
          <Button onClick={done}>{words.reject}</Button>
          <Button type="submit" variant="primary" busy={isUnderWay} aria-disabled={agree === null}>
            {verb}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
