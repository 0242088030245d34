import { configAbi } from '../../chain/abi/config.ts'
import { linkMarketAbi } from '../../chain/abi/link-market.ts'
import { contractAddress } from '../../chain/deployment.ts'
import { contractRead, readGroups } from '../../chain/read.ts'
import type { Hex } from '../../chain/types.ts'
import type { Venue } from '../../http/product.ts'
import type { ListedInstrument } from '../listing/catalogue.ts'

/** What prices an instrument, as its market has it. */
export interface PriceSource {
  readonly beacon: Hex
  readonly ftype: number
  readonly scaler0: bigint
  readonly aggregator0: Hex
  readonly heartBeat0: number
  readonly scaler1: bigint
  readonly aggregator1: Hex
  readonly heartBeat1: number
}

/** The price sources of instruments, in their order, as of a block. Throws `RpcError`. */
export async function readPriceSources(
  { rpc, deployment }: Pick<Venue, 'rpc' | 'deployment'>,
  list: readonly ListedInstrument[],
  height: bigint,
): Promise<readonly PriceSource[]> {
  const config = { address: contractAddress(deployment, 'Config'), abi: configAbi }
  const reads = list.map(({ address, market }) => {
    const feeders = contractRead({ address: market.address, abi: linkMarketAbi }, 'feeders', address)
    return [feeders, contractRead(config, 'getMarketInfo', market.type)] as const
  })
  return (await readGroups(rpc, reads, height)).map(([feeders, { beacon }]) => {
    const [ftype, scaler0, aggregator0, heartBeat0, scaler1, aggregator1, heartBeat1] = feeders
    return { beacon, ftype, scaler0, aggregator0, heartBeat0, scaler1, aggregator1, heartBeat1 }
  })
}
