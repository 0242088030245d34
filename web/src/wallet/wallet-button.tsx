import { signal } from '@preact/signals'
import { explain } from '../lib/explain.ts'
import { shorten } from '../lib/format.ts'
import { common, walletWords } from '../strings.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Select } from '../ui/field.tsx'
import { Failure } from '../ui/loaded.tsx'
import { connect, connection, disconnect, switchAccount, wallets } from './connection.ts'
import type { AnnouncedWallet } from './eip1193.ts'
import './wallet-button.css'

const open = signal(false)
const failure = signal<string | null>(null)
const connecting = signal<string | null>(null)

/** Opens the choice of wallets, from wherever one is needed. */
export function chooseWallet(): void {
  failure.value = null
  open.value = true
}

async function choose(wallet: AnnouncedWallet): Promise<void> {
  connecting.value = wallet.info.uuid
  failure.value = null
  try {
    await connect(wallet)
    open.value = false
  } catch (error) {
    failure.value = explain(error)
  }
  connecting.value = null
}

export function WalletButton() {
  const current = connection.value
  return (
    <>
      <Button size="small" variant={current ? 'plain' : 'primary'} onClick={chooseWallet}>
        {current ? <code>{shorten(current.address)}</code> : walletWords.connect}
      </Button>
      {open.value && (
        <Dialog title={current ? walletWords.account : walletWords.chooseTitle} onClose={() => (open.value = false)}>
          {current ? <Account /> : <Choice />}
        </Dialog>
      )}
    </>
  )
}

function Choice() {
  return (
    <>
      <p class="muted">{walletWords.choose}</p>
      {failure.value && <Failure message={failure.value} />}
      {wallets.value.length === 0 && <p class="empty">{walletWords.none}</p>}
      <ul class="wallets">
        {wallets.value.map((wallet) => (
          <li key={wallet.info.uuid}>
            <Button size="wide" busy={connecting.value === wallet.info.uuid} onClick={() => void choose(wallet)}>
              <img src={wallet.info.icon} alt="" width={20} height={20} />
              {wallet.info.name}
            </Button>
          </li>
        ))}
      </ul>
    </>
  )
}

function Account() {
  const current = connection.value
  if (!current) return null
  const leave = () => {
    disconnect()
    open.value = false
  }
  return (
    <>
      <p>
        {current.wallet.info.name}: <code class="wrap-anywhere">{current.address}</code>
      </p>
      {current.accounts.length > 1 && (
        <Select
          label={walletWords.account}
          value={current.address}
          options={current.accounts.map((one, index) => ({
            value: one,
            label: `${walletWords.accountNumber(index + 1)} · ${shorten(one)}`,
          }))}
          onChange={switchAccount}
        />
      )}
      <div class="dialog-actions">
        <Button onClick={leave}>{walletWords.disconnect}</Button>
        <Button variant="primary" onClick={() => (open.value = false)}>
          {common.close}
        </Button>
      </div>
    </>
  )
}
