import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventually } from './client.ts'
import { runReconcile } from './reconciliation-day.ts'
import { Trader } from './trader.ts'
import { startVenue, type Venue } from './venue.ts'

// The report of a venue as it is really run: in one process, or each role in its own.

let venue: Venue
let trader: Trader
beforeAll(async () => {
  venue = await startVenue()
  trader = new Trader(venue, venue.client, 0)
  await trader.fund(10_000n)
  await trader.cash('deposits', '2500')
}, 600_000)
afterAll(() => venue?.stop(), 120_000)

it('says that broker, database and chain agree, on the command line, in /status and in /metrics', async () => {
  const txHash = await trader.place({ side: 'Buy', notional: '1000' })
  await eventually(
    () => trader.order(txHash),
    ({ historyOrder }) => historyOrder !== null,
  )
  const rows = async () => {
    const { stdout, code } = await runReconcile(venue.databaseUrl, '--json', '--product', 'stock')
    if (code === 1) return { code, supply: null }
    const { lines } = JSON.parse(stdout) as { lines: { subject: string; comparison: string; chain: string }[] }
    return { code, supply: lines.find((line) => line.subject === 'AAPL' && line.comparison === 'supply')?.chain }
  }
  const seen = await eventually(rows, ({ supply }) => Number(supply) > 0)
  expect(seen.code).toBe(0)
  const answer = await fetch(new URL('/status', venue.baseUrls[0]))
  const { keeper } = (await answer.json()) as { keeper: { reconciliation: object } }
  expect(keeper.reconciliation).toMatchObject({ differences: 0, lasting: 0, causes: [] })
  const metrics = await (await fetch(new URL('/metrics', venue.baseUrls[0]))).text()
  expect(metrics).toMatch(/^bourse_reconciliation_lasting_differences 0$/m)
  expect(metrics).toMatch(/^bourse_reconciliation_age_seconds \d+$/m)
  expect(metrics).toMatch(/^bourse_token_supply_difference{ticker="AAPL"} 0$/m)
}, 900_000)
