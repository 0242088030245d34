import type { instrumentAbi } from '../../chain/abi/instrument.ts'
import type { EventHandlers } from '../../chain/follow/event-handlers.ts'
import { PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import { changeInstrument, changePair, deletePair, openPair } from './instrument-store.ts'

/** A signed 128-bit half of a word. */
const half = (word: bigint, shift: bigint): bigint => BigInt.asIntN(128, word >> shift)

/** The state of pairs, and what an instrument is set to. */
export const pairHandlers: EventHandlers<typeof instrumentAbi> = {
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
