import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

export interface PanelProps {
  readonly title: string
  /** What stands at the right of the title. */
  readonly actions?: ComponentChildren
  /** Without padding, for tables. */
  readonly flush?: boolean
  readonly class?: string
  readonly children: ComponentChildren
}

export function Panel({ title, actions, flush = false, class: className = '', children }: PanelProps) {
  const id = useId()
  return (
    <section class={`panel ${className}`} aria-labelledby={id}>
      <div class="panel-head">
        <h2 id={id}>{title}</h2>
        {actions}
      </div>
      <div class={flush ? 'panel-body flush' : 'panel-body'}>{children}</div>
    </section>
  )
}
