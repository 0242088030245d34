import {
  type createClient,
  getExecutions,
  getLiquidityHistory,
  getOrderHistory,
  getPublicFunding,
  getTransactionHistory,
} from '@bourse/sdk/perp'
import { allRows, type PageOf } from '../lib/all-rows.ts'
import { csvOf } from '../lib/csv.ts'
import { instrumentName, recordedPairName } from './pair-name.ts'
import { fromWad, sumOf } from './units.ts'

// The lists of the history as files: all rows, and every digit, for whoever does accounts by them.

export type HistoryKind = 'orders' | 'executions' | 'funding' | 'liquidity' | 'transfers'

interface By {
  readonly client: ReturnType<typeof createClient>
  readonly user: string
}

type Cell = string | null

/** As many rows a page as every list gives. */
const PAGE = 100

const whenOf = (seconds: number): string => new Date(seconds * 1000).toISOString()

type PageQuery = { readonly page: number; readonly size: number; readonly endTime?: number }

/** A file of a list, by its columns. */
async function fileOf<Row>(
  ask: (query: PageQuery) => Promise<{ readonly list: readonly Row[]; readonly totalCount: number }>,
  timeOf: (row: Row) => number,
  columns: Readonly<Record<string, (row: Row) => Cell>>,
): Promise<string> {
  const pageOf = async (page: number, time: { readonly endTime?: number }): Promise<PageOf<Row>> => {
    const { list, totalCount } = await ask({ page, size: PAGE, ...time })
    return { rows: list, total: totalCount }
  }
  const rows = await allRows(pageOf, timeOf)
  const cells = rows.map((row) => [whenOf(timeOf(row)), ...Object.values(columns).map((cell) => cell(row))])
  return csvOf(['time', ...Object.keys(columns)], cells)
}

export function historyCsv(kind: HistoryKind, { client, user }: By): Promise<string> {
  switch (kind) {
    case 'orders':
      return fileOf(
        (query) => getOrderHistory(client, query),
        (one) => one.cancelTimestamp || one.fillTimestamp,
        {
          market: recordedPairName,
          side: (one) => one.side,
          status: (one) => one.typeString,
          size: (one) => fromWad(one.size),
          filledSize: (one) => fromWad(one.takenSize),
          price: (one) => fromWad(one.orderPrice),
          value: (one) => fromWad(one.tradeValue),
          currency: (one) => one.quoteToken.symbol,
          order: (one) => one.id,
          transaction: (one) => one.cancelTxHash || one.fillTxHash,
        },
      )
    case 'executions':
      return fileOf(
        (query) => getExecutions(client, query),
        (one) => one.timestamp,
        {
          market: recordedPairName,
          side: (one) => one.side,
          kind: (one) => one.typeString,
          size: (one) => fromWad(one.size),
          price: (one) => fromWad(one.price),
          value: (one) => fromWad(one.balance),
          fee: (one) => fromWad(sumOf(one.tradeFee, one.protocolFee)),
          currency: (one) => one.quoteToken.symbol,
          transaction: (one) => one.txHash,
        },
      )
    case 'funding':
      return fileOf(
        (query) => getPublicFunding(client, { userAddress: user, ...query }),
        (one) => one.timestamp,
        {
          market: recordedPairName,
          kind: (one) => one.typeString,
          amount: (one) => (one.typeString === 'pay' ? `-${one.value}` : one.value),
          currency: (one) => one.quoteToken.symbol,
          transaction: (one) => one.txHash,
        },
      )
    case 'liquidity':
      return fileOf(
        (query) => getLiquidityHistory(client, query),
        (one) => one.timestamp,
        {
          market: recordedPairName,
          kind: (one) => one.typeString,
          lowerPrice: (one) => fromWad(one.lowerPrice),
          upperPrice: (one) => fromWad(one.upperPrice),
          fairPrice: (one) => fromWad(one.fairPrice),
          amount: (one) => fromWad(one.amount),
          feeEarned: (one) => fromWad(one.feeEarned),
          currency: (one) => one.quoteToken.symbol,
          transaction: (one) => one.txHash,
        },
      )
    case 'transfers':
      return fileOf(
        (query) => getTransactionHistory(client, query),
        (one) => one.timestamp,
        {
          market: (one) => (one.instrumentAddress === '' ? null : instrumentName(one.instrumentAddress)),
          kind: (one) => one.typeString,
          amount: (one) => one.value,
          currency: (one) => one.tokenInfo.symbol,
          transaction: (one) => one.txHash,
        },
      )
  }
}
