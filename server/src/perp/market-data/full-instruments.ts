import { contractAddress } from '../../chain/deployment.ts'
import type { BlockInfo, Venue } from '../../http/product.ts'
import type { ListedInstrument } from '../listing/catalogue.ts'
import type { FullInstrument } from './instrument-full-view.ts'
import { type PairState, readPairs } from './pair-reader.ts'
import { readPriceSources } from './price-sources.ts'

/** An instrument with pairs of it, everything as of one block. Throws `RpcError`. */
export async function readFullInstrument(
  venue: Pick<Venue, 'rpc' | 'deployment'>,
  listed: ListedInstrument,
  expiries: readonly number[],
  block: BlockInfo,
): Promise<FullInstrument> {
  const pairs = expiries.map((expiry) => ({ instrument: listed.address, expiry }))
  const [states, [source]] = await Promise.all([
    readPairs(venue.rpc, contractAddress(venue.deployment, 'Observer'), pairs, block),
    readPriceSources(venue, [listed], block.height),
  ])
  if (!states[0] || !source) throw new Error(`nothing was read of ${listed.symbol}`)
  return { instrument: asOf(listed, states[0]), source, states, block }
}

/** An instrument with its settings as the pair's block has them. */
export function asOf(listed: ListedInstrument, { setting, condition }: PairState): ListedInstrument {
  const { initialMarginRatio, maintenanceMarginRatio, placePaused, fundingHour, disableOrderRebate, param } = setting
  const { minMarginAmount, tradingFeeRatio, protocolFeeRatio, tip, qtype } = param
  return {
    ...listed,
    initialMarginRatio,
    maintenanceMarginRatio,
    placePaused,
    fundingHour,
    disableOrderRebate,
    condition,
    minMarginAmount,
    tradingFeeRatio,
    protocolFeeRatio,
    tip,
    quoteType: qtype,
  }
}
