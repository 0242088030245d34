import { configAbi } from '../chain/abi/config.ts'
import { gateAbi } from '../chain/abi/gate.ts'
import { instrumentAbi } from '../chain/abi/instrument.ts'
import { linkMarketAbi } from '../chain/abi/link-market.ts'
import { contractAddress } from '../chain/deployment.ts'
import { type EventHandlers, handleEvent } from '../chain/follow/event-handlers.ts'
import type { EventModule, EventSource } from '../chain/follow/event-module.ts'
import type { Hex } from '../chain/types.ts'
import { MARKET_TABLES, recordMarket } from './market-data/recording.ts'
import { instrumentHandlers } from './recording/instrument-events.ts'
import { listDiscovered } from './recording/instrument-store.ts'
import { registryHandlers } from './recording/registry-events.ts'

const ABI_VERSION = 1

type PerpAbi = typeof configAbi | typeof gateAbi | typeof instrumentAbi | typeof linkMarketAbi

/** What is done for each event. */
export const perpHandlers: EventHandlers<PerpAbi> = { ...registryHandlers, ...instrumentHandlers }

const instrumentAt = (address: Hex): EventSource => ({ address, abi: instrumentAbi, abiVersion: ABI_VERSION })
/** Every market has the events of this one. */
const marketAt = (address: Hex): EventSource => ({ address, abi: linkMarketAbi, abiVersion: ABI_VERSION })

/**
 * Chain events of perpetuals to rows: the only writer of the tables of migrations 130 and following. Instruments and markets are
 * followed from the block in which Gate and Config name them.
 */
export const perpEvents: EventModule = {
  name: 'perp',
  sources: (deployment) =>
    deployment.contracts.Gate === undefined
      ? []
      : [
          { address: contractAddress(deployment, 'Config'), abi: configAbi, abiVersion: ABI_VERSION },
          { address: contractAddress(deployment, 'Gate'), abi: gateAbi, abiVersion: ABI_VERSION },
        ],
  discovery: {
    events: ['NewInstrument', 'SetMarketInfo'],
    sourcesOf({ name, args }) {
      if (name === 'NewInstrument') return [instrumentAt(args.instrument as Hex)]
      return [marketAt(args.market as Hex)]
    },
    async known(sql, chainId) {
      const { instruments, markets } = await listDiscovered(sql, chainId)
      return [...instruments.map(instrumentAt), ...markets.map(marketAt)]
    },
  },
  tables: ['perp_markets', 'perp_instruments', 'perp_pairs', 'perp_executions', ...MARKET_TABLES],
  async apply(tx, block, events) {
    for (const event of events) await handleEvent(perpHandlers, tx, block, event)
    await recordMarket(tx, block, events)
  },
}
