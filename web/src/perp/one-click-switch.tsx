import { Button } from '../ui/button.tsx'
import { Failure } from '../ui/loaded.tsx'
import { useDoing } from './actions.ts'
import { oneClick, oneClickOn, turnOff, turnOn } from './one-click.ts'
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
