import {
  getExecutions,
  getLiquidityHistory,
  getOrderHistory,
  getPublicFunding,
  getTransactionHistory,
} from '@bourse/sdk/perp'
import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { PageOf } from '../lib/all-rows.ts'
import { formatQuantity } from '../lib/format.ts'
import { useResource } from '../lib/resource.ts'
import { ExportButton } from '../ui/export-button.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { Pages } from '../ui/pages.tsx'
import { Segments } from '../ui/segments.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { changes } from './account-changes.ts'
import { amountText, earnedText, feeText, Hash, priceText, Size, sideText, whenText } from './figures.tsx'
import type { HistoryKind } from './history-csv.ts'
import { instrumentName, recordedPairName } from './pair-name.ts'
import { words } from './strings.ts'
import { trader } from './venue.ts'

const ROWS = 50

const kind = signal<HistoryKind>('orders')

const KINDS: readonly { readonly value: HistoryKind; readonly label: string }[] = [
  { value: 'orders', label: words.orders },
  { value: 'executions', label: words.executions },
  { value: 'funding', label: words.fundingPaid },
  { value: 'liquidity', label: words.liquidity },
  { value: 'transfers', label: words.transfers },
]

export function History() {
  return (
    <div>
      <div class="perp-history-head">
        <Segments
          label={words.history}
          value={kind.value}
          options={KINDS}
          onChange={(value) => {
            kind.value = value
          }}
        />
      </div>
      <List key={kind.value} kind={kind.value} />
    </div>
  )
}

/** A row of any of the lists: what every one has, and what only some do. */
interface Entry {
  readonly id: string
  readonly time: number
  readonly market: string
  readonly what: string
  readonly size: ComponentChildren
  readonly price: string | null
  readonly amount: string | null
  readonly fee: string | null
  readonly txHash: string
}

const pageOf = <Row,>(
  { list, totalCount }: { readonly list: readonly Row[]; readonly totalCount: number },
  entryOf: (row: Row) => Entry,
): PageOf<Entry> => ({ rows: list.map(entryOf), total: totalCount })

async function entriesOf(wanted: HistoryKind, page: number, abort: AbortSignal): Promise<PageOf<Entry>> {
  const { client, user } = trader()
  const query = { page, size: ROWS }
  const options = { signal: abort }
  if (wanted === 'orders') {
    return pageOf(await getOrderHistory(client, query, options), (one) => ({
      id: one.id,
      time: one.cancelTimestamp || one.fillTimestamp,
      market: recordedPairName(one),
      what: `${sideText(one.side)} · ${words.orderStatus[one.typeString]}`,
      size: (
        <>
          <Size wad={one.takenSize} /> / <Size wad={one.size} />
        </>
      ),
      price: priceText(one.orderPrice),
      amount: amountText(one.tradeValue, one.quoteToken),
      fee: null,
      txHash: one.cancelTxHash || one.fillTxHash,
    }))
  }
  if (wanted === 'executions') {
    return pageOf(await getExecutions(client, query, options), (one) => ({
      id: one.id,
      time: one.timestamp,
      market: recordedPairName(one),
      what: `${sideText(one.side)} · ${words.executionKinds[one.typeString]}`,
      size: <Size wad={one.size} />,
      price: priceText(one.price),
      amount: amountText(one.balance, one.quoteToken),
      fee: feeText(String(BigInt(one.tradeFee) + BigInt(one.protocolFee)), one.quoteToken),
      txHash: one.txHash,
    }))
  }
  if (wanted === 'funding') {
    return pageOf(await getPublicFunding(client, { userAddress: user, ...query }, options), (one) => ({
      id: one.id,
      time: one.timestamp,
      market: recordedPairName(one),
      what: words.fundingKinds[one.typeString],
      size: null,
      price: null,
      amount: `${one.typeString === 'pay' ? '-' : '+'}${formatQuantity(one.value)} ${one.quoteToken.symbol}`,
      fee: null,
      txHash: one.txHash,
    }))
  }
  if (wanted === 'liquidity') {
    return pageOf(await getLiquidityHistory(client, query, options), (one) => ({
      id: one.id,
      time: one.timestamp,
      market: recordedPairName(one),
      what: one.typeString === 'add' ? words.addLiquidity : words.removeLiquidity,
      size: `${priceText(one.lowerPrice)} – ${priceText(one.upperPrice)}`,
      price: priceText(one.fairPrice),
      amount: amountText(one.amount, one.quoteToken),
      fee: earnedText(one.feeEarned, one.quoteToken),
      txHash: one.txHash,
    }))
  }
  return pageOf(await getTransactionHistory(client, query, options), (one) => ({
    id: one.id,
    time: one.timestamp,
    // Between the wallet and Gate there is none.
    market: one.instrumentAddress === '' ? '–' : instrumentName(one.instrumentAddress),
    what: words.transferKinds[one.typeString],
    size: null,
    price: null,
    amount: `${formatQuantity(one.value)} ${one.tokenInfo.symbol}`,
    fee: null,
    txHash: one.txHash,
  }))
}

const isOrders = (wanted: HistoryKind) => wanted === 'orders'

function columnsOf(wanted: HistoryKind): readonly Column<Entry>[] {
  const feeTitle = wanted === 'liquidity' ? words.feeEarned : words.fee
  const sizeTitle = isOrders(wanted)
    ? `${words.filledSize} / ${words.size}`
    : wanted === 'liquidity'
      ? words.range
      : words.size
  const optional: readonly [keyof Entry, string, readonly HistoryKind[]][] = [
    ['market', words.market, ['orders', 'executions', 'funding', 'liquidity', 'transfers']],
    ['size', sizeTitle, ['orders', 'executions', 'liquidity']],
    ['price', words.price, ['orders', 'executions', 'liquidity']],
    ['amount', words.moved, ['orders', 'executions', 'funding', 'liquidity', 'transfers']],
    ['fee', feeTitle, ['executions', 'liquidity']],
  ]
  return [
    { key: 'time', title: words.time, cell: ({ time }) => whenText(time) },
    { key: 'what', title: words.kind, cell: ({ what }) => what },
    ...optional
      .filter(([, , kinds]) => kinds.includes(wanted))
      .map(([key, title]) => ({
        key,
        title,
        number: key !== 'market',
        cell: (entry: Entry) => entry[key] ?? '–',
      })),
    { key: 'tx', title: words.transaction, cell: ({ txHash }) => <Hash hash={txHash} /> },
  ]
}

function List({ kind: wanted }: { readonly kind: HistoryKind }) {
  const [page, setPage] = useState(1)
  const entries = useResource((abort) => entriesOf(wanted, page, abort), [wanted, page, changes.value])
  return (
    <Loaded of={entries}>
      {({ rows, total }) => (
        <>
          <Table
            caption={KINDS.find(({ value }) => value === wanted)?.label ?? ''}
            columns={columnsOf(wanted)}
            rows={rows}
            rowKey={({ id }) => id}
            empty={words.nothing}
          />
          <Pages page={page} size={ROWS} total={total} onPage={setPage} />
          {rows.length > 0 && (
            <p class="perp-note">
              <ExportButton name={`perpetual-${wanted}.csv`} text={() => fileOf(wanted)} />
            </p>
          )}
        </>
      )}
    </Loaded>
  )
}

/** What makes files is loaded when one is asked for; the account is that of the click. */
async function fileOf(wanted: HistoryKind): Promise<string> {
  const by = trader()
  const { historyCsv } = await import('./history-csv.ts')
  return historyCsv(wanted, by)
}
