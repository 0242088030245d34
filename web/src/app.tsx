import { useSignalEffect } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { loadSetup, setup, setupError } from './app-state.ts'
import { Footer } from './layout/footer.tsx'
import { Header } from './layout/header.tsx'
import { explain } from './lib/explain.ts'
import { hrefTo, matchPath, type Params, path, type Screen } from './router.ts'
import { screens } from './screens.ts'
import { common } from './strings.ts'
import { Button } from './ui/button.tsx'
import { Failure } from './ui/loaded.tsx'
import { Toasts } from './ui/toast.tsx'
import { ConfirmDialog } from './wallet/confirm-dialog.tsx'

export function App() {
  return (
    <div class="app">
      {/* Not a link: the hash of the address is the router's. */}
      <button type="button" class="skip" onClick={focusMain}>
        {common.skip}
      </button>
      <Header />
      <main class="main" id="main" tabIndex={-1}>
        {setupError.value && <Failure message={setupError.value} onRetry={() => void loadSetup()} />}
        {setup.value ? <CurrentScreen /> : setupError.value ? null : <p class="empty">{common.loading}</p>}
      </main>
      <Footer />
      <ConfirmDialog />
      <Toasts />
    </div>
  )
}

const focusMain = () => document.getElementById('main')?.focus()

function found(actual: string): { screen: Screen; params: Params } | null {
  for (const screen of screens) {
    const params = matchPath(screen.path, actual)
    if (params) return { screen, params }
  }
  return null
}

type View = ComponentType<{ readonly params: Params }>

const loaded = new Map<string, View>()

function CurrentScreen() {
  const match = found(path.value)
  const key = match?.screen.path ?? ''
  const [, redraw] = useState(0)
  const [failure, setFailure] = useState<string | null>(null)
  useEffect(() => {
    setFailure(null)
    if (!match || loaded.has(key)) return
    match.screen.load().then(
      (view) => {
        loaded.set(key, view)
        redraw((count) => count + 1)
      },
      (error) => setFailure(explain(error)),
    )
  }, [key])
  useSignalEffect(() => {
    const title = found(path.value)?.screen.title
    document.title = title ? `${title} · ${common.brand}` : common.brand
  })
  if (!match) return <NotFound />
  if (failure) return <ScreenFailed />
  const View = loaded.get(key)
  // A screen of another symbol begins anew.
  return View ? <View key={path.value} params={match.params} /> : <p class="empty">{common.loading}</p>
}

function NotFound() {
  return (
    <div class="empty">
      <p>{common.notFound}</p>
      <a href={hrefTo('/')}>{common.toMarkets}</a>
    </div>
  )
}

function ScreenFailed() {
  return (
    <div class="notice bad" role="alert">
      <span>{common.screenFailed}</span>
      <Button onClick={() => location.reload()}>{common.reload}</Button>
    </div>
  )
}
