import { useAction } from '../lib/action.ts'
import type { Message } from '../lib/message.ts'
import { walletWords } from '../strings.ts'
import { Button } from '../ui/button.tsx'
import { Failure } from '../ui/loaded.tsx'
import { address } from '../wallet/connection.ts'
import { OneClickExit } from '../wallet/one-click-exit.tsx'
import { tellOf } from '../wallet/tell.ts'
import { oneClick, oneClickOn, revoke, turnOff, turnOn } from './one-click.ts'
import { words } from './strings.ts'
import { noteChange, stockSession } from './venue.ts'

/** Something that the connected wallet asks for, which keeps no other account waiting. */
const useChange = (what: string) =>
  useAction<'asking'>(`stock ${address.value} ${what}`, {
    first: 'asking',
    done: (what) => what,
    tell: tellOf(address.value),
    changed: noteChange,
  })

const on = async (): Promise<Message> =>
  (await turnOn()) ? { kind: 'good', text: words.turnedOn } : { kind: 'info', text: words.oneClickPending }
const off = async (): Promise<Message> =>
  (await turnOff()) ? { kind: 'good', text: words.turnedOff } : { kind: 'info', text: words.oneClickEnding }
const end = async (): Promise<Message> => {
  await revoke()
  return { kind: 'good', text: words.turnedOff }
}

/** One Click on and off, where orders are placed. */
export function OneClickSwitch() {
  const { run, step, failure } = useChange(words.oneClick)
  if (!stockSession.session.value || !oneClick.data.value) return null
  const isOn = oneClickOn.value
  return (
    <>
      <Button
        size="small"
        busy={step.value !== null}
        aria-pressed={isOn}
        onClick={() => void run(words.oneClick, isOn ? off : on)}
      >
        {words.oneClick}: {isOn ? words.on : words.off}
      </Button>
      {failure.value && <Failure message={failure.value} />}
    </>
  )
}

/** The same as a button of a page. */
export function OneClickButton() {
  const change = useChange(words.oneClick)
  const isBusy = change.step.value !== null
  return (
    <>
      <div>
        {oneClickOn.value ? (
          <Button busy={isBusy} onClick={() => void change.run(words.oneClick, off)}>
            {words.turnOff}
          </Button>
        ) : (
          <Button variant="primary" busy={isBusy} onClick={() => void change.run(words.oneClick, on)}>
            {words.turnOn}
          </Button>
        )}
      </div>
      {change.failure.value && <Failure message={change.failure.value} />}
    </>
  )
}

/** The way out that needs nobody, and so waits for nobody: neither is the other one's `busy`. */
export function StockOneClickExit() {
  const exit = useChange(walletWords.revoke)
  const revoked = () => void exit.run(walletWords.revoke, end)
  return <OneClickExit status={oneClick.data.value?.status} exit={exit} onRevoke={revoked} />
}
