import { walletWords } from '../strings.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Facts } from '../ui/facts.tsx'
import { asked, type Shown } from './guard.ts'
import './confirm-dialog.css'

/** Shows what is about to be signed, whenever something is. */
export function ConfirmDialog() {
  const question = asked.value
  if (!question) return null
  return (
    <Dialog title={walletWords.confirmTitle} onClose={() => question.answer(false)}>
      <p class="muted">{walletWords.confirmLead}</p>
      <Details shown={question.shown} />
      <div class="dialog-actions">
        <Button onClick={() => question.answer(false)}>{walletWords.cancelSigning}</Button>
        <Button variant="primary" onClick={() => question.answer(true)}>
          {walletWords.continue}
        </Button>
      </div>
    </Dialog>
  )
}

function Details({ shown }: { readonly shown: Shown }) {
  const { chain, account, target, call, meaning, args, value, text } = shown
  return (
    <>
      {meaning.length > 0 && (
        <div class="call-args">
          <h3>{walletWords.meaning}</h3>
          <Facts facts={meaning.map(([name, one]) => [name, <strong key={name}>{one}</strong>] as const)} />
        </div>
      )}
      <Facts
        facts={[
          [walletWords.account, account && <code>{account}</code>],
          [walletWords.chain, chain],
          [walletWords.target, target && <Target {...target} />],
          [walletWords.call, call && <code>{call}</code>],
          [walletWords.value, value === '0' ? null : `${value} wei`],
        ]}
      />
      {args.length > 0 && (
        <div class="call-args">
          <h3>{walletWords.arguments}</h3>
          <Facts facts={args.map(([name, one]) => [name, <code key={name}>{one}</code>] as const)} />
        </div>
      )}
      {text !== null && (
        <div class="call-args">
          <h3>{walletWords.text}</h3>
          <pre class="signed-text">{text}</pre>
        </div>
      )}
    </>
  )
}

function Target({ name, address }: { readonly name: string; readonly address: string }) {
  return (
    <>
      {name} <code class="muted">{address}</code>
    </>
  )
}
