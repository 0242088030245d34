import type { Service } from '../http/product.ts'
import { publishService } from '../push/services.ts'
import type { PushSettings } from '../push/variables.ts'
import type { StockContext } from './context.ts'
import { STOCK_CHANNELS } from './streams/key-channels.ts'
import { stockPublication } from './streams/publish.ts'

/** What api processes do for stocks beside answering: publish changes to the outbox. */
export const stockServices = (context: StockContext, settings: PushSettings): readonly Service[] => [
  publishService(STOCK_CHANNELS.product, () => stockPublication(context), settings),
]
