import { formatUnits } from 'viem/utils'
import { formatAmount, formatTime, shorten } from '../lib/format.ts'
import { useResource } from '../lib/resource.ts'
import { Badge } from '../ui/badge.tsx'
import { Facts } from '../ui/facts.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { Panel } from '../ui/panel.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { type Latency, latenciesOf, samplesOf } from './metrics.ts'
import type { Reconciliation, Status } from './status.ts'
import { words } from './strings.ts'

const EVERY_MS = 5000
const ROUTES = 20

async function read(path: string, signal: AbortSignal): Promise<Response> {
  const response = await fetch(path, { signal })
  if (!response.ok) throw new Error(words.notServed(response.status))
  return response
}

/** How the venue fares, for whoever runs it: read only. */
export function Operator() {
  const status = useResource(async (abort) => (await read('/status', abort)).json() as Promise<Status>, [], EVERY_MS)
  const metrics = useResource(async (abort) => samplesOf(await (await read('/metrics', abort)).text()), [], EVERY_MS)
  const ready = metrics.data.value?.find(({ name }) => name === 'bourse_ready')
  return (
    <>
      <div class="page-head">
        <h1>{words.operator}</h1>
        {ready && (
          <Badge tone={ready.value === 1 ? 'good' : 'bad'}>{ready.value === 1 ? words.ready : words.notReady}</Badge>
        )}
        <p class="muted">{words.lead}</p>
      </div>
      <Loaded of={status}>{(known) => <Figures status={known} />}</Loaded>
      <Panel title={words.latency} flush>
        <Loaded of={metrics}>
          {(samples) => (
            <Table
              caption={words.latency}
              columns={LATENCY}
              rows={latenciesOf(samples).slice(0, ROUTES)}
              rowKey={({ product, route }) => `${product} ${route}`}
              empty={words.none}
            />
          )}
        </Loaded>
      </Panel>
    </>
  )
}

function Figures({ status }: { readonly status: Status }) {
  const { indexer, relayer, keeper } = status
  return (
    <>
      <div class="columns">
        <Panel title={words.indexer}>{indexer ? <Indexer indexer={indexer} /> : words.none}</Panel>
        <Panel title={words.backlog} flush>
          <Table
            caption={words.backlog}
            columns={QUEUES}
            rows={relayer.queues}
            rowKey={({ purpose }) => purpose}
            empty={words.noBacklog}
          />
        </Panel>
        <Panel title={words.reconciliation}>
          <div class="stack">
            <Reconciled name={words.reconciliations.reconciliation} of={keeper.reconciliation} />
            <Reconciled name={words.reconciliations.perpReconciliation} of={keeper.perpReconciliation} />
          </div>
        </Panel>
      </div>
      <Panel title={words.signers} flush>
        <Table
          caption={words.signers}
          columns={SIGNERS}
          rows={relayer.signers}
          rowKey={({ address }) => address}
          empty={words.none}
        />
      </Panel>
      <Panel title={words.tasks} flush>
        <Table
          caption={words.tasks}
          columns={TASKS}
          rows={keeper.tasks}
          rowKey={({ task }) => task}
          empty={words.none}
        />
      </Panel>
    </>
  )
}

const Indexer = ({ indexer }: { readonly indexer: NonNullable<Status['indexer']> }) => (
  <Facts
    facts={[
      [
        words.state,
        <Badge key="state" tone={indexer.state === 'following' && !indexer.silent ? 'good' : 'bad'}>
          {indexer.silent ? words.silent : indexer.state}
        </Badge>,
      ],
      [words.indexed, indexer.indexedNumber],
      [words.head, indexer.headNumber],
      [words.lag, words.blocks(indexer.lagBlocks)],
      [words.final, indexer.finalNumber],
      [words.reported, formatTime(indexer.observedAt)],
      [words.reason, indexer.reason],
    ]}
  />
)

function Reconciled({ name, of }: { readonly name: string; readonly of: Reconciliation | null | undefined }) {
  return (
    <>
      <h3>{name}</h3>
      {of ? <Reading of={of} /> : <p class="muted">{words.noReconciliation}</p>}
    </>
  )
}

