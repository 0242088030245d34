import { decodeFunctionData, encodeFunctionResult } from 'viem'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { observerAbi } from '../../chain/abi/observer.ts'
import type { Rpc, RpcCall } from '../../chain/rpc.ts'
import type { Hex } from '../../chain/types.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import type { Venue } from '../../http/product.ts'
import { testVenue } from '../../http/testing.ts'
import { WAD } from '../../lib/wad.ts'
import { reconcileTask } from '../../reconciliation/cycle.ts'
import { latestReading } from '../../reconciliation/reading-store.ts'
import { PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import { CHAIN_ID } from '../testing/key-api.ts'
import { perpComparisons } from './reconcile.ts'

// What a reading looks at of many accounts. The node is a table here; each account has a position of 1.

const BTC: Hex = `0x${'b'.repeat(40)}`
const BLOCK_HASH: Hex = `0x${'7'.repeat(64)}`
const ACCOUNTS = 130
const traderOf = (number: number): Hex => `0x${number.toString(16).padStart(40, '0')}`

let db: TestDatabase
let venue: Venue
let nowMs: number
/** What the contract has of those who have something else than 1. */
let sizes: Map<string, bigint>
beforeEach(async () => {
  db = await testDatabase()
  ;[nowMs, sizes] = [1_700_000_000_000, new Map()]
  const deployment = { chainId: CHAIN_ID, startBlock: 0n, contracts: { Observer: `0x${'9'.repeat(40)}` as Hex } }
  venue = testVenue({ sql: db.sql, rpc: node, deployment, clock: { nowMs: () => nowMs } })
  await db.sql`
    insert into chain_checkpoints (chain_id, genesis_hash, base_number, block_number, block_hash, final_number)
    values (${CHAIN_ID}, ${BLOCK_HASH}, 0, 7, ${BLOCK_HASH}, 0)`
  const traders = Array.from({ length: ACCOUNTS }, (_, nth) => traderOf(nth + 1))
  await db.sql`
    insert into perp_positions (chain_id, instrument, expiry, trader, balance_wad, size_wad, entry_notional_wad,
      entry_social_loss_index, entry_funding_index, update_tx_hash, updated_at_sec)
    select ${CHAIN_ID}, ${BTC}, ${PERPETUAL_EXPIRY}, trader, 0, ${String(WAD)}::numeric, 0, 0, 0, '0x', 1
    from unnest(${traders}::text[]) trader`
})
afterEach(() => db.drop())

const node = {
  call: async () => ({ hash: BLOCK_HASH }),
  batch: async (calls: readonly RpcCall[]) => calls.map(({ params }) => answer((params[0] as { data: Hex }).data)),
} as unknown as Rpc

function answer(data: Hex): Hex {
  const { args } = decodeFunctionData({ abi: observerAbi, data })
  const size = sizes.get(String(args?.[2]).toLowerCase()) ?? WAD
  const position = { balance: 0n, size, entryNotional: 0n, entrySocialLossIndex: 0n, entryFundingIndex: 0n }
  const portfolio = { oids: [], rids: [], position, orders: [], ranges: [], ordersTaken: [] }
  const result = [portfolio, { timestamp: 0, height: 0 }] as const
  return encodeFunctionResult({ abi: observerAbi, functionName: 'getPortfolio', result })
}

/** A reading by a keeper that has just begun: of the positions, how many were looked at, how many differ, and for how long. */
async function read() {
  await reconcileTask(perpComparisons).run(venue)
  nowMs += 60_000
  const reading = await latestReading(db.sql, CHAIN_ID, 'perp')
  const line = reading?.lines.find(({ comparison }) => comparison === 'positions')
  return [line?.database, line?.difference, line?.readingsInARow]
}

it('looks again at an account that differs, beside the next ones, until it agrees', async () => {
  sizes.set(traderOf(1), 2n * WAD)
  expect(await read()).toEqual([60n, 1n, 1])
  expect(await read()).toEqual([61n, 1n, 2])
  expect(await read()).toEqual([11n, 1n, 3])
  sizes.clear()
  expect(await read()).toEqual([60n, 0n, 0])
  expect(await read()).toEqual([60n, 0n, 0])
})

it('goes no further while it would have to leave some of those that differ behind', async () => {
  for (let number = 1; number <= 70; number++) sizes.set(traderOf(number), 2n * WAD)
  const seen = [await read(), await read(), await read()]
  expect(seen).toEqual([
    [60n, 60n, 1],
    [60n, 60n, 2],
    [60n, 60n, 3],
  ])
  sizes.clear()
  sizes.set(traderOf(70), 2n * WAD)
  expect([await read(), await read()]).toEqual([
    [60n, 0n, 0],
    [60n, 1n, 1],
  ])
})
