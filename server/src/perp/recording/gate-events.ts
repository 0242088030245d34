import type { gateAbi } from '../../chain/abi/gate.ts'
import type { EventHandlers } from '../../chain/follow/event-handlers.ts'
import { nameInstrument } from './instrument-store.ts'
import { insertGateMove, setPending } from './ledger-store.ts'

/** Gate: instruments that it creates, and money between wallets, reserves and pairs. */
export const gateHandlers: EventHandlers<typeof gateAbi> = {
  async NewInstrument(tx, block, event) {
    const { instrument, base, quote, symbol, total } = event.args
    await nameInstrument(tx, block, { instrument, base, quote, symbol, ordinal: Number(total) - 1 })
  },
  async Deposit(tx, block, event) {
    const { quote: token, trader, quantity: amountRaw } = event.args
    await insertGateMove(tx, block, event, 'deposit', { trader, token, amountRaw })
  },
  async Withdraw(tx, block, event) {
    const { quote: token, trader, quantity: amountRaw } = event.args
    await insertGateMove(tx, block, event, 'withdraw', { trader, token, amountRaw })
  },
  async Scatter(tx, block, event) {
    const { quote: token, trader, instrument, expiry, quantity: amountRaw } = event.args
    await insertGateMove(tx, block, event, 'scatter', { trader, token, amountRaw }, { instrument, expiry })
  },
  async Gather(tx, block, event) {
    const { quote: token, trader, instrument, expiry, quantity: amountRaw } = event.args
    await insertGateMove(tx, block, event, 'gather', { trader, token, amountRaw }, { instrument, expiry })
  },
  async UpdatePending(tx, block, event) {
    const { quote: token, trader, pending } = event.args
    const { amount: amountRaw, timestamp: sinceSec } = pending
    const grown = await setPending(tx, block, { token, trader, amountRaw, sinceSec })
    if (grown === 0n) return
    const [kind, moved] = grown > 0n ? (['request', grown] as const) : (['release', -grown] as const)
    await insertGateMove(tx, block, event, kind, { trader, token, amountRaw: moved })
  },
}
