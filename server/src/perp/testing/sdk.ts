import { PerpClient } from '@synfutures/perpv3-ts'
import { UserSetting } from '@synfutures/perpv3-ts/types'
import { createPublicClient, defineChain, http, type ReadContractParameters } from 'viem'
import type { Hex } from '../../chain/types.ts'
import { WAD } from '../../lib/wad.ts'
import { PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import { CHAIN_ID, type PerpChain } from './chain.ts'

// The published client over a test's chain, as an independent judge of what the venue works out.

const DEADLINE_SEC = 600

export interface SdkOptions {
  readonly leverage?: bigint
  readonly slippageBps?: number
  readonly bufferBps?: number
}

export const sdkSetting = ({ leverage = 5n * WAD, slippageBps = 50, bufferBps = 0 }: SdkOptions = {}) =>
  new UserSetting(DEADLINE_SEC, slippageBps, leverage, bufferBps)

/** The client of a pair, which reads the chain alone. */
export function sdkClient(chain: PerpChain, instrument: Hex, options: SdkOptions = {}): PerpClient {
  const url = chain.anvil.rpcUrl
  const publicClient = createPublicClient({
    chain: defineChain({
      id: CHAIN_ID,
      name: 'local',
      nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
      rpcUrls: { default: { http: [url] } },
    }),
    transport: http(url),
    // The client reads by a multicall contract, which this chain does not have.
  }).extend((client) => ({
    multicall: ({ contracts }: { readonly contracts: readonly ReadContractParameters[] }) =>
      Promise.all(contracts.map((contract) => client.readContract(contract))),
  }))
  const config = { chainId: CHAIN_ID, publicClient, observerAddress: chain.contract('Observer') }
  return new PerpClient(
    config as unknown as ConstructorParameters<typeof PerpClient>[0],
    sdkSetting(options),
    instrument,
    PERPETUAL_EXPIRY,
  )
}

/** Stops the chain's blocks while both sides are asked, so that they speak of one block; they go on afterwards. */
export async function atOneBlock<T>(chain: PerpChain, ask: () => Promise<T>): Promise<T> {
  await chain.rpc.call('evm_setIntervalMining', [0])
  try {
    return await ask()
  } finally {
    await chain.rpc.call('evm_setIntervalMining', [1])
  }
}
