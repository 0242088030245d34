import { delegationReasons } from '../delegation/reasons.ts'
import type { Product } from '../http/product.ts'
import { decimalReasons } from '../lib/decimal.ts'
import type { VenueRooms } from '../market/rooms.ts'
import { stockCommands } from './commands.ts'
import { stockContext } from './context.ts'
import { stockDeployment } from './deploy/stock-deployment.ts'
import { stockDevelopment } from './deploy/stock-development.ts'
import { describeStock } from './description.ts'
import { stockEnvelope } from './envelope.ts'
import { stockEvents } from './events.ts'
import { STOCK_GAUGES } from './gauges.ts'
import { stockReasons } from './reasons.ts'
import { SECTIONS } from './reconciliation/lines.ts'
import { stockReference } from './reference.ts'
import { userReverts } from './reverts/stock-reverts.ts'
import { stockRoutes } from './routes/register.ts'
import { sessionRoutes } from './routes/session/register.ts'
import { stockScheme } from './scheme.ts'
import { stockServices } from './services.ts'
import { stockStatus } from './status.ts'
import { STOCK_CHANNELS } from './streams/key-channels.ts'
import { stockStreamReference } from './streams/reference.ts'
import { stockStreamSource } from './streams/source.ts'
import { stockTasks } from './tasks.ts'
import { stockSettings, stockSigners, stockVariables } from './variables.ts'

/** Tokenized stocks (seed, section A). */
export const stock: Product<VenueRooms> = {
  name: 'stock',
  variables: stockVariables,
  signers: stockSigners,
  commands: stockCommands,
  migrations: null,
  reasons: [...Object.values(stockReasons), ...Object.values(decimalReasons), ...Object.values(delegationReasons)],
  events: stockEvents,
  keyChannels: STOCK_CHANNELS,
  reconciliation: SECTIONS,
  deployment: stockDeployment,
  development: ({ stocks }) => stockDevelopment(stocks),
  keyScope: (values) => stockSettings(values).productType,
  open(venue, values) {
    const settings = stockSettings(values)
    const { prefix, productType } = settings
    const { chainId } = venue.deployment
    return {
      serve({ auth, desk }) {
        const context = stockContext(venue, settings, desk)
        const signIn = { chainId, ...settings.browser, rpc: venue.rpc, clock: venue.clock }
        return {
          name: 'stock',
          prefix,
          owns: [{ path: '/api/v1', unknown: 'key' }],
          envelope: stockEnvelope,
          scheme: stockScheme(auth.verifier, { chainId, productType }, signIn),
          routes: [
            ...stockRoutes(context),
            ...sessionRoutes({ ...context, auth, sessionMs: settings.browser.sessionMs }),
          ],
          stream: {
            path: '/api/v1/stream',
            access: 'OPEN',
            open: () => stockStreamSource(context),
            reference: () => stockStreamReference(context),
          },
          app: { product: productType, router: context.router, reverts: userReverts() },
          reference: stockReference(chainId, productType),
          services: stockServices(context, settings.push),
        }
      },
      tasks: (market) => stockTasks(market, settings.buffers),
      gauges: STOCK_GAUGES,
      status: stockStatus(venue),
      describe: (embedded) => describeStock(embedded, settings),
    }
  },
}
