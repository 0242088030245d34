import type { gateAbi } from '../../chain/abi/gate.ts'
import type { EventHandlers } from '../../chain/follow/event-handlers.ts'
import type { BlockChanges } from './block-changes.ts'

/** Gate: instruments that it creates, and money between wallets, reserves and pairs. */
export const gateHandlers: EventHandlers<typeof gateAbi, [changes: BlockChanges]> = {
  NewInstrument(changes, { args }) {
    const { instrument, base, quote, symbol, total } = args
    changes.instruments.name(instrument, { base, quote, symbol, ordinal: Number(total) - 1 })
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
    const grown = changes.setPending(token, trader, pending.amount, pending.timestamp)
    if (grown === 0n) return
    const [kind, moved] = grown > 0n ? (['request', grown] as const) : (['release', -grown] as const)
    changes.moveAtGate(event, kind, { trader, token, amountRaw: moved })
  },
}
