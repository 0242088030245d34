import type { instrumentAbi } from '../../chain/abi/instrument.ts'
import type { EventArguments, EventHandlers, TypedEvent } from '../../chain/follow/event-handlers.ts'
import type { ChainBlock } from '../../chain/types.ts'
import type { Tx } from '../../db/pool.ts'
import { mulWadDown, mulWadNearest, mulWadUp, WAD } from '../../lib/wad.ts'
import { PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import { insertExecution } from './execution-store.ts'
import { changeInstrument, changePair, deletePair, feeRatiosOf, openPair } from './instrument-store.ts'

type InstrumentAbi = typeof instrumentAbi
type Walk = Omit<EventArguments<InstrumentAbi, 'Sweep'>, 'operator'>
type Exit = Pick<EventArguments<InstrumentAbi, 'Cancel'>, 'expiry' | 'trader' | 'pic'>

const BPS_WAD = WAD / 10_000n
const absolute = (amount: bigint): bigint => (amount < 0n ? -amount : amount)

/** What a taker pays (perp-protocol 3.5): one rounding up over both ratios; the protocol gets what the trading fee leaves. */
async function takerFees(tx: Tx, block: ChainBlock, event: TypedEvent<Walk>) {
  const { entryNotional, feeRatio } = event.args
  const { protocolFeeBps } = await feeRatiosOf(tx, block.chainId, event.address)
  const wholeWad = mulWadUp(entryNotional, BigInt(feeRatio + protocolFeeBps) * BPS_WAD)
  const tradeFeeWad = mulWadDown(entryNotional, BigInt(feeRatio) * BPS_WAD)
  return { tradeFeeWad, protocolFeeWad: wholeWad - tradeFeeWad }
}

/** A walk along the curve and through the book: by its taker, or by a forced close for the account that it closes. */
async function applyWalk(
  tx: Tx,
  block: ChainBlock,
  event: TypedEvent<Walk>,
  kind: 'market' | 'liquidation',
): Promise<void> {
  const { expiry, trader, size, takenSize, takenValue, entryNotional, sqrtPX96, mark } = event.args
  await insertExecution(tx, block, event, {
    ...{ kind, instrument: event.address, expiry, trader, sizeWad: size, notionalWad: entryNotional },
    ...{ takenSizeWad: absolute(takenSize), takenNotionalWad: takenValue, markWad: mark, sqrtPX96 },
    ...(await takerFees(tx, block, event)),
  })
  await changePair(tx, block, event.address, expiry, { sqrtPX96, markWad: mark })
}

/** What an order or a range that ends turns into; of an order its rebate is a fee received. */
async function applyExit(
  tx: Tx,
  block: ChainBlock,
  event: TypedEvent<Exit>,
  kind: 'fill' | 'range',
  rebateWad: bigint,
): Promise<void> {
  const { expiry, trader, pic } = event.args
  const { size: sizeWad, entryNotional: notionalWad } = pic
  const execution = { kind, instrument: event.address, expiry, trader, sizeWad, notionalWad }
  await insertExecution(tx, block, event, { ...execution, tradeFeeWad: -rebateWad })
}

/** A signed 128-bit half of a word. */
const half = (word: bigint, shift: bigint): bigint => BigInt.asIntN(128, word >> shift)

/** Events of every instrument: trades, and the state of its pairs. */
export const instrumentHandlers: EventHandlers<InstrumentAbi> = {
  // Trades
  Trade: (tx, block, event) => applyWalk(tx, block, event, 'market'),
  Sweep: (tx, block, event) => applyWalk(tx, block, event, 'liquidation'),
  Fill: (tx, block, event) => applyExit(tx, block, event, 'fill', event.args.fee),
  Cancel: (tx, block, event) => applyExit(tx, block, event, 'fill', event.args.fee),
  Remove: (tx, block, event) => applyExit(tx, block, event, 'range', 0n),
  async Liquidate(tx, block, event) {
    const { expiry, trader, mark, target, size } = event.args
    const notionalWad = mulWadNearest(absolute(size), mark)
    const common = { instrument: event.address, expiry, notionalWad, markWad: mark }
    await insertExecution(tx, block, event, { ...common, kind: 'liquidation', trader: target, sizeWad: -size })
    await insertExecution(tx, block, event, { ...common, kind: 'take_over', trader, sizeWad: size })
  },

  // Pairs
  async UpdateAmmStatus(tx, block, event) {
    const { expiry, status, sqrtPX96, mark } = event.args
    await openPair(tx, block, event.address, expiry, { status, sqrtPX96, markWad: mark })
  },
  async UpdateFeeState(tx, block, event) {
    const { expiry, feeIndex, protocolFee } = event.args
    await changePair(tx, block, event.address, expiry, { feeIndex, protocolFeeWad: protocolFee })
  },
  async UpdateFundingIndex(tx, block, event) {
    // Funding is of perpetuals alone: short in the upper half of the word, long in the lower (perp-protocol 1.2).
    const { fundingIndex } = event.args
    const indices = { longFundingIndex: half(fundingIndex, 0n), shortFundingIndex: half(fundingIndex, 128n) }
    await changePair(tx, block, event.address, PERPETUAL_EXPIRY, indices)
  },
  async UpdateSocialLossInsuranceFund(tx, block, event) {
    const { expiry, longSocialLossIndex, shortSocialLossIndex, insuranceFund } = event.args
    const change = { longSocialLossIndex, shortSocialLossIndex, insuranceFundWad: insuranceFund }
    await changePair(tx, block, event.address, expiry, change)
  },
  DeleteContext: (tx, block, event) => deletePair(tx, block, event.address, event.args.expiry),

  // Settings
  async UpdateCondition(tx, block, event) {
    await changeInstrument(tx, block, event.address, { condition: event.args.condition })
  },
  async UpdateParam(tx, block, event) {
    const { minMarginAmount, tradingFeeRatio, protocolFeeRatio, qtype, tip } = event.args.param
    await changeInstrument(tx, block, event.address, {
      param: {
        ...{ minMarginWad: minMarginAmount, tradingFeeBps: tradingFeeRatio, protocolFeeBps: protocolFeeRatio },
        ...{ quoteType: qtype, tipWad: tip },
      },
    })
  },
  async UpdateMarginRatio(tx, block, event) {
    const { initialMarginRatio, maintenanceMarginRatio } = event.args
    const margins = { initialBps: initialMarginRatio, maintenanceBps: maintenanceMarginRatio }
    await changeInstrument(tx, block, event.address, { margins })
  },
  async UpdateFundingHour(tx, block, event) {
    await changeInstrument(tx, block, event.address, { fundingHour: event.args.fundingHour })
  },
}
