import type { EventModule } from '../chain/follow/event-module.ts'

/** Perpetuals keep nothing of the chain yet: what is asked of them is read from the contracts. */
export const perpEvents: EventModule = {
  name: 'perp',
  sources: () => [],
  tables: [],
  apply: async () => {},
}
