import type { configAbi } from '../../chain/abi/config.ts'
import type { gateAbi } from '../../chain/abi/gate.ts'
import type { EventHandlers } from '../../chain/follow/event-handlers.ts'
import { nameInstrument, upsertMarket } from './instrument-store.ts'

/** What Config and Gate say of markets and instruments. */
export const registryHandlers: EventHandlers<typeof configAbi | typeof gateAbi> = {
  async SetMarketInfo(tx, block, event) {
    await upsertMarket(tx, block, event.args.market, event.args.mtype, event.args.beacon)
  },
  async NewInstrument(tx, block, event) {
    const { instrument, base, quote, symbol, total } = event.args
    await nameInstrument(tx, block, { instrument, base, quote, symbol, ordinal: Number(total) - 1 })
  },
}
