import type { Sql } from '../server/src/db/pool.ts'
import { sleep } from '../server/src/lib/clock.ts'
import { type LiveVenue, liveVenue } from './live-venue.ts'
import { describeRun, printTable, readNumbers, writeResults } from './report.ts'
import { Sender } from './sender.ts'
import { StockBuyers } from './stock-buyers.ts'

const DEPOSIT_RAW = 900_000n * 10n ** 6n
/** Aim: settled within so many seconds, and no later at the end than at the beginning. */
const AIM_P99_SEC = 10
/** What is not settled long after the last order never will be. */
const PATIENCE_MS = 300_000

const NUDGE_MS = 1000

interface Settings {
  readonly perSecond: number
  readonly seconds: number
}

interface Stage {
  readonly p50Sec: number
  readonly p99Sec: number
}

/** `npm run bench -- settle`: market orders at a steady rate on the embedded venue, and how long each takes to settlement. */
export async function benchSettle(args: readonly string[]): Promise<void> {
  const settings: Settings = readNumbers(args, { perSecond: 50, seconds: 600 })
  const run = describeRun()
  const venue = await liveVenue()
  try {
    const results = await measure(venue, settings)
    print(results, settings)
    await writeResults('settle', { ...run, settings, results })
  } finally {
    await venue.close()
  }
}

async function measure(venue: LiveVenue, { perSecond, seconds }: Settings) {
  const { rpc, dev, sql } = venue
  const senders = dev.accounts.map(({ address }) => new Sender(rpc, address))
  const buyers = await StockBuyers.open(venue, senders, DEPOSIT_RAW)
  const orders = perSecond * seconds
  const startedMs = performance.now()
  const nudging = setInterval(() => senders.forEach((sender) => void sender.nudge()), NUDGE_MS)
  for (let n = 0; n < orders; n++) {
    await sleep(Math.max(0, startedMs + (n * 1000) / perSecond - performance.now()))
    void buyers.act()
  }
  clearInterval(nudging)
  const sentPerSec = orders / ((performance.now() - startedMs) / 1000)
  for (const sender of senders) await sender.mined()
  await untilSettled(sql, orders)
  return {
    orders,
    sentPerSec: Math.round(sentPerSec),
    all: await stage(sql, 0, 1),
    first: await stage(sql, 0, 1 / 3),
    last: await stage(sql, 2 / 3, 1),
  }
}

export async function untilSettled(sql: Sql, orders: number): Promise<void> {
  const deadlineMs = Date.now() + PATIENCE_MS
  for (;;) {
    const [row] = await sql<{ settled: number; placed: number }[]>`
      select count(*) filter (where status = 'filled')::int as settled, count(*)::int as placed from stock_orders`
    if (row?.settled === orders) return
    if (Date.now() > deadlineMs)
      throw new Error(`of ${orders} orders ${row?.placed} were placed and ${row?.settled} settled`)
    await sleep(500)
  }
}

/** How long the orders from one share of the run to another took, by the chain's clock. */
async function stage(sql: Sql, from: number, to: number): Promise<Stage> {
  const [row] = await sql<Stage[]>`
    with timed as (
      select closed_at_sec - created_at_sec as sec, percent_rank() over (order by created_at_sec, order_id) as place
      from stock_orders)
    select percentile_cont(0.5) within group (order by sec)::float8 as "p50Sec",
      percentile_cont(0.99) within group (order by sec)::float8 as "p99Sec"
    from timed where place between ${from} and ${to}`
  if (!row) throw new Error('no order was settled')
  return row
}

function print(results: Awaited<ReturnType<typeof measure>>, { perSecond, seconds }: Settings): void {
  const { orders, sentPerSec, all, first, last } = results
  console.log(`\n${orders} market orders in ${seconds} s, ${sentPerSec} a second where ${perSecond} were wanted\n`)
  const row = (name: string, { p50Sec, p99Sec }: Stage) => [name, `${p50Sec.toFixed(1)} s`, `${p99Sec.toFixed(1)} s`]
  const rows = [row('order to settlement', all), row('  first third', first), row('  last third', last)]
  printTable([['', 'p50', 'p99'], ...rows])
  console.log(`\nAim: p99 within ${AIM_P99_SEC} s, ${all.p99Sec <= AIM_P99_SEC ? 'met' : 'missed'}`)
}
