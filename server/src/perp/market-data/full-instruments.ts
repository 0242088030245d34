import { instrumentAbi } from '../../chain/abi/instrument.ts'
import { contractAddress } from '../../chain/deployment.ts'
import { contractRead, readContract } from '../../chain/read.ts'
import type { BlockInfo, Venue } from '../../http/product.ts'
import { type ListedInstrument, PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import type { FullInstrument } from './instrument-full-view.ts'
import { type PairState, readPairs } from './pair-reader.ts'
import { readPriceSources } from './price-sources.ts'

/** An instrument with pairs of it, which may be none, everything as of one block. Throws `RpcError`. */
export async function readFullInstrument(
  venue: Pick<Venue, 'rpc' | 'deployment'>,
  listed: ListedInstrument,
  expiries: readonly number[],
  block: BlockInfo,
): Promise<FullInstrument> {
  // Any pair shows the instrument's own settings and price, the perpetual also where nobody has opened it.
  const asked = expiries.length === 0 ? [PERPETUAL_EXPIRY] : expiries
  const pairs = asked.map((expiry) => ({ instrument: listed.address, expiry }))
  const [states, [source]] = await Promise.all([
    readPairs(venue.rpc, contractAddress(venue.deployment, 'Observer'), pairs, block),
    readPriceSources(venue, [listed], block.height),
  ])
  const [shown] = states
  if (!shown || !source) throw new Error(`nothing was read of ${listed.symbol}`)
  return { instrument: asOf(listed, shown), source, shown, states: states.slice(0, expiries.length), block }
}

/** The expiries of an instrument that the chain has open at a block. Throws `RpcError`. */
export async function readExpiries({ rpc }: Pick<Venue, 'rpc'>, { address }: ListedInstrument, { height }: BlockInfo) {
  const expiries = await readContract(rpc, contractRead({ address, abi: instrumentAbi }, 'getExpiries'), height)
  return expiries.map(Number)
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
