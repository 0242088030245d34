import type { gateAbi } from '../../chain/abi/gate.ts'
import type { EventHandlers } from '../../chain/follow/event-handlers.ts'
import { setPending } from './accounts.ts'
import type { BlockChanges } from './block-changes.ts'
import { changeInstrument } from './instruments.ts'

/** Gate: instruments that it creates, and money between wallets, reserves and pairs. */
export const gateHandlers: EventHandlers<typeof gateAbi, [changes: BlockChanges]> = {
  NewInstrument(changes, { args }) {
    const { instrument, base, quote, symbol, total } = args
    const at = { ordinal: Number(total) - 1, created_at_sec: changes.block.timestampSec }
    changeInstrument(changes, instrument, { base, quote, symbol, ...at })
  },
  Deposit(changes, event) {
    const { quote: token, trader, quantity: amountRaw } = event.args
    changes.moveAtGate(event, 'deposit', { trader, token, amountRaw })
  },
  Withdraw(changes, event) {
    const { quote: token, trader, quantity: amountRaw } = event.args
    changes.moveAtGate(event, 'withdraw', { trader, token, amountRaw })
  },
  Scatter(changes, event) {
    const { quote: token, trader, instrument, expiry, quantity: amountRaw } = event.args
    changes.moveAtGate(event, 'scatter', { trader, token, amountRaw }, { instrument, expiry })
  },
  Gather(changes, event) {
    const { quote: token, trader, instrument, expiry, quantity: amountRaw } = event.args
    changes.moveAtGate(event, 'gather', { trader, token, amountRaw }, { instrument, expiry })
  },
  UpdatePending(changes, event) {
    const { quote: token, trader, pending } = event.args
    const { amount: amountRaw, timestamp: sinceSec } = pending
    const grown = setPending(changes, { token, trader, amountRaw, sinceSec })
    if (grown === 0n) return
    const [kind, moved] = grown > 0n ? (['request', grown] as const) : (['release', -grown] as const)
    changes.moveAtGate(event, kind, { trader, token, amountRaw: moved })
  },
}
