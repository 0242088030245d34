import type { instrumentAbi } from '../../chain/abi/instrument.ts'
import type { EventHandlers } from '../../chain/follow/event-handlers.ts'
import { PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import { noteSpread } from './account-steps.ts'
import type { BlockChanges } from './block-changes.ts'
import { changeInstrument } from './instruments.ts'
import { changePair, deletePair, openPair } from './pairs.ts'

/** A signed 128-bit half of a word. */
const half = (word: bigint, shift: bigint): bigint => BigInt.asIntN(128, word >> shift)

/** The state of pairs, and what an instrument is set to. */
export const pairHandlers: EventHandlers<typeof instrumentAbi, [changes: BlockChanges]> = {
  // Pairs
  UpdateAmmStatus(changes, { address, args }) {
    openPair(changes, address, args.expiry, { status: args.status, sqrt_px96: args.sqrtPX96, mark_wad: args.mark })
  },
  UpdateFeeState(changes, { address, args }) {
    changePair(changes, address, args.expiry, { fee_index: args.feeIndex, protocol_fee_wad: args.protocolFee })
  },
  UpdateFundingIndex(changes, { address, args }) {
    // Funding is of perpetuals alone: short in the upper half of the word, long in the lower (perp-protocol 1.2).
    const { fundingIndex } = args
    const indices = { long_funding_index: half(fundingIndex, 0n), short_funding_index: half(fundingIndex, 128n) }
    changePair(changes, address, PERPETUAL_EXPIRY, indices)
  },
  UpdateSocialLossInsuranceFund(changes, event) {
    const { address, args } = event
    noteSpread(changes, event)
    changePair(changes, address, args.expiry, {
      long_social_loss_index: args.longSocialLossIndex,
      short_social_loss_index: args.shortSocialLossIndex,
      insurance_fund_wad: args.insuranceFund,
    })
  },
  DeleteContext: (changes, { address, args }) => deletePair(changes, address, args.expiry),

  // Settings
  UpdateCondition(changes, { address, args }) {
    changeInstrument(changes, address, { condition: args.condition })
  },
  UpdateParam(changes, { address, args }) {
    const { minMarginAmount, tradingFeeRatio, protocolFeeRatio, qtype, tip } = args.param
    changeInstrument(changes, address, {
      min_margin_wad: minMarginAmount,
      trading_fee_bps: tradingFeeRatio,
      protocol_fee_bps: protocolFeeRatio,
      quote_type: qtype,
      tip_wad: tip,
    })
  },
  UpdateMarginRatio(changes, { address, args }) {
    changeInstrument(changes, address, {
      initial_margin_bps: args.initialMarginRatio,
      maintenance_margin_bps: args.maintenanceMarginRatio,
    })
  },
  UpdateFundingHour(changes, { address, args }) {
    changeInstrument(changes, address, { funding_hour: args.fundingHour })
  },
}
