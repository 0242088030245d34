export interface SegmentsProps<Value extends string> {
  readonly label: string
  readonly options: readonly { readonly value: Value; readonly label: string; readonly tone?: 'buy' | 'sell' }[]
  readonly value: Value
  readonly onChange: (value: Value) => void
}

/** One of a few, all of them in view. */
export function Segments<Value extends string>({ label, options, value, onChange }: SegmentsProps<Value>) {
  return (
    <fieldset class="segments">
      <legend class="visually-hidden">{label}</legend>
      {options.map((option) => (
        <button
          type="button"
          key={option.value}
          class={option.tone ?? ''}
          aria-pressed={option.value === value}
          onClick={() => onChange(option.value)}
        >
          {option.label}
        </button>
      ))}
    </fieldset>
  )
}
