import { afterAll, beforeAll, expect, it } from 'vitest'
import type { TestDatabase } from '../../db/testing.ts'
import type { Hex } from '../types.ts'
import type { EventModule } from './event-module.ts'
import {
  mine,
  type ProbeCall,
  type ProbeChain,
  probeDatabase,
  probeModule,
  set,
  startFollower,
  startProbeChain,
  waitForHead,
} from './testing.ts'

// A contract that an event names is followed from the block of that event on.

const STRANGER: Hex = '0x00000000000000000000000000000000000000e1'

/** A `Set` of this key names a contract: the value is its address. */
const NAMES = 99n

let chain: ProbeChain
let database: TestDatabase
beforeAll(async () => {
  chain = await startProbeChain()
  database = await probeDatabase()
})
afterAll(async () => {
  await database?.drop()
  await chain?.anvil.stop()
})

const addressOf = (value: bigint): Hex => `0x${value.toString(16).padStart(40, '0')}`

function discovering(): EventModule {
  const sourceAt = (address: Hex) => ({ address, abi: chain.abi, abiVersion: 1 })
  return {
    ...probeModule(chain),
    discovery: {
      events: ['Set'],
      sourcesOf: ({ args }) => (args.key === NAMES ? [sourceAt(addressOf(args.value as bigint))] : []),
      async known(sql) {
        const rows = await sql<
          { value: bigint }[]
        >`select value_wad as value from probe_values where key = ${String(NAMES)}`
        return rows.map(({ value }) => sourceAt(addressOf(value)))
      },
    },
  }
}

const onOther = (key: number, value: bigint): ProbeCall => ({ ...set(key, value), to: chain.other })
const keys = async () =>
  (await database.sql<{ key: bigint }[]>`select key from probe_values order by key`).map(({ key }) => Number(key))

it('is followed from the beginning of its block, and by a follower that starts later', async () => {
  const { sql } = database
  let follower = startFollower(sql, chain, { modules: [discovering()] })
  try {
    await mine(chain, onOther(1, 5n))
    await waitForHead(sql, chain.rpc)
    expect(await keys()).toEqual([])

    // What it logs before it is named counts, in the same block.
    await mine(chain, onOther(2, 5n), set(Number(NAMES), BigInt(chain.other)), onOther(3, 5n))
    await mine(chain, onOther(4, 5n))
    await waitForHead(sql, chain.rpc)
    expect(await keys()).toEqual([2, 3, 4, 99])

    await follower.stop()
    await mine(chain, onOther(5, 5n))
    follower = startFollower(sql, chain, { modules: [discovering()] })
    await waitForHead(sql, chain.rpc)
    expect(await keys()).toEqual([2, 3, 4, 5, 99])
  } finally {
    await follower.stop()
  }
})

it('is followed from there by an index of the history too, whatever else is read at once', async () => {
  const other = await probeDatabase()
  const follower = startFollower(other.sql, chain, { modules: [discovering()] })
  try {
    await waitForHead(other.sql, chain.rpc)
    const rows = await other.sql<{ key: bigint }[]>`select key from probe_values order by key`
    expect(rows.map(({ key }) => Number(key))).toEqual(await keys())
  } finally {
    await follower.stop()
    await other.drop()
  }
})

it('is followed no more when the block that named it is reorganised away', async () => {
  const fresh = await probeDatabase()
  const follower = startFollower(fresh.sql, chain, { modules: [discovering()] })
  try {
    const before = await chain.rpc.call('evm_snapshot')
    await mine(chain, set(Number(NAMES), BigInt(STRANGER)))
    await mine(chain, onOther(6, 5n))
    await waitForHead(fresh.sql, chain.rpc)
    await chain.rpc.call('evm_revert', [before])
    await mine(chain, set(7, 1n))
    await mine(chain, set(8, 1n))
    await mine(chain, onOther(9, 5n))
    await waitForHead(fresh.sql, chain.rpc)
    const rows = await fresh.sql<
      { key: bigint; value: bigint }[]
    >`select key, value_wad as value from probe_values order by key`
    expect(rows.map(({ key }) => Number(key))).toEqual([2, 3, 4, 5, 7, 8, 9, 99])
    expect(rows.at(-1)?.value).toBe(BigInt(chain.other))
  } finally {
    await follower.stop()
    await fresh.drop()
  }
})
