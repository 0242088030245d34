import type { instrumentAbi } from '../../chain/abi/instrument.ts'
import type { EventArguments, EventHandlers, TypedEvent } from '../../chain/follow/event-handlers.ts'
import { abs } from '../../lib/bigints.ts'
import { mulWadUp } from '../../lib/wad.ts'
import { mulWad, ratioToWad, tradingFee } from '../maths/wad.ts'
import type { BlockChanges } from './block-changes.ts'
import { protocolFeeBpsOf } from './instruments.ts'
import { changePair } from './pairs.ts'

type Walk = Omit<EventArguments<typeof instrumentAbi, 'Sweep'>, 'operator'>

/** A walk along the curve and through the book: by its taker, or by a forced close for the account that it closes. */
function applyWalk(changes: BlockChanges, event: TypedEvent<Walk>, kind: 'market' | 'liquidation'): void {
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
  const amountWad = -(fees.tradeFeeWad + fees.protocolFeeWad)
  changes.moveInPair(event, 'fee', { trader, amountWad, expiry })
  changePair(changes, event.address, expiry, { sqrt_px96: sqrtPX96, mark_wad: mark })
}

/** What a taker pays (perp-protocol 3.5): one rounding up over both ratios; the protocol gets what the trading fee leaves. */
function takerFees(changes: BlockChanges, { address, args }: TypedEvent<Walk>) {
  const { entryNotional, feeRatio } = args
  const wholeWad = mulWadUp(entryNotional, ratioToWad(feeRatio + protocolFeeBpsOf(changes, address)))
  const tradeFeeWad = tradingFee(entryNotional, feeRatio)
  return { tradeFeeWad, protocolFeeWad: wholeWad - tradeFeeWad }
}

/** Trades, by their taker or forced. */
export const tradeHandlers: EventHandlers<typeof instrumentAbi, [changes: BlockChanges]> = {
  Trade: (changes, event) => applyWalk(changes, event, 'market'),
  Sweep: (changes, event) => applyWalk(changes, event, 'liquidation'),
  Liquidate(changes, event) {
    const { expiry, trader, mark, target, size } = event.args
    const notionalWad = mulWad(abs(size), mark)
    const common = { instrument: event.address, expiry, notionalWad, markWad: mark }
    changes.execute(event, { ...common, kind: 'liquidation', trader: target, sizeWad: -size })
    changes.execute(event, { ...common, kind: 'take_over', trader, sizeWad: size })
  },
}
