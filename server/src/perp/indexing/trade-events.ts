import type { instrumentAbi } from '../../chain/abi/instrument.ts'
import type { EventArguments, EventHandlers, TypedEvent } from '../../chain/follow/event-handlers.ts'
import { abs, max } from '../../lib/bigints.ts'
import { mulWadUp } from '../../lib/wad.ts'
import { pricePnl } from '../maths/position.ts'
import { mulWad, ratioToWad, tradingFee } from '../maths/wad.ts'
import { takenPart } from './account-steps.ts'
import type { BlockChanges } from './block-changes.ts'
import { protocolFeeBpsOf } from './instruments.ts'
import { changePair } from './pairs.ts'

type Walk = Omit<EventArguments<typeof instrumentAbi, 'Sweep'>, 'operator'>

/**
 * A walk along the curve and through the book: by its taker, or by a forced close for the account that it closes. Returns what was paid
 * for it, WAD.
 */
function applyWalk(changes: BlockChanges, event: TypedEvent<Walk>, kind: 'market' | 'liquidation'): bigint {
  const { expiry, trader, size, takenSize, takenValue, entryNotional, sqrtPX96, mark } = event.args
  const fees = takerFees(changes, event)
  changes.execute(event, {
    kind,
    instrument: event.address,
    expiry,
    trader,
    sizeWad: size,
    notionalWad: entryNotional,
    takenSizeWad: abs(takenSize),
    takenNotionalWad: takenValue,
    markWad: mark,
    sqrtPX96,
    ...fees,
  })
  const paidWad = fees.tradeFeeWad + fees.protocolFeeWad
  changes.moveInPair(event, 'fee', { trader, amountWad: -paidWad, expiry })
  changePair(changes, event.address, expiry, { sqrt_px96: sqrtPX96, mark_wad: mark })
  return paidWad
}

/** What a taker pays (perp-protocol 3.5): one rounding up over both ratios; the protocol gets what the trading fee leaves. */
function takerFees(changes: BlockChanges, { address, args }: TypedEvent<Walk>) {
  const { entryNotional, feeRatio } = args
  const wholeWad = mulWadUp(entryNotional, ratioToWad(feeRatio + protocolFeeBpsOf(changes, address)))
  const tradeFeeWad = tradingFee(entryNotional, feeRatio)
  return { tradeFeeWad, protocolFeeWad: wholeWad - tradeFeeWad }
}

/** What a forced close leaves of the part that it closed goes to the insurance fund, or is forgiven (perp-protocol 3.12). */
function confiscate(changes: BlockChanges, event: TypedEvent<Walk>, paidWad: bigint): void {
  const { expiry, trader, entryNotional } = event.args
  const { part, event: stored } = takenPart(changes, trader)
  const gain = part.size > 0n ? entryNotional - part.entryNotional : part.entryNotional - entryNotional
  const amountWad = -(part.balance + gain - paidWad)
  changes.moveInPair(stored, 'liquidation', { trader, amountWad, expiry })
}

/** The equity of a part that is taken over at the mark goes with it; a debt stays behind and is forgiven (perp-protocol 3.12). */
function handOver(changes: BlockChanges, event: TypedEvent<EventArguments<typeof instrumentAbi, 'Liquidate'>>): void {
  const { expiry, trader, target, mark } = event.args
  const { part, event: stored } = takenPart(changes, target)
  const equityWad = part.balance + pricePnl(part, mark)
  // A movement is known by its event and kind: the target's stands at the event that took the part off it.
  changes.moveInPair(stored, 'liquidation', { trader: target, amountWad: -equityWad, expiry })
  changes.moveInPair(event, 'liquidation', { trader, amountWad: max(0n, equityWad), expiry })
}

/** Trades, by their taker or forced. */
export const tradeHandlers: EventHandlers<typeof instrumentAbi, [changes: BlockChanges]> = {
  Trade(changes, event) {
    applyWalk(changes, event, 'market')
  },
  Sweep(changes, event) {
    confiscate(changes, event, applyWalk(changes, event, 'liquidation'))
  },
  Liquidate(changes, event) {
    const { expiry, trader, mark, target, size } = event.args
    const notionalWad = mulWad(abs(size), mark)
    const common = { instrument: event.address, expiry, notionalWad, markWad: mark }
    changes.execute(event, { ...common, kind: 'liquidation', trader: target, sizeWad: -size })
    changes.execute(event, { ...common, kind: 'take_over', trader, sizeWad: size })
    handOver(changes, event)
  },
}
