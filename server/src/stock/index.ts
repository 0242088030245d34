import { delegationReasons } from '../delegation/reasons.ts'
import { DEFAULT_GAS_PER_DAY } from '../delegation/submit.ts'
import type { Product } from '../http/product.ts'
import { decimalReasons } from '../lib/decimal.ts'
import type { Market } from '../market/tasks.ts'
import { stockContext } from './context.ts'
import { stockEnvelope } from './envelope.ts'
import { stockEvents } from './events.ts'
import { DEFAULT_BUFFER_TARGETS } from './keeper/refill-buffers.ts'
import { stockReasons } from './reasons.ts'
import { stockReference } from './reference/reference.ts'
import { stockRoutes } from './routes/register.ts'
import { stockStreamSource } from './streams/source.ts'
import { stockTasks } from './tasks.ts'

/**
 * Tokenized stocks (seed, section A). `productType` is the exact value of `x-api-p`, `submitGasPerDay` the gas that the One
 * Click sends of one API key may use in 24 hours, `buffers` how the keeper refills the Cashier's buffers.
 */
export const stock = (
  productType: string,
  submitGasPerDay = DEFAULT_GAS_PER_DAY,
  buffers = DEFAULT_BUFFER_TARGETS,
): Product<Market> => ({
  name: 'stock',
  envelope: stockEnvelope,
  reasons: [...Object.values(stockReasons), ...Object.values(decimalReasons), ...Object.values(delegationReasons)],
  events: stockEvents,
  tasks: (market) => stockTasks(market, buffers),
  routes: (venue) => stockRoutes(stockContext(venue, productType, submitGasPerDay)),
  stream: {
    path: '/api/v1/stream',
    open: (venue) => stockStreamSource(stockContext(venue, productType, submitGasPerDay)),
  },
  reference: ({ deployment }) => stockReference(deployment.chainId, productType),
})
