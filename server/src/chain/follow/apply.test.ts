import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestDatabase } from '../../db/testing.ts'
import type { Hex } from '../types.ts'
import { type ApplyContext, applyBlocks, finalise, undoBlocks } from './apply.ts'
import { compileModules } from './decode.ts'
import { StaleCheckpointError } from './failures.ts'
import type { FetchedBlock } from './fetch.ts'
import { type BlockRef, loadCheckpoint } from './store.ts'
import {
  CHAIN_ID,
  dump,
  mine,
  PROBE_TABLES,
  type ProbeChain,
  probeDatabase,
  probeModule,
  set,
  startFollower,
  startProbeChain,
  waitForHead,
} from './testing.ts'
import { installUndo } from './undo.ts'

let chain: ProbeChain
let database: TestDatabase
let context: ApplyContext
let tip: BlockRef
let stale: BlockRef
beforeAll(async () => {
  chain = await startProbeChain()
  database = await probeDatabase()
  const { sql } = database
  const follower = startFollower(sql, chain)
  await mine(chain, set(1, 1n))
  stale = (await waitForHead(sql, chain.rpc)) && ((await loadCheckpoint(sql, CHAIN_ID))?.tip as BlockRef)
  await mine(chain, set(2, 2n))
  await waitForHead(sql, chain.rpc)
  await follower.stop()
  tip = (await loadCheckpoint(sql, CHAIN_ID))?.tip as BlockRef
  const modules = compileModules([probeModule(chain)], chain.deployment)
  context = { sql, chainId: CHAIN_ID, modules, tables: await installUndo(sql, PROBE_TABLES) }
})
afterAll(async () => {
  await database.drop()
  await chain.anvil.stop()
})

/** An empty block far above, so that nothing but the checkpoint can be in its way. */
function blockOn(parent: BlockRef): FetchedBlock {
  const hash: Hex = `0x${'ab'.repeat(32)}`
  const block = { chainId: CHAIN_ID, number: 1000n, hash, parentHash: parent.hash, timestampSec: 1 }
  return { block, logs: [], transactions: [] }
}

describe('a checkpoint that another process has moved', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['applying', () => applyBlocks(context, stale, [blockOn(stale)], 0n)],
    ['undoing', () => undoBlocks(context, stale, { number: stale.number - 1n, hash: '0x00' })],
    ['finalising', () => finalise(context, stale, stale.number)],
  ])('fences off %s, with nothing changed', async (_, work) => {
    const before = await dump(database.sql)
    await expect(work()).rejects.toBeInstanceOf(StaleCheckpointError)
    expect(await dump(database.sql)).toEqual(before)
    expect((await loadCheckpoint(database.sql, CHAIN_ID))?.tip).toEqual(tip)
  })

  it('is what is said also where its block is there already', async () => {
    const again = blockOn(stale)
    const there = { ...again, block: { ...again.block, number: tip.number, hash: tip.hash } }
    await expect(applyBlocks(context, stale, [there], 0n)).rejects.toBeInstanceOf(StaleCheckpointError)
  })

  it('lets go on who stands where it stands', async () => {
    expect(await applyBlocks(context, tip, [], 0n)).toEqual(tip)
    await finalise(context, tip, stale.number)
    expect((await loadCheckpoint(database.sql, CHAIN_ID))?.finalNumber).toBe(stale.number)
    expect((await applyBlocks(context, tip, [blockOn(tip)], 0n)).number).toBe(1000n)
    expect((await loadCheckpoint(database.sql, CHAIN_ID))?.finalNumber).toBe(stale.number)
  })
})
