import type { instrumentAbi } from '../../chain/abi/instrument.ts'
import type { EventHandlers } from '../../chain/follow/event-handlers.ts'
import { PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import { sqrtToPrice } from '../maths/tick.ts'
import { joinPosition, storePosition } from './account-steps.ts'
import { addRange, removeRange } from './accounts.ts'
import type { BlockChanges } from './block-changes.ts'
import { pairOf } from './pairs.ts'

/** Positions, their funding, and ranges of liquidity. */
export const accountHandlers: EventHandlers<typeof instrumentAbi, [changes: BlockChanges]> = {
  UpdatePosition: storePosition,
  FundingFee(changes, event) {
    const { trader, funding: amountWad } = event.args
    // Perpetuals alone have funding: the event names no pair.
    changes.moveInPair(event, 'funding', { trader, amountWad, expiry: PERPETUAL_EXPIRY })
  },
  Add(changes, event) {
    const { expiry, trader, tickLower, tickUpper, range } = event.args
    const place = { instrument: event.address, expiry, trader, tickLower, tickUpper }
    addRange(changes, event, place, range)
    changes.changeLiquidity(event, {
      ...place,
      kind: 'add',
      amountWad: range.balance,
      feeWad: 0n,
      tipWad: 0n,
      fairPriceWad: sqrtToPrice(range.sqrtEntryPX96),
    })
  },
  Remove(changes, event) {
    const { expiry, trader, tickLower, tickUpper, fee: feeWad, pic, operator, tip: tipWad } = event.args
    const place = { instrument: event.address, expiry, trader, tickLower, tickUpper }
    const fairPriceWad = sqrtToPrice(pairOf(changes, event.address, expiry).sqrt_px96)
    removeRange(changes, place)
    changes.changeLiquidity(event, { ...place, kind: 'remove', amountWad: pic.balance, feeWad, tipWad, fairPriceWad })
    changes.execute(event, {
      kind: 'range',
      instrument: event.address,
      expiry,
      trader,
      sizeWad: pic.size,
      notionalWad: pic.entryNotional,
    })
    changes.moveInPair(event, 'fee', { trader, amountWad: feeWad, expiry })
    changes.moveInPair(event, 'tip', { trader, amountWad: -tipWad, expiry })
    joinPosition(changes, event, { operator, tipWad })
  },
}
