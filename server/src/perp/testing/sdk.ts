import { PerpClient } from '@synfutures/perpv3-ts'
import { PERP_EXPIRY, UserSetting } from '@synfutures/perpv3-ts/types'
import { createPublicClient, defineChain, http, type ReadContractParameters } from 'viem'
import { whilePaused } from '../../chain/embedded/testing-pause.ts'
import type { Hex } from '../../chain/types.ts'
import { WAD } from '../../lib/wad.ts'
import type { PerpChain } from './chain.ts'

type Config = ConstructorParameters<typeof PerpClient>[0]

const DEADLINE_SEC = 600
const SLIPPAGE_BPS = 50

/** The published client of a pair, which reads the chain by itself. */
export function chainClient(rpcUrl: string, chainId: number, observer: Hex, instrument: Hex): PerpClient {
  const publicClient = createPublicClient({
    chain: defineChain({
      id: chainId,
      name: 'local',
      nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
      rpcUrls: { default: { http: [rpcUrl] } },
    }),
    transport: http(rpcUrl),
    // It reads through a multicall, for which a development chain has no contract: its reads go one by one.
  }).extend((client) => ({
    multicall: ({ contracts }: { readonly contracts: readonly ReadContractParameters[] }) =>
      Promise.all(contracts.map((contract) => client.readContract(contract))),
  }))
  const config = { chainId, publicClient, observerAddress: observer } as Config
  return new PerpClient(config, new UserSetting(DEADLINE_SEC, SLIPPAGE_BPS, 3n * WAD, 0), instrument, PERP_EXPIRY)
}

export interface SdkOptions {
  readonly leverage?: bigint
  readonly slippageBps?: number
  readonly bufferBps?: number
}

/** What a user of the published client sets. */
export const sdkSetting = ({ leverage = 3n * WAD, slippageBps = SLIPPAGE_BPS, bufferBps = 0 }: SdkOptions = {}) =>
  new UserSetting(DEADLINE_SEC, slippageBps, leverage, bufferBps)

/** Stops the chain's blocks while both sides are asked, so that they speak of one block; they go on afterwards. */
export const atOneBlock = <T>(chain: PerpChain, ask: () => Promise<T>): Promise<T> => whilePaused(chain.rpc, ask)
