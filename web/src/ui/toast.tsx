import { signal } from '@preact/signals'
import { common } from '../strings.ts'
import { Button } from './button.tsx'

export interface ToastMessage {
  readonly kind: 'good' | 'bad' | 'info'
  readonly text: string
}

const shown = signal<readonly (ToastMessage & { readonly id: number })[]>([])
let lastId = 0

const KEPT = 4
const SHOWN_MS = 8000

/** Tells what happened. Failures stay until they are closed. */
export function toast(kind: ToastMessage['kind'], text: string): void {
  lastId += 1
  const id = lastId
  shown.value = [...shown.value.slice(1 - KEPT), { id, kind, text }]
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
