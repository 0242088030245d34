import { signal } from '@preact/signals'
import { explain } from '../lib/explain.ts'
import { Button } from '../ui/button.tsx'
import { toast } from '../ui/toast.tsx'
import { oneClick, oneClickOn, revoke, turnOff, turnOn } from './one-click.ts'
import { words } from './strings.ts'
import { stockSession } from './venue.ts'

const busy = signal(false)

export async function runOneClick(act: () => Promise<string>): Promise<void> {
  busy.value = true
  try {
    toast('good', await act())
  } catch (error) {
    toast('bad', explain(error))
  }
  busy.value = false
}

const on = async () => ((await turnOn()) ? words.turnedOn : words.oneClickPending)
const off = async () => ((await turnOff()) ? words.turnedOff : words.oneClickEnding)
const end = async () => {
  await revoke()
  return words.turnedOff
}

/** One Click on and off, where orders are placed. */
export function OneClickSwitch() {
  if (!stockSession.session.value || !oneClick.data.value) return null
  const isOn = oneClickOn.value
  return (
    <Button size="small" busy={busy.value} aria-pressed={isOn} onClick={() => void runOneClick(isOn ? off : on)}>
      {words.oneClick}: {isOn ? words.on : words.off}
    </Button>
  )
}

/** The same with the way out that needs nobody. */
export function OneClickButtons() {
  if (!oneClickOn.value) {
    return (
      <Button variant="primary" busy={busy.value} onClick={() => void runOneClick(on)}>
        {words.turnOn}
      </Button>
    )
  }
  return (
    <div class="row">
      <Button busy={busy.value} onClick={() => void runOneClick(off)}>
        {words.turnOff}
      </Button>
      <Button variant="danger" busy={busy.value} onClick={() => void runOneClick(end)}>
        {words.revoke}
      </Button>
    </div>
  )
}
