import { signal } from '@preact/signals'
import { chainName, setup } from '../app-state.ts'
import { explain } from '../lib/explain.ts'
import { walletWords } from '../strings.ts'
import { Button } from '../ui/button.tsx'
import { toast } from '../ui/toast.tsx'
import { onWrongChain, switchToVenue } from './connection.ts'

const busy = signal(false)

async function change(): Promise<void> {
  busy.value = true
  await switchToVenue().catch((error: unknown) => toast('bad', explain(error)))
  busy.value = false
}

/** Says that the wallet is elsewhere, and brings it here. */
export function WrongChain() {
  const chain = setup.value
  if (!onWrongChain.value || !chain) return null
  return (
    <div class="notice wait" role="alert">
      <span>{walletWords.wrongChain(chainName(chain), chain.chainId)}</span>
      <Button variant="primary" size="small" busy={busy.value} onClick={() => void change()}>
        {walletWords.switchChain(chainName(chain))}
      </Button>
    </div>
  )
}
