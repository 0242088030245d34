import { useEffect } from 'preact/hooks'
import { Button } from '../ui/button.tsx'
import { Failure } from '../ui/loaded.tsx'
import { OneClickExit } from '../wallet/one-click-exit.tsx'
import { useDoing } from './actions.ts'
import { oneClick, oneClickOn, revoke, turnOff, turnOn } from './one-click.ts'
import { words } from './strings.ts'
import { trading } from './venue.ts'

export function OneClickSwitch() {
  const doing = useDoing('One Click')
  if (!trading.value || !oneClick.data.value) return null
  const on = oneClickOn.value
  const change = () => doing.run(on ? words.turnOffDone : words.turnOnDone, () => (on ? turnOff() : turnOn()))
  return (
    <>
      <Button
        size="small"
        role="switch"
        aria-checked={on}
        title={words.oneClickHint}
        busy={doing.step.value !== null}
        onClick={() => void change()}
      >
        <span class={on ? 'perp-light on' : 'perp-light'} aria-hidden="true" />
        {words.oneClick}
      </Button>
      {doing.failure.value && <Failure message={doing.failure.value} />}
    </>
  )
}

/** How old what is known of it may be: another page may have turned it on, and the chain may have been slow. */
const EVERY_MS = 20_000

/** The way out of it that needs nobody. */
export function PerpOneClickExit() {
  useEffect(() => {
    const ask = () => document.hidden || (trading.peek() && void oneClick.refresh())
    ask()
    const timer = setInterval(ask, EVERY_MS)
    return () => clearInterval(timer)
  }, [])
  const exit = useDoing('revoke One Click')
  const end = () => void exit.run(words.turnOffDone, revoke)
  return <OneClickExit status={oneClick.data.value?.status} exit={exit} onRevoke={end} />
}
