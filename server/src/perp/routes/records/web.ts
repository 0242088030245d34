import Type, { type Static, type TSchema } from 'typebox'
import type { Hex } from '../../../chain/types.ts'
import { WALLET } from '../../../http/examples.ts'
import { type AtBlock, defineRoute, type Route } from '../../../http/product.ts'
import { addressSchema } from '../../../http/schemas.ts'
import type { PerpContext } from '../../context.ts'
import { executionExample, executionSchema } from '../../portfolio/execution-view.ts'
import {
  movementExample,
  movementSchema,
  pairMovementExample,
  pairMovementSchema,
} from '../../portfolio/ledger-view.ts'
import { liquidityEventExample, liquidityEventSchema } from '../../portfolio/liquidity-view.ts'
import { closedOrderExample, closedOrderSchema } from '../../portfolio/order-view.ts'
import { type PageQuery, pageQuery, pageSchema } from '../../portfolio/page.ts'
import { portfolioOf, portfolioSchema } from '../../portfolio/portfolio.ts'
import { type Asked, closedOrders, executions, ledgerOf, liquidityEvents } from '../../portfolio/records.ts'
import { perpReasons } from '../../reasons.ts'
import { chainIdProperty, checkChainId, expiryProperty } from '../../schemas.ts'

// Reads of the published client's own site (perp-api 8): of any account, without a key, limited by the client's address. What stands
// on a chain is public; each is the handler of its keyed operation.

const LARGEST_PAGE = 1000
const DEFAULT_SIZE = 60

const walletSchema = addressSchema('A wallet.')
const account = { userAddress: walletSchema, ...chainIdProperty }
const ofPair = { instrumentAddress: Type.Optional(walletSchema), ...expiryProperty }
const history = {
  ...account,
  ...pageQuery(LARGEST_PAGE),
  download: Type.Optional(
    Type.Enum(['true', 'false'], {
      description: `true: the newest ${LARGEST_PAGE} rows at once, in the place of page and size.`,
    }),
  ),
}

const portfolioQuery = Type.Object({ ...account, ...ofPair })
const historyQuery = Type.Object({ ...history, ...ofPair })
type HistoryQuery = Static<typeof historyQuery>

const REASONS = [
  perpReasons.chain_id_differs,
  perpReasons.perp_not_indexed,
  perpReasons.perp_chain_unreachable,
  perpReasons.instrument_unknown,
] as const
const HISTORY_REASONS = [...REASONS, perpReasons.perp_range_invalid] as const

/** GET portfolio: what an account holds in each pair. */
const getPortfolio = (context: PerpContext) =>
  defineRoute({
    method: 'GET',
    path: '/v4/public/portfolio',
    summary: 'What a wallet holds in each pair, with the instruments',
    access: 'PUBLIC',
    schema: { query: portfolioQuery, data: portfolioSchema },
    reasons: REASONS,
    examples: {
      query: { userAddress: WALLET },
      data: { address: WALLET, instruments: [], portfolios: [] },
    },
    async handler({ query }) {
      checkChainId(context.chainId, query)
      return portfolioOf(context, askedBy(query))
    },
  })

/** Whose account, and of which pair alone. */
const askedBy = ({ userAddress, instrumentAddress, expiry }: Static<typeof portfolioQuery>): Asked => ({
  trader: userAddress.toLowerCase() as Hex,
  instrumentAddress,
  expiry,
})

/** The newest rows of a download, else the page that is asked for. */
const pageOf = ({ download, ...query }: HistoryQuery): PageQuery =>
  download === 'true' ? { ...query, page: 1, size: LARGEST_PAGE } : { size: DEFAULT_SIZE, ...query }

/** One of the histories below /v4/public/history/. */
interface History {
  readonly name: string
  readonly summary: string
  readonly description?: string
  readonly item: TSchema
  readonly example: unknown
  read(asked: Asked, page: PageQuery): Promise<AtBlock>
}

const getHistory = (context: PerpContext, { name, summary, description = '', item, example, read }: History): Route =>
  defineRoute({
    method: 'GET',
    path: `/v4/public/history/${name}`,
    summary,
    description,
    access: 'PUBLIC',
    schema: { query: historyQuery, data: pageSchema(item) },
    reasons: HISTORY_REASONS,
    examples: {
      query: { userAddress: WALLET, page: 1, size: DEFAULT_SIZE },
      data: { list: [example], totalCount: 1 },
    },
    async handler({ query }) {
      checkChainId(context.chainId, query)
      return read(askedBy(query), pageOf(query))
    },
  })

/** Every read without a key of what accounts hold and did. */
export function webRoutes(context: PerpContext): readonly Route[] {
  const { movements, pairMovements } = ledgerOf(context)
  const histories: readonly History[] = [
    {
      name: 'trade',
      summary: 'What changed a wallet’s sizes, newest first',
      item: executionSchema,
      example: executionExample,
      read: (asked, page) => executions(context, asked, page),
    },
    {
      name: 'order',
      summary: 'A wallet’s orders that have ended, newest end first',
      item: closedOrderSchema,
      example: closedOrderExample,
      read: (asked, page) => closedOrders(context, asked, page),
    },
    {
      name: 'liquidity',
      summary: 'Liquidity that a wallet added and removed, newest first',
      item: liquidityEventSchema,
      example: liquidityEventExample,
      read: (asked, page) => liquidityEvents(context, asked, page),
    },
    {
      name: 'fundFlow',
      summary: 'Money that a wallet brought to Gate and took from it',
      description: '`instrumentAddress` and `expiry` are accepted and have no effect: this money is of no pair.',
      item: movementSchema,
      example: movementExample,
      read: (asked, page) => movements(asked, 'wallet', page),
    },
    {
      name: 'funding',
      summary: 'Funding that a wallet received and paid',
      item: pairMovementSchema,
      example: pairMovementExample,
      read: (asked, page) => pairMovements(asked, 'funding', page),
    },
    {
      name: 'transfer',
      summary: 'Margin between a wallet’s reserve and pairs',
      item: pairMovementSchema,
      example: { ...pairMovementExample, typeString: 'scatter' },
      read: (asked, page) => pairMovements(asked, 'pair', page),
    },
  ]
  return [getPortfolio(context), ...histories.map((one) => getHistory(context, one))]
}
