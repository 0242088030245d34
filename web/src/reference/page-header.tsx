import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import type { Setup } from '../app-state.ts'
import { explain } from '../lib/explain.ts'
import { keys, takeDevelopmentKeys, takeKey } from './keys.ts'
import type { ProductName } from './samples.ts'
import { words } from './strings.ts'

/** The page's own line above the reference: the ways out, and on a venue of this machine whose key signs. */
export function PageHeader({ setup }: { readonly setup: Setup }) {
  return (
    <>
      <a class="brand" href="/">
        Bourse
      </a>
      <span class="page-title">{words.title}</span>
      <nav>
        <a href="/">{words.app}</a>
        <a href="/docs/errors">{words.errors}</a>
      </nav>
      {setup.embedded && <Keys setup={setup} />}
    </>
  )
}

function Keys({ setup }: { readonly setup: Setup }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const names = (['stock', 'perp'] as const).filter((product) => keys.value[product]).map((product) => words[product])
  return (
    <>
      <button type="button" class="keys" onClick={() => dialog.current?.showModal()}>
        {names.length === 0 ? words.unsigned : words.signedAs(names)}
      </button>
      <dialog ref={dialog} aria-label={words.keysTitle}>
        <h2>{words.keysTitle}</h2>
        <p>{words.keysAbout}</p>
        <KeyForms setup={setup} done={() => dialog.current?.close()} />
        <button type="button" onClick={() => dialog.current?.close()}>
          {words.close}
        </button>
      </dialog>
    </>
  )
}

function KeyForms({ setup, done }: { readonly setup: Setup; readonly done: () => void }) {
  const failure = useSignal<string | null>(null)
  const take = async (taken: Promise<void>): Promise<void> => {
    failure.value = null
    await taken.then(done, (error: unknown) => {
      failure.value = explain(error)
    })
  }
  return (
    <>
      <p>{words.developmentAbout}</p>
      <button type="button" class="primary" onClick={() => void take(takeDevelopmentKeys(setup))}>
        {words.useDevelopment}
      </button>
      <OwnKey take={(product, apiKey, secret) => void take(takeKey(product, apiKey, secret))} />
      {failure.value && <p role="alert">{failure.value}</p>}
    </>
  )
}

function OwnKey({ take }: { readonly take: (product: ProductName, apiKey: string, secret: string) => void }) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        const form = event.currentTarget
        const fields = new FormData(form)
        const text = (name: string) => String(fields.get(name) ?? '').trim()
        take(text('product') as ProductName, text('apiKey'), text('secret'))
        form.reset()
      }}
    >
      <label>
        {words.product}
        <select name="product">
          <option value="stock">{words.stock}</option>
          <option value="perp">{words.perp}</option>
        </select>
      </label>
      <label>
        {words.apiKey}
        <input name="apiKey" required autocomplete="off" spellcheck={false} />
      </label>
      <label>
        {words.secret}
        <input name="secret" type="password" required autocomplete="off" />
      </label>
      <button type="submit">{words.useKey}</button>
    </form>
  )
}
