// Take-profits and stop-losses that the venue keeps for the wallet.
import { cancelKeptOrder, type GetKeptOrdersResult, getKeptOrders } from '@bourse/sdk/perp'
import { formatPercent } from '../lib/format.ts'
import { useResource } from '../lib/resource.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Failure, Loaded } from '../ui/loaded.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { keptChanges, noteKept } from './account-changes.ts'
import { useDoing } from './actions.ts'
import { Hash, priceText, Size, sideText, whenText } from './figures.tsx'
import { pairName } from './pair-name.ts'
import { words } from './strings.ts'
import { fromBps } from './units.ts'
import { trader } from './venue.ts'

type Kept = GetKeptOrdersResult['list'][number]

const ROWS = 100
const LIVE = ['open', 'sent'] as const
/** A wallet has about half as many at most. */
const MOST_LIVE = 200
/** The keeper sends them, which no signal of the wallet tells before the trade is mined. */
const EVERY_MS = 10_000

/** The newest, and before them whatever of older ones still waits or is on its way. */
async function newestAndLive(signal: AbortSignal): Promise<readonly Kept[]> {
  const { client } = trader()
  const { list, totalCount } = await getKeptOrders(client, { size: ROWS }, { signal })
  if (totalCount <= list.length) return list
  const live = await Promise.all(LIVE.map((status) => getKeptOrders(client, { status, size: MOST_LIVE }, { signal })))
  const older = new Map(live.flatMap((page) => page.list).map((order) => [order.keptOrderId, order]))
  for (const { keptOrderId } of list) older.delete(keptOrderId)
  return [...older.values(), ...list]
}

export function KeptOrders() {
  const kept = useResource(newestAndLive, [], EVERY_MS, keptChanges)
  return (
    <Loaded of={kept}>
      {(rows) => (
        <>
          <Table
            caption={words.kept}
            columns={columnsOf(rows)}
            rows={rows}
            rowKey={({ keptOrderId }) => keptOrderId}
            empty={words.noKept}
          />
          <p class="muted perp-note">{words.keptNote}</p>
        </>
      )}
    </Loaded>
  )
}

/** The other order of a pair of which the one that is sent first cancels the other, while that may be sent. */
const pairedWith = ({ linkedOrderIds }: Kept, rows: readonly Kept[]): Kept | undefined =>
  rows.find(({ keptOrderId, status }) => status === 'open' && linkedOrderIds.includes(keptOrderId))

function NameOf({ order, rows }: { readonly order: Kept; readonly rows: readonly Kept[] }) {
  const other = order.status === 'open' ? pairedWith(order, rows) : undefined
  return (
    <>
      <strong>{pairName(order)}</strong> {words.keptKinds[order.kind]}
      {other && (
        <span class="muted"> {words.linkedWith(words.keptKinds[other.kind], priceText(other.triggerPrice))}</span>
      )}
    </>
  )
}

const columnsOf = (rows: readonly Kept[]): readonly Column<Kept>[] => [
  { key: 'market', title: words.market, cell: (order) => <NameOf order={order} rows={rows} /> },
  { key: 'side', title: words.side, cell: ({ side }) => sideText(side) },
  { key: 'price', title: words.triggerPrice, number: true, cell: ({ triggerPrice }) => priceText(triggerPrice) },
  {
    key: 'size',
    title: words.size,
    number: true,
    cell: ({ size }) => (size === null ? words.closeAll : <Size wad={size} />),
  },
  {
    key: 'slippage',
    title: words.slippage,
    number: true,
    cell: ({ slippageBps }) => formatPercent(fromBps(slippageBps)).replace('+', ''),
  },
  { key: 'placed', title: words.placed, cell: ({ createdAt }) => whenText(createdAt) },
  { key: 'status', title: words.kind, cell: (order) => <StatusOf order={order} /> },
  { key: 'tx', title: words.transaction, cell: ({ txHash }) => (txHash ? <Hash hash={txHash} /> : '–') },
  { key: 'actions', title: '', number: true, cell: (order) => <CancelOf order={order} /> },
]

const TONES = {
  open: 'info',
  sent: 'wait',
  done: 'good',
  failed: 'bad',
  cancelled: 'plain',
  expired: 'plain',
} as const

const StatusOf = ({ order: { status, message } }: { readonly order: Kept }) => (
  <>
    <Badge tone={TONES[status]}>{words.keptStatus[status]}</Badge>
    {message && <span class="muted"> {message}</span>}
  </>
)

function CancelOf({ order }: { readonly order: Kept }) {
  const { keptOrderId, status, kind, triggerPrice } = order
  const doing = useDoing(`cancel kept ${keptOrderId}`, noteKept)
  if (status !== 'open') return null
  const name = words.cancelKept(words.keptKinds[kind], pairName(order), priceText(triggerPrice))
  const cancel = async () => {
    await cancelKeptOrder(trader().client, { keptOrderId })
  }
  return (
    <>
      <Button
        size="small"
        aria-label={name}
        busy={doing.step.value !== null}
        onClick={() => void doing.run(name, cancel)}
      >
        {words.cancel}
      </Button>
      {doing.failure.value && <Failure message={doing.failure.value} />}
    </>
  )
}
