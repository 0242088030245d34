import type { instrumentAbi } from '../../chain/abi/instrument.ts'
import type { EventArguments, EventHandlers, TypedEvent } from '../../chain/follow/event-handlers.ts'
import { tickToPrice } from '../maths/tick.ts'
import { joinPosition, type Tip } from './account-steps.ts'
import type { BlockChanges } from './block-changes.ts'

type End = EventArguments<typeof instrumentAbi, 'Cancel'>

/** An order that ends: what was taken of it becomes position, its rebate a fee received. */
function applyEnd(changes: BlockChanges, event: TypedEvent<End>, tip: Tip | null): void {
  const tipWad = tip?.tipWad ?? 0n
  const { expiry, trader, tick, nonce, fee: rebateWad, pic } = event.args
  const place = { instrument: event.address, expiry, trader, tick, nonce }
  const filled = { filledSizeWad: pic.size, filledNotionalWad: pic.entryNotional }
  changes.orders.end(changes.block, event, { ...place, ...filled, rebateWad, tipWad })
  changes.execute(event, {
    kind: 'fill',
    instrument: event.address,
    expiry,
    trader,
    sizeWad: pic.size,
    notionalWad: pic.entryNotional,
    tradeFeeWad: -rebateWad,
  })
  changes.moveInPair(event, 'fee', { trader, amountWad: rebateWad, expiry })
  changes.moveInPair(event, 'tip', { trader, amountWad: -tipWad, expiry })
  joinPosition(changes, event, tip)
}

/** Limit orders. */
export const orderHandlers: EventHandlers<typeof instrumentAbi, [changes: BlockChanges]> = {
  Place(changes, event) {
    const { expiry, trader, tick, nonce, order } = event.args
    const place = { instrument: event.address, expiry, trader, tick, nonce }
    const { size: sizeWad, balance: balanceWad } = order
    changes.orders.open(changes.block, event, { ...place, sizeWad, balanceWad, priceWad: tickToPrice(tick) })
  },
  Cancel: (changes, event) => applyEnd(changes, event, null),
  Fill(changes, event) {
    const { operator, tip: tipWad } = event.args
    applyEnd(changes, event, { operator, tipWad })
  },
}
