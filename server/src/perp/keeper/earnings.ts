import { numberToHex } from 'viem'
import { bufferedGas, chainProfile } from '../../chain/profiles.ts'
import type { Hex } from '../../chain/types.ts'
import type { Venue } from '../../http/product.ts'
import { mulWadUp } from '../../lib/wad.ts'
import { PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import type { Chore } from './chores.ts'
import type { Pair, Survey } from './survey.ts'

/** What gas costs in a pair's quote; null where nobody says what the chain's coin is worth in it: nothing then pays. */
export type CostOf = (pair: Pair, chore: Pick<Chore, 'to' | 'data'>) => Promise<bigint | null>

/**
 * Returns what a transaction of the keeper would cost at the node's present price of gas. The chain's coin is worth what the venue's
 * own perpetual of `nativeBase` in the same quote says.
 */
export async function gasCosts(venue: Venue, survey: Survey, from: Hex, nativeBase: string): Promise<CostOf> {
  const { rpc, deployment } = venue
  const { gas: policy } = chainProfile(deployment.chainId)
  const gasPriceWei = BigInt(await rpc.call<Hex>('eth_gasPrice'))
  return async ({ instrument }, { to, data }) => {
    const native = survey.pairs.find(
      (pair) =>
        pair.instrument.base === nativeBase &&
        pair.instrument.quote.address === instrument.quote.address &&
        pair.expiry === PERPETUAL_EXPIRY,
    )
    if (!native?.markWad) return null
    const request = { from, to, data, gas: numberToHex(policy.maxGasLimit) }
    const [outcome] = await rpc.outcomes<Hex>([{ method: 'eth_estimateGas', params: [request, 'latest'] }])
    // Somebody was faster: there is nothing to earn.
    if (!outcome?.ok) return null
    const used = BigInt(outcome.value)
    const charged = policy.chargesLimit ? bufferedGas(policy, used) : used
    return mulWadUp(charged * gasPriceWei, native.markWad)
  }
}
