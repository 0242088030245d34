import { configAbi } from '../chain/abi/config.ts'
import { gateAbi } from '../chain/abi/gate.ts'
import { instrumentAbi } from '../chain/abi/instrument.ts'
import { contractAddress } from '../chain/deployment.ts'
import { type EventHandlers, eventGuard, handleEvent } from '../chain/follow/event-handlers.ts'
import type { EventModule, EventSource } from '../chain/follow/event-module.ts'
import type { Hex } from '../chain/types.ts'
import { accountHandlers } from './indexing/account-events.ts'
import { BlockChanges } from './indexing/block-changes.ts'
import { gateHandlers } from './indexing/gate-events.ts'
import { listInstruments } from './indexing/instrument-store.ts'
import { orderHandlers } from './indexing/order-events.ts'
import { pairHandlers } from './indexing/pair-events.ts'
import { perpetualOf } from './indexing/pairs.ts'
import { settlementHandlers } from './indexing/settlement-events.ts'
import { tradeHandlers } from './indexing/trade-events.ts'
import { MARKET_TABLES, MarketChanges } from './market-data/recording.ts'
import { insertSignals, type NewSignal } from './streams/signal-store.ts'
import { SIGNAL_TABLES, signalsIn } from './streams/signals.ts'

const ABI_VERSION = 1

/** What is done for each event; `indexing/unrecorded.ts` names the others, with why. */
export const perpHandlers: EventHandlers<typeof gateAbi | typeof instrumentAbi, [changes: BlockChanges]> = {
  ...gateHandlers,
  ...tradeHandlers,
  ...orderHandlers,
  ...accountHandlers,
  ...pairHandlers,
  ...settlementHandlers,
}

const isGateEvent = eventGuard<typeof gateAbi>()

const instrumentAt = (address: Hex): EventSource => ({ address, abi: instrumentAbi, abiVersion: ABI_VERSION })

/**
 * Chain events of perpetuals to rows: the only writer of the tables of migrations 130, 131, 140 and 141. An instrument is followed from
 * the block in which Gate creates it.
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
    events: ['NewInstrument'],
    sourcesOf: (event) => (isGateEvent(event, 'NewInstrument') ? [instrumentAt(event.args.instrument)] : []),
    known: async (sql, chainId) => (await listInstruments(sql, chainId)).map(instrumentAt),
  },
  tables: [
    'perp_instruments',
    'perp_pairs',
    'perp_executions',
    'perp_orders',
    'perp_positions',
    'perp_ranges',
    'perp_liquidity_events',
    'perp_ledger',
    'perp_pending_withdrawals',
    ...MARKET_TABLES,
    ...SIGNAL_TABLES,
  ],
  async apply(tx, blocks) {
    const changes = await BlockChanges.of(tx, blocks)
    const market = new MarketChanges()
    const signals: NewSignal[] = []
    for (const { block, events } of blocks) {
      changes.enter(block)
      for (const event of events) handleEvent(perpHandlers, changes, event)
      market.add(block, events, (instrument) => perpetualOf(changes, instrument))
      signals.push(...signalsIn(block, events, changes.orders.endedBy))
    }
    await Promise.all([changes.write(tx), market.write(tx), insertSignals(tx, signals)])
  },
}
