import type { instrumentAbi } from '../../chain/abi/instrument.ts'
import type { EventHandlers } from '../../chain/follow/event-handlers.ts'
import { PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import { sqrtToPrice } from '../maths/tick.ts'
import { deleteRange, insertLiquidityEvent, insertRange, upsertPosition } from './account-store.ts'
import { insertExecution } from './execution-store.ts'
import { pairPriceX96 } from './instrument-store.ts'
import { insertPairMove } from './ledger-store.ts'

/** Positions, their funding, and ranges of liquidity. */
export const accountHandlers: EventHandlers<typeof instrumentAbi> = {
  async UpdatePosition(tx, block, event) {
    const { expiry, trader, pic } = event.args
    await upsertPosition(tx, block, event, { instrument: event.address, expiry, trader }, pic)
  },
  async FundingFee(tx, block, event) {
    const { trader, funding: amountWad } = event.args
    // Perpetuals alone have funding: the event names no pair.
    await insertPairMove(tx, block, event, 'funding', { trader, amountWad, expiry: PERPETUAL_EXPIRY })
  },
  async Add(tx, block, event) {
    const { expiry, trader, tickLower, tickUpper, range } = event.args
    const place = { instrument: event.address, expiry, trader, tickLower, tickUpper }
    await insertRange(tx, block, event, place, range)
    await insertLiquidityEvent(tx, block, event, {
      ...{ ...place, kind: 'add', amountWad: range.balance, feeWad: 0n, tipWad: 0n },
      fairPriceWad: sqrtToPrice(range.sqrtEntryPX96),
    })
  },
  async Remove(tx, block, event) {
    const { expiry, trader, tickLower, tickUpper, fee: feeWad, pic, tip: tipWad } = event.args
    const place = { instrument: event.address, expiry, trader, tickLower, tickUpper }
    const fairPriceWad = sqrtToPrice(await pairPriceX96(tx, block.chainId, event.address, expiry))
    await deleteRange(tx, block, place)
    const removed = { amountWad: pic.balance, feeWad, tipWad, fairPriceWad }
    await insertLiquidityEvent(tx, block, event, { ...place, kind: 'remove', ...removed })
    await insertExecution(tx, block, event, {
      ...{ kind: 'range', instrument: event.address, expiry, trader },
      ...{ sizeWad: pic.size, notionalWad: pic.entryNotional },
    })
    await insertPairMove(tx, block, event, 'fee', { trader, amountWad: feeWad, expiry })
    await insertPairMove(tx, block, event, 'tip', { trader, amountWad: -tipWad, expiry })
  },
}
