import type { instrumentAbi } from '../../chain/abi/instrument.ts'
import type { EventHandlers } from '../../chain/follow/event-handlers.ts'
import { PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import type { BlockChanges } from './block-changes.ts'

/** A signed 128-bit half of a word. */
const half = (word: bigint, shift: bigint): bigint => BigInt.asIntN(128, word >> shift)

/** The state of pairs, and what an instrument is set to. */
export const pairHandlers: EventHandlers<typeof instrumentAbi, [changes: BlockChanges]> = {
  // Pairs
  UpdateAmmStatus({ pairs }, { address, args }) {
    const { expiry, status, sqrtPX96, mark } = args
    pairs.open(address, expiry, { status, sqrtPX96, markWad: mark })
  },
  UpdateFeeState({ pairs }, { address, args }) {
    const { expiry, feeIndex, protocolFee } = args
    pairs.change(address, expiry, { feeIndex, protocolFeeWad: protocolFee })
  },
  UpdateFundingIndex({ pairs }, { address, args }) {
    // Funding is of perpetuals alone: short in the upper half of the word, long in the lower (perp-protocol 1.2).
    const { fundingIndex } = args
    const indices = { longFundingIndex: half(fundingIndex, 0n), shortFundingIndex: half(fundingIndex, 128n) }
    pairs.change(address, PERPETUAL_EXPIRY, indices)
  },
  UpdateSocialLossInsuranceFund({ pairs }, { address, args }) {
    const { expiry, longSocialLossIndex, shortSocialLossIndex, insuranceFund } = args
    pairs.change(address, expiry, { longSocialLossIndex, shortSocialLossIndex, insuranceFundWad: insuranceFund })
  },
  DeleteContext: ({ pairs }, { address, args }) => pairs.delete(address, args.expiry),

  // Settings
  UpdateCondition({ instruments }, { address, args }) {
    instruments.change(address, { condition: args.condition })
  },
  UpdateParam({ instruments }, { address, args }) {
    const { minMarginAmount, tradingFeeRatio, protocolFeeRatio, qtype, tip } = args.param
    instruments.change(address, {
      ...{ minMarginWad: minMarginAmount, tradingFeeBps: tradingFeeRatio, protocolFeeBps: protocolFeeRatio },
      ...{ quoteType: qtype, tipWad: tip },
    })
  },
  UpdateMarginRatio({ instruments }, { address, args }) {
    const { initialMarginRatio, maintenanceMarginRatio } = args
    instruments.change(address, { initialMarginBps: initialMarginRatio, maintenanceMarginBps: maintenanceMarginRatio })
  },
  UpdateFundingHour({ instruments }, { address, args }) {
    instruments.change(address, { fundingHour: args.fundingHour })
  },
}
