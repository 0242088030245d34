import type { instrumentAbi } from '../../chain/abi/instrument.ts'
import type { EventHandlers } from '../../chain/follow/event-handlers.ts'
import { abs } from '../../lib/bigints.ts'
import { mulWad } from '../maths/wad.ts'
import { takenPart } from './account-steps.ts'
import type { BlockChanges } from './block-changes.ts'

/** Settlements (perp-protocol 3.13): what the account's ranges, orders and position come to is closed at one price, without a fee. */
export const settlementHandlers: EventHandlers<typeof instrumentAbi, [changes: BlockChanges]> = {
  Settle(changes, event) {
    const { expiry, trader, settlement: priceWad } = event.args
    const account = { instrument: event.address, expiry, trader }
    const { size } = takenPart(changes, trader).part
    // Rounded as the contract rounds the value that it pays.
    const notionalWad = mulWad(priceWad, abs(size))
    changes.execute(event, { ...account, kind: 'settlement', sizeWad: -size, notionalWad, markWad: priceWad })
  },
}
