import type { Action } from '../lib/action.ts'
import { walletWords } from '../strings.ts'
import { Button } from '../ui/button.tsx'
import { Failure } from '../ui/loaded.tsx'
import { Panel } from '../ui/panel.tsx'
import { connection } from './connection.ts'

interface OneClickExitProps {
  /** What the venue says of it; undefined where it says nothing. */
  readonly status: 'enable' | 'disabled' | undefined
  readonly exit: Pick<Action<unknown>, 'step' | 'failure'>
  readonly onRevoke: () => void
}

/** The way out of One Click that needs nobody, a session neither: it is there unless the venue says that One Click is off. */
export function OneClickExit({ status, exit, onRevoke }: OneClickExitProps) {
  if (!connection.value || status === 'disabled') return null
  return (
    <Panel title={walletWords.oneClick}>
      <div class="stack">
        <p class="muted">{walletWords.revokeHint}</p>
        <div>
          <Button variant="danger" busy={exit.step.value !== null} onClick={onRevoke}>
            {walletWords.revoke}
          </Button>
        </div>
        {exit.failure.value && <Failure message={exit.failure.value} />}
      </div>
    </Panel>
  )
}
