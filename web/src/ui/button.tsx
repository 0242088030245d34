import type { ButtonHTMLAttributes, ComponentChildren } from 'preact'

export interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'size'> {
  readonly variant?: 'plain' | 'primary' | 'buy' | 'sell' | 'quiet' | 'danger'
  readonly size?: 'small' | 'normal' | 'wide'
  /** Something is under way: the button shows it and takes no second click. */
  readonly busy?: boolean
  readonly children?: ComponentChildren
}

export function Button({ variant = 'plain', size = 'normal', busy = false, onClick, children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      class={`button ${variant} ${size} ${rest.class ?? ''}`}
      // Not `disabled`: a button that is busy keeps the keyboard's focus.
      aria-disabled={busy || rest['aria-disabled'] ? 'true' : undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
    >
      {busy && <span class="spinner" aria-hidden="true" />}
      {children}
    </button>
  )
}
