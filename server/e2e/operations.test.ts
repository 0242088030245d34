import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from './client.ts'
import { startVenue, type Venue } from './venue.ts'

// What docs/operations.md says of a running venue.

const guide = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'operations.md'), 'utf8')

let venue: Venue
beforeAll(async () => {
  venue = await startVenue()
  // Keeper and relayer report once they have worked.
  await eventually(
    () => status(),
    ({ relayer, keeper }) => relayer.signers.length > 1 && keeper.tasks.length > 3,
  )
})
afterAll(() => venue?.stop())

const ask = (path: string) => fetch(new URL(path, venue.baseUrls[0]))
/** What /status says once it says it: of a database that is held up it answers 503. */
// biome-ignore lint/suspicious/noExplicitAny: what is in it is what the test looks at
async function status(): Promise<any> {
  const answer = await eventually(
    () => ask('/status'),
    ({ status: code }) => code === 200,
  )
  return answer.json()
}

describe('the addresses without a key', () => {
  it('say that the venue lives and is ready', async () => {
    const alive = await ask('/healthz')
    expect([alive.status, await alive.json()]).toEqual([200, { status: 'ok' }])
    // An indexer that was held up may have been silent for a moment.
    const ready = await eventually(
      () => ask('/readyz'),
      ({ status }) => status === 200,
    )
    expect(await ready.json()).toEqual({ ready: true, reasons: [] })
  })

  it('tell the indexed block as it grows, and its lag', async () => {
    const { indexer, chainId } = await status()
    expect(chainId).toBe(31_337)
    const grown = await eventually(
      async () => (await status()).indexer,
      (later) => BigInt(later.indexedNumber) > BigInt(indexer.indexedNumber) && later.state === 'following',
    )
    expect(grown).toMatchObject({ state: 'following', reason: null, headNumber: expect.stringMatching(/^\d+$/) })
    expect(grown.lagBlocks).toMatch(/^\d+$/)
  })

  it('tell how relayer and keeper fare', async () => {
    const { relayer, keeper } = await status()
    for (const signer of relayer.signers) {
      expect(signer).toMatchObject({ address: expect.stringMatching(/^0x[0-9a-f]{40}$/), stoppedReason: null })
      expect(BigInt(signer.balanceWei)).toBeGreaterThan(0n)
    }
    for (const task of keeper.tasks) expect(task).toMatchObject({ failuresInARow: expect.any(Number) })
  })

  it('have every field that the guide names', async () => {
    const said = await status()
    const rows = [...guide.matchAll(/^\| (`(?:indexer|relayer|keeper)\.[^|]*)\|/gm)].map(([, cell = '']) => cell)
    const fields = rows.flatMap((cell) => {
      const [first = '', ...others] = [...cell.matchAll(/`([\w.]+)`/g)].map(([, name = '']) => name)
      const [part = ''] = first.split('.')
      return [first, ...others.map((name) => `${part}.${name}`)]
    })
    expect(fields.length).toBeGreaterThan(8)
    for (const field of fields) {
      const [part = '', name = ''] = field.split('.')
      expect(said[part], field).toHaveProperty(name)
    }
  })

  it('show in the metrics exactly what the guide explains', async () => {
    await venue.client.get('/api/v1/config')
    const text = await eventually(
      async () => (await ask('/metrics')).text(),
      (metrics) => metrics.includes('\nbourse_ready 1\n'),
    )
    const shown = [...text.matchAll(/^# HELP ((?:bourse|http)_\w+) /gm)].map(([, name]) => name)
    const explained = [...guide.matchAll(/^\| `((?:bourse|http)_\w+)` +\|/gm)].map(([, name]) => name)
    // The counter of a keeper is in the process of the keeper.
    const { DATABASE_URL, REDIS_URL } = process.env
    const keepers = DATABASE_URL && REDIS_URL ? ['bourse_keeper_failures_total'] : []
    expect(shown.sort()).toEqual(explained.filter((name) => !keepers.includes(name ?? '')).sort())
    expect(text).toMatch(/^bourse_ready 1$/m)
    expect(text).toMatch(/^bourse_indexed_block \d+$/m)
    expect(text).toMatch(/^bourse_relayer_stopped{signer="0x[0-9a-f]{40}",reason="low_balance"} 0$/m)
    expect(text).toMatch(/^bourse_keeper_failures_in_a_row{task="\w[^"]*"} \d+$/m)
    expect(text).toMatch(/route="\/api\/v1\/config",status="200"/)
  })
})
