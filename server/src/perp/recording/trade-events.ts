import type { instrumentAbi } from '../../chain/abi/instrument.ts'
import type { EventArguments, EventHandlers, TypedEvent } from '../../chain/follow/event-handlers.ts'
import type { ChainBlock } from '../../chain/types.ts'
import type { Tx } from '../../db/pool.ts'
import { abs } from '../../lib/bigints.ts'
import { mulWadDown, mulWadUp } from '../../lib/wad.ts'
import { mulWad, ratioToWad } from '../maths/wad.ts'
import { insertExecution } from './execution-store.ts'
import { changePair, feeRatiosOf } from './instrument-store.ts'
import { insertPairMove } from './ledger-store.ts'

type Walk = Omit<EventArguments<typeof instrumentAbi, 'Sweep'>, 'operator'>

/** A walk along the curve and through the book: by its taker, or by a forced close for the account that it closes. */
async function applyWalk(
  tx: Tx,
  block: ChainBlock,
  event: TypedEvent<Walk>,
  kind: 'market' | 'liquidation',
): Promise<void> {
  const { expiry, trader, size, takenSize, takenValue, entryNotional, sqrtPX96, mark } = event.args
  const fees = await takerFees(tx, block, event)
  await insertExecution(tx, block, event, {
    ...{ kind, instrument: event.address, expiry, trader, sizeWad: size, notionalWad: entryNotional },
    ...{ takenSizeWad: abs(takenSize), takenNotionalWad: takenValue, markWad: mark, sqrtPX96 },
    ...fees,
  })
  const amountWad = -(fees.tradeFeeWad + fees.protocolFeeWad)
  await insertPairMove(tx, block, event, 'fee', { trader, amountWad, expiry })
  await changePair(tx, block, event.address, expiry, { sqrtPX96, markWad: mark })
}

/** What a taker pays (perp-protocol 3.5): one rounding up over both ratios; the protocol gets what the trading fee leaves. */
async function takerFees(tx: Tx, block: ChainBlock, event: TypedEvent<Walk>) {
  const { entryNotional, feeRatio } = event.args
  const { protocolFeeBps } = await feeRatiosOf(tx, block.chainId, event.address)
  const wholeWad = mulWadUp(entryNotional, ratioToWad(feeRatio + protocolFeeBps))
  const tradeFeeWad = mulWadDown(entryNotional, ratioToWad(feeRatio))
  return { tradeFeeWad, protocolFeeWad: wholeWad - tradeFeeWad }
}

/** Trades, by their taker or forced. */
export const tradeHandlers: EventHandlers<typeof instrumentAbi> = {
  Trade: (tx, block, event) => applyWalk(tx, block, event, 'market'),
  Sweep: (tx, block, event) => applyWalk(tx, block, event, 'liquidation'),
  async Liquidate(tx, block, event) {
    const { expiry, trader, mark, target, size } = event.args
    const notionalWad = mulWad(abs(size), mark)
    const common = { instrument: event.address, expiry, notionalWad, markWad: mark }
    await insertExecution(tx, block, event, { ...common, kind: 'liquidation', trader: target, sizeWad: -size })
    await insertExecution(tx, block, event, { ...common, kind: 'take_over', trader, sizeWad: size })
  },
}
