import type { ComponentChildren } from 'preact'
import { walletWords } from '../strings.ts'
import { Button } from '../ui/button.tsx'
import { Failure } from '../ui/loaded.tsx'
import { connection } from '../wallet/connection.ts'
import { chooseWallet } from '../wallet/wallet-button.tsx'
import type { SessionState } from './session.ts'

/** What needs a signed-in wallet, or the one button that is missing until there is one. */
export function Gate({ state, children }: { readonly state: SessionState; readonly children: ComponentChildren }) {
  if (!connection.value) {
    return (
      <div class="empty stack">
        <p>{walletWords.needWallet}</p>
        <p>
          <Button variant="primary" onClick={chooseWallet}>
            {walletWords.connect}
          </Button>
        </p>
      </div>
    )
  }
  if (state.session.value) return <>{children}</>
  return (
    <div class="empty stack">
      <p>{walletWords.signInHint}</p>
      {state.failure.value && <Failure message={state.failure.value} />}
      <p>
        <Button variant="primary" busy={state.busy.value} onClick={() => void state.signIn()}>
          {state.busy.value ? walletWords.signingIn : walletWords.signIn}
        </Button>
      </p>
    </div>
  )
}
