import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

export interface Tab<Id extends string> {
  readonly id: Id
  readonly label: ComponentChildren
}

export interface TabsProps<Id extends string> {
  /** What the tabs are a choice of, for screen readers. */
  readonly label: string
  readonly tabs: readonly Tab<Id>[]
  readonly selected: Id
  readonly onSelect: (id: Id) => void
  /** The selected tab's content. */
  readonly children: ComponentChildren
}

/** Tabs as ARIA describes them: arrows, Home and End move between them. */
export function Tabs<Id extends string>({ label, tabs, selected, onSelect, children }: TabsProps<Id>) {
  const base = useId()
  const move = (event: KeyboardEvent) => {
    const index = tabs.findIndex(({ id }) => id === selected)
    const next = nextIndex(event.key, index, tabs.length)
    const tab = next === null ? undefined : tabs[next]
    if (!tab) return
    event.preventDefault()
    onSelect(tab.id)
    document.getElementById(`${base}-${tab.id}`)?.focus()
  }
  return (
    <div>
      <div class="tabs" role="tablist" aria-label={label} onKeyDown={move}>
        {tabs.map((tab) => (
          <button
            type="button"
            key={tab.id}
            id={`${base}-${tab.id}`}
            class="tab"
            role="tab"
            aria-selected={tab.id === selected}
            aria-controls={`${base}-panel`}
            tabIndex={tab.id === selected ? 0 : -1}
            onClick={() => onSelect(tab.id)}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div id={`${base}-panel`} role="tabpanel" aria-labelledby={`${base}-${selected}`}>
        {children}
      </div>
    </div>
  )
}

function nextIndex(key: string, index: number, count: number): number | null {
  if (key === 'ArrowRight') return (index + 1) % count
  if (key === 'ArrowLeft') return (index + count - 1) % count
  if (key === 'Home') return 0
  return key === 'End' ? count - 1 : null
}