/** A reading older than this says nothing about now, as the command line has it; seconds. */
const MAX_READING_AGE_SEC = 180

function Verdict({ ageSec, differences, lasting }: Reconciliation) {
  if (ageSec > MAX_READING_AGE_SEC) return <Badge tone="bad">{words.outdated}</Badge>
  const text = differences === 0 ? words.agrees : words.differ(differences, lasting)
  return <Badge tone={lasting === 0 ? 'good' : 'bad'}>{text}</Badge>
}

function Reading({ of }: { readonly of: Reconciliation }) {
  const { blockNumber, readAt, ageSec, inFlight, causes } = of
  return (
    <>
      <Facts
        facts={[
          [words.differences, <Verdict key="differences" {...of} />],
          [words.compared, formatTime(readAt)],
          [words.age, words.seconds(String(ageSec))],
          [words.block, blockNumber],
          [words.moving, String(inFlight)],
        ]}
      />
      {causes.length > 0 && (
        <ul>
          {causes.map(({ subject, comparison, cause }) => (
            <li key={`${subject} ${comparison}`}>{`${subject}, ${comparison}: ${cause}`}</li>
          ))}
        </ul>
      )}
    </>
  )
}

const age = (ms: number | null): string => (ms === null ? '–' : words.seconds((ms / 1000).toFixed(1)))
const tookText = (sec: number): string => words.milliseconds((sec * 1000).toFixed(1))

const QUEUES: readonly Column<Status['relayer']['queues'][number]>[] = [
  { key: 'purpose', title: words.purpose, cell: ({ purpose }) => purpose },
  { key: 'queued', title: words.queued, number: true, cell: ({ queued }) => queued },
  { key: 'oldest', title: words.oldest, number: true, cell: ({ oldestAgeMs }) => age(oldestAgeMs) },
]

const SIGNERS: readonly Column<Status['relayer']['signers'][number]>[] = [
  { key: 'signer', title: words.signer, cell: ({ address }) => <code title={address}>{shorten(address)}</code> },
  { key: 'purposes', title: words.purposes, cell: ({ purposes }) => purposes.join(', ') },
  {
    key: 'state',
    title: words.state,
    cell: ({ stoppedReason, silent }) =>
      stoppedReason !== null || silent ? (
        <Badge tone="bad">{stoppedReason ?? words.stopped}</Badge>
      ) : (
        <Badge tone="good">{words.works}</Badge>
      ),
  },
  {
    key: 'balance',
    title: words.balance,
    number: true,
    cell: ({ balanceWei }) => formatAmount(balanceWei === null ? null : formatUnits(BigInt(balanceWei), 18), 4),
  },
  { key: 'flight', title: words.inFlight, number: true, cell: ({ inFlight }) => inFlight },
  { key: 'oldest', title: words.oldest, number: true, cell: ({ oldestPendingAgeMs }) => age(oldestPendingAgeMs) },
]

const TASKS: readonly Column<Status['keeper']['tasks'][number]>[] = [
  { key: 'task', title: words.task, cell: ({ task }) => task },
  { key: 'rounds', title: words.rounds, number: true, cell: ({ rounds }) => rounds },
  {
    key: 'failures',
    title: words.failures,
    number: true,
    cell: ({ failuresInARow }) => <span class={failuresInARow > 0 ? 'down' : ''}>{failuresInARow}</span>,
  },
  {
    key: 'success',
    title: words.lastSuccess,
    cell: ({ lastSuccessAt }) => (lastSuccessAt ? formatTime(lastSuccessAt) : words.never),
  },
  { key: 'error', title: words.lastError, cell: ({ lastError }) => lastError ?? words.none },
]

const LATENCY: readonly Column<Latency>[] = [
  { key: 'product', title: words.product, cell: ({ product }) => product },
  { key: 'route', title: words.route, cell: ({ route }) => <code>{route}</code> },
  { key: 'requests', title: words.requests, number: true, cell: ({ requests }) => requests },
  { key: 'mean', title: words.mean, number: true, cell: ({ mean }) => tookText(mean) },
  { key: 'p99', title: words.p99, number: true, cell: ({ p99 }) => (p99 === null ? words.above : tookText(p99)) },
]
