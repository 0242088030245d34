import { signal } from '@preact/signals'
import { type Message, withMessage } from '../lib/message.ts'
import { common } from '../strings.ts'
import { Button } from './button.tsx'

const shown = signal<readonly (Message & { readonly id: number })[]>([])
let lastId = 0

const SHOWN_MS = 8000

/** Tells what happened. Failures stay until they are closed. */
export function toast(kind: Message['kind'], text: string): void {
  lastId += 1
  const id = lastId
  shown.value = withMessage(shown.value, { id, kind, text })
  if (kind !== 'bad') setTimeout(() => close(id), SHOWN_MS)
}

function close(id: number): void {
  shown.value = shown.value.filter((one) => one.id !== id)
}

export function Toasts() {
  return (
    <section class="toasts" aria-live="polite" aria-label={common.messages}>
      {shown.value.map(({ id, kind, text }) => (
        <div key={id} class={`toast ${kind}`}>
          <span>{text}</span>
          <Button variant="quiet" size="small" aria-label={common.close} onClick={() => close(id)}>
            ✕
          </Button>
        </div>
      ))}
    </section>
  )
}
