import { Button } from '../ui/button.tsx'
import { Failure } from '../ui/loaded.tsx'
import { Panel } from '../ui/panel.tsx'
import { connection } from '../wallet/connection.ts'
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

/** The way out that needs nobody, a session neither: it is there unless the venue says that One Click is off. */
export function OneClickExit() {
  const exit = useDoing('revoke One Click')
  if (!connection.value || oneClick.data.value?.status === 'disabled') return null
  return (
    <Panel title={words.oneClick}>
      <div class="stack">
        <p class="muted">{words.revokeOneClickHint}</p>
        <div>
          <Button
            variant="danger"
            busy={exit.step.value !== null}
            onClick={() => void exit.run(words.turnOffDone, revoke)}
          >
            {words.revokeOneClick}
          </Button>
        </div>
        {exit.failure.value && <Failure message={exit.failure.value} />}
      </div>
    </Panel>
  )
}
