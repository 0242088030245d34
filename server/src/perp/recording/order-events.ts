import type { instrumentAbi } from '../../chain/abi/instrument.ts'
import type { EventArguments, EventHandlers, TypedEvent } from '../../chain/follow/event-handlers.ts'
import type { ChainBlock } from '../../chain/types.ts'
import type { Tx } from '../../db/pool.ts'
import { tickToPrice } from '../maths/tick.ts'
import { insertExecution } from './execution-store.ts'
import { insertPairMove } from './ledger-store.ts'
import { closeOrder, insertOrder } from './order-store.ts'

type End = EventArguments<typeof instrumentAbi, 'Cancel'>

/** An order that ends: what was taken of it becomes position, its rebate a fee received. */
async function applyEnd(tx: Tx, block: ChainBlock, event: TypedEvent<End>, tipWad: bigint): Promise<void> {
  const { expiry, trader, tick, nonce, fee: rebateWad, pic } = event.args
  const place = { instrument: event.address, expiry, trader, tick, nonce }
  const filled = { filledSizeWad: pic.size, filledNotionalWad: pic.entryNotional }
  await closeOrder(tx, block, event, { ...place, ...filled, rebateWad, tipWad })
  await insertExecution(tx, block, event, {
    ...{ kind: 'fill', instrument: event.address, expiry, trader },
    ...{ sizeWad: pic.size, notionalWad: pic.entryNotional, tradeFeeWad: -rebateWad },
  })
  await insertPairMove(tx, block, event, 'fee', { trader, amountWad: rebateWad, expiry })
  await insertPairMove(tx, block, event, 'tip', { trader, amountWad: -tipWad, expiry })
}

/** Limit orders. */
export const orderHandlers: EventHandlers<typeof instrumentAbi> = {
  async Place(tx, block, event) {
    const { expiry, trader, tick, nonce, order } = event.args
    const place = { instrument: event.address, expiry, trader, tick, nonce }
    const { size: sizeWad, balance: balanceWad } = order
    await insertOrder(tx, block, event, { ...place, sizeWad, balanceWad, priceWad: tickToPrice(tick) })
  },
  Cancel: (tx, block, event) => applyEnd(tx, block, event, 0n),
  Fill: (tx, block, event) => applyEnd(tx, block, event, event.args.tip),
}
