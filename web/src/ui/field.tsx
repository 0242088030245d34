import type { ComponentChildren } from 'preact'
import { useId, useRef } from 'preact/hooks'
import { common as words } from '../strings.ts'
import { readDecimal, readings, type Typed } from './typed-decimal.ts'

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
  /** A decimal number: right-aligned, with the keyboard for numbers on phones, whose comma may be a point. */
  readonly decimal?: boolean
  readonly placeholder?: string
  readonly disabled?: boolean
}

export function Field(props: FieldProps) {
  return props.decimal ? <DecimalField {...props} /> : <TextField {...props} />
}

/** A number that can be read in two ways says so before anything else: by itself it looks right. */
function DecimalField({ value, error, onInput, ...others }: FieldProps) {
  const typed = useRef<Typed | null>(null)
  // Something other than the keyboard may have put another value there.
  const held = typed.current?.value === value ? typed.current : null
  const twoWays = readings(value)
  return (
    <TextField
      {...others}
      value={held?.shown ?? value}
      error={twoWays ? words.twoWays(held?.shown ?? value, ...twoWays) : (error ?? null)}
      onInput={(_, input, event) => {
        typed.current = readDecimal(input, event, held)
        onInput(typed.current.value)
      }}
    />
  )
}

interface TextProps extends Omit<FieldProps, 'onInput'> {
  readonly onInput: (value: string, input: HTMLInputElement, event: InputEvent) => void
}

function TextField({ value, onInput, type = 'text', decimal, placeholder, disabled, ...common }: TextProps) {
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
        onInput={(event) => onInput(event.currentTarget.value, event.currentTarget, event)}
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
