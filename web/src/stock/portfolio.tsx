import { type Balance, type GetActivitiesParams, type GetActivitiesResult, getActivities } from '@bourse/sdk/stock'
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { allRows } from '../lib/all-rows.ts'
import { csvOf } from '../lib/csv.ts'
import { add } from '../lib/decimal.ts'
import {
  formatAmount,
  formatPrice,
  formatQuantity,
  formatTime,
  formatUsd,
  formatUsdCost,
  shorten,
} from '../lib/format.ts'
import { useResource } from '../lib/resource.ts'
import { Gate } from '../session/gate.tsx'
import { Badge } from '../ui/badge.tsx'
import { ExportButton } from '../ui/export-button.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { Pages } from '../ui/pages.tsx'
import { Panel } from '../ui/panel.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { balance } from './balance.ts'
import { PositionsTable, usePositions } from './positions.tsx'
import { words } from './strings.ts'
import { changes, followMarket, stockSession, type Trader, trader } from './venue.ts'
import { worthOf } from './worth.ts'
import './portfolio.css'

/** The stocks of a wallet; what it has beside them stands under its positions. */
export function Portfolio({ children }: { readonly children: ComponentChildren }) {
  useEffect(followMarket, [])
  return (
    <>
      <div class="page-head">
        <h1>{words.portfolio}</h1>
      </div>
      <Gate state={stockSession}>
        <Summary />
        <Panel title={words.positions} flush>
          <PositionsTable />
        </Panel>
        {children}
        <Panel title={words.balances} flush>
          <Loaded of={balance}>
            {({ tokenBalances }) => (
              <Table
                caption={words.balances}
                columns={BALANCES}
                rows={tokenBalances}
                rowKey={({ address }) => address}
                empty={words.noPositions}
              />
            )}
          </Loaded>
        </Panel>
        <Activities />
      </Gate>
    </>
  )
}

function Summary() {
  const positions = usePositions()
  const cash = balance.data.value?.mUsdBalance
  const held = positions.data.value && worthOf(positions.data.value)
  return (
    <dl class="summary">
      <Figure name={words.accountValue} value={cash && held ? formatUsd(add(cash, held)) : '–'} />
      <Figure name={words.cash} value={formatUsd(cash)} />
      <Figure name={words.positionsValue} value={formatUsd(held)} />
    </dl>
  )
}

function Figure({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div class="panel figure">
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}

const BALANCES: readonly Column<Balance['tokenBalances'][number]>[] = [
  { key: 'asset', title: words.asset, cell: ({ symbol }) => <strong>{symbol}</strong> },
  { key: 'wallet', title: words.wallet, number: true, cell: ({ walletBalance }) => formatAmount(walletBalance, 9) },
  {
    key: 'venue',
    title: words.atVenue,
    number: true,
    cell: ({ isStock, exchangeBalance }) => (isStock ? formatAmount(exchangeBalance, 9) : '–'),
  },
  { key: 'price', title: words.price, number: true, cell: ({ price }) => formatPrice(price) },
]

type Activity = GetActivitiesResult['rows'][number]

const PAGE = 20
const EXPORT_PAGE = 100

const askActivities = (
  { client, user }: Trader,
  query: Omit<GetActivitiesParams, 'userId'>,
  options: { readonly signal?: AbortSignal } = {},
) => getActivities(client, { userId: user, ...query }, options)

function Activities() {
  const [page, setPage] = useState(1)
  const activities = useResource(
    (signal) => askActivities(trader(), { page, limit: PAGE }, { signal }),
    [page],
    undefined,
    changes,
  )
  return (
    <Panel title={words.activity} flush actions={<ExportButton name="activity.csv" text={activitiesCsv} />}>
      <Loaded of={activities}>
        {({ rows, total }) => (
          <>
            <Table
              caption={words.activity}
              columns={ACTIVITIES}
              rows={rows}
              rowKey={({ id }) => id}
              empty={words.noActivity}
            />
            <Pages page={page} size={PAGE} total={total} onPage={setPage} />
          </>
        )}
      </Loaded>
    </Panel>
  )
}

const ACTIVITIES: readonly Column<Activity>[] = [
  { key: 'time', title: words.time, cell: ({ timestamp }) => formatTime(timestamp * 1000) },
  {
    key: 'type',
    title: words.kind,
    cell: ({ type, side }) => `${words.activityType[type]}${side ? ` · ${side}` : ''}`,
  },
  { key: 'symbol', title: words.symbol, cell: ({ symbol }) => <strong>{symbol}</strong> },
  {
    key: 'amount',
    title: words.quantity,
    number: true,
    cell: ({ quantity, amount }) => formatQuantity(quantity ?? amount),
  },
  { key: 'price', title: words.price, number: true, cell: ({ price }) => formatPrice(price) },
  { key: 'fee', title: words.fee, number: true, cell: ({ feeAmount }) => formatUsdCost(feeAmount, 6) },
  {
    key: 'status',
    title: words.status,
    cell: ({ operationStatus }) => {
      const [name] = words.operationStatus[operationStatus === 'processing' ? 'queued' : operationStatus]
      return <Badge tone={operationStatus === 'success' ? 'good' : 'wait'}>{name}</Badge>
    },
  },
  { key: 'tx', title: words.transaction, cell: ({ txHash }) => <code title={txHash}>{shorten(txHash)}</code> },
]

/** Everything that has happened to one account, whichever is chosen meanwhile. */
async function activitiesCsv(): Promise<string> {
  const by = trader()
  const ask = (page: number, time: { readonly endTime?: number }) =>
    askActivities(by, { page, limit: EXPORT_PAGE, ...time })
  const rows = await allRows(ask, ({ timestamp }) => timestamp)
  return csvOf(CSV_HEADER, rows.map(csvRow))
}

const CSV_HEADER = [
  'time',
  'type',
  'symbol',
  'side',
  'quantity',
  'amount',
  'price',
  'fee',
  'status',
  'orderId',
  'txHash',
]

const csvRow = (one: Activity) => [
  new Date(one.timestamp * 1000).toISOString(),
  one.type,
  one.symbol,
  one.side,
  one.quantity,
  one.amount,
  one.price,
  one.feeAmount,
  one.operationStatus,
  one.orderId,
  one.txHash,
]
