import { createConfig } from 'ponder'
import { sources } from './sources.ts'

const { chainId, rpcUrl, startBlock, endBlock, contracts } = sources

export default createConfig({
  chains: { venue: { id: chainId, rpc: rpcUrl } },
  contracts: Object.fromEntries(
    contracts.map(({ name, addresses, events }) => [
      name,
      { chain: 'venue', abi: [...events], address: [...addresses], startBlock, endBlock },
    ]),
  ),
})
