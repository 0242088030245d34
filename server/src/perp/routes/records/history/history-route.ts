import Type, { type Static, type TSchema } from 'typebox'
import { WALLET } from '../../../../http/examples.ts'
import { type AtBlock, defineRoute, type Route } from '../../../../http/product.ts'
import type { PerpContext } from '../../../context.ts'
import { type PageQuery, pageQuery, pageSchema } from '../../../portfolio/page.ts'
import type { Asked } from '../../../portfolio/records.ts'
import { perpReasons } from '../../../reasons.ts'
import { checkChainId } from '../../../schemas.ts'
import { askedBy, pairProperties, WALLET_REASONS, walletProperties } from '../wallet-query.ts'

const LARGEST_PAGE = 1000
const DEFAULT_SIZE = 60

const historyQuery = Type.Object({
  ...walletProperties,
  ...pageQuery(LARGEST_PAGE),
  download: Type.Optional(
    Type.Enum(['true', 'false'], {
      description: `true: the newest ${LARGEST_PAGE} rows at once, in the place of page and size.`,
    }),
  ),
  ...pairProperties,
})
type HistoryQuery = Static<typeof historyQuery>

const HISTORY_REASONS = [...WALLET_REASONS, perpReasons.perp_range_invalid] as const

/** What distinguishes the histories below /v4/public/history/. */
interface History {
  readonly name: string
  readonly summary: string
  readonly description?: string
  readonly item: TSchema
  readonly example: unknown
  read(asked: Asked, page: PageQuery): Promise<AtBlock>
}

export const getHistory = (
  context: PerpContext,
  { name, summary, description = '', item, example, read }: History,
): Route =>
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

/** The newest rows of a download, else the page that is asked for. */
const pageOf = ({ download, ...query }: HistoryQuery): PageQuery =>
  download === 'true' ? { ...query, page: 1, size: LARGEST_PAGE } : { size: DEFAULT_SIZE, ...query }
