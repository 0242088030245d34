import { getCashDeposits, getCashWithdrawals, getStockDeposits, getStockWithdrawals } from '@bourse/sdk/stock'
import { formatQuantity, formatTime, shorten } from '../lib/format.ts'
import { useResource } from '../lib/resource.ts'
import { hrefTo } from '../router.ts'
import { Badge, type Tone } from '../ui/badge.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { Panel } from '../ui/panel.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { words } from './strings.ts'
import { type Row, rowOf } from './transfer-row.ts'
import { changes, marketConfig, symbols, trader } from './venue.ts'
import './tables.css'

const LIMIT = 50
const EVERY_MS = 4000

export function TransferHistory() {
  const rows = useResource(askAll, [], EVERY_MS, changes)
  return (
    <Panel title={words.history} flush>
      <Loaded of={rows}>
        {({ list, isCut }) => (
          <>
            <Table
              caption={words.history}
              columns={COLUMNS}
              rows={list}
              rowKey={({ id }) => id}
              empty={words.transfersNone}
            />
            {isCut && (
              <p class="table-actions">
                <span class="muted">{words.transfersCut(LIMIT)}</span>{' '}
                <a href={hrefTo('/portfolio')}>{words.activity}</a>
              </p>
            )}
          </>
        )}
      </Loaded>
    </Panel>
  )
}

interface Newest {
  readonly list: readonly Row[]
  /** There are more of a kind than are shown. */
  readonly isCut: boolean
}

async function askAll(signal: AbortSignal): Promise<Newest> {
  const { client } = trader()
  const [page, options] = [{ limit: LIMIT }, { signal }]
  const [cashIn, cashOut, stockIn, stockOut] = await Promise.all([
    getCashDeposits(client, page, options),
    getCashWithdrawals(client, page, options),
    getStockDeposits(client, page, options),
    getStockWithdrawals(client, page, options),
  ])
  const { cash_deposit, cash_withdrawal, stock_deposit, stock_withdrawal } = words.activityType
  const list = [
    ...cashIn.rows.map((one) => rowOf(cash_deposit, one)),
    ...cashOut.rows.map((one) => rowOf(cash_withdrawal, one)),
    ...stockIn.rows.map((one) => rowOf(stock_deposit, one)),
    ...stockOut.rows.map((one) => rowOf(stock_withdrawal, one)),
  ].toSorted((a, b) => b.time - a.time)
  const isCut = [cashIn, cashOut, stockIn, stockOut].some(({ total, rows }) => total > rows.length)
  return { list, isCut }
}

const TONES: Record<Row['status'], Tone> = {
  onChain: 'wait',
  queued: 'wait',
  success: 'good',
  failed: 'bad',
  txFailed: 'bad',
  expired: 'bad',
}

const symbolOf = (token: string | null): string => {
  const same = (address: string) => address.toLowerCase() === token?.toLowerCase()
  const stock = symbols.data.value?.find(({ contractAddress }) => same(contractAddress))
  const cash = marketConfig.data.value?.cashierTokenConfig.find(({ tokenAddress }) => same(tokenAddress))
  return stock?.contractSymbol ?? cash?.symbol ?? ''
}

const COLUMNS: readonly Column<Row>[] = [
  { key: 'time', title: words.time, cell: ({ time }) => formatTime(time * 1000) },
  { key: 'kind', title: words.kind, cell: ({ kind }) => kind },
  {
    key: 'amount',
    title: words.quantity,
    number: true,
    cell: ({ amount, unit, token }) => `${formatQuantity(amount)} ${unit ?? symbolOf(token)}`,
  },
  {
    key: 'status',
    title: words.status,
    cell: ({ status, reason }) => {
      const [name, meaning] = words.operationStatus[status]
      return (
        <div class="status-line">
          <Badge tone={TONES[status]}>{name}</Badge>
          <span class="muted">{reason ?? meaning}</span>
        </div>
      )
    },
  },
  {
    key: 'tx',
    title: words.transactions,
    cell: ({ hashes }) => (
      <ul class="hashes">
        {hashes.map((hash) =>
          hash ? (
            <li key={hash}>
              <code title={hash}>{shorten(hash)}</code>
            </li>
          ) : null,
        )}
      </ul>
    ),
  },
]
