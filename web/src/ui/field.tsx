import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { readDecimal } from './typed-decimal.ts'

interface Common {
  readonly label: string
  readonly hint?: ComponentChildren
  readonly error?: string | null
  /** The unit, at the right of the value. */
  readonly suffix?: string
}

export interface FieldProps extends Common {
  readonly value: string
  readonly onInput: (value: string) => void
  readonly type?: 'text' | 'search'
  /** A decimal number: right-aligned, with the keyboard for numbers on phones, whose comma is a point. */
  readonly decimal?: boolean
  readonly placeholder?: string
  readonly disabled?: boolean
}

export function Field({ value, onInput, type = 'text', decimal, placeholder, disabled, ...common }: FieldProps) {
  const id = useId()
  return (
    <Labelled id={id} {...common}>
      <input
        id={id}
        {...(type === 'search' ? { type: 'search' as const } : { type: 'text' as const })}
        value={value}
        placeholder={placeholder}
        disabled={disabled}
        inputMode={decimal ? 'decimal' : undefined}
        autocomplete="off"
        spellcheck={false}
        aria-invalid={common.error ? 'true' : undefined}
        aria-describedby={`${id}-note`}
        onInput={(event) => onInput(decimal ? readDecimal(event.currentTarget, event) : event.currentTarget.value)}
      />
    </Labelled>
  )
}

export interface SelectProps<Value extends string> extends Common {
  readonly value: Value
  readonly options: readonly { readonly value: Value; readonly label: string }[]
  readonly onChange: (value: Value) => void
}

export function Select<Value extends string>({ value, options, onChange, ...common }: SelectProps<Value>) {
  const id = useId()
  return (
    <Labelled id={id} {...common}>
      <select
        id={id}
        value={value}
        aria-describedby={`${id}-note`}
        onChange={(event) => onChange(event.currentTarget.value as Value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </Labelled>
  )
}

function Labelled({ id, label, hint, error, suffix, children }: Common & { id: string; children: ComponentChildren }) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class={error ? 'control invalid' : 'control'}>
        {children}
        {suffix && (
          <span class="suffix" aria-hidden="true">
            {suffix}
          </span>
        )}
      </div>
      <div id={`${id}-note`}>{error ? <p class="error">{error}</p> : hint ? <div class="hint">{hint}</div> : null}</div>
    </div>
  )
}
