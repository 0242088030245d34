import { afterEach, expect, test } from 'vitest'
import { createPool, inTransaction } from '../../db/pool.ts'
import { createRpc } from '../rpc.ts'
import { insertIntent } from './intents.ts'
import { FAULTS, regularFaults } from './testing/faults.ts'
import {
  CHAIN_ID,
  devAccount,
  eventually,
  expectEachMinedOnce,
  keysTo,
  noncesOf,
  quickProfile,
  startWorld,
  untilSettled,
  upTo,
  type World,
  withRelayer,
} from './testing/harness.ts'
import { startRpcProxy } from './testing/rpc-proxy.ts'
import { hit } from './testing/tally.ts'

let world: World
afterEach(() => world.stop())

const WORKERS = 100
const pool = upTo(4).map((index) => devAccount(index + 1))

/** Each worker inserts its request in a transaction of its own, none before all of them are open. */
async function insertByWorkers(): Promise<void> {
  const sql = createPool({ url: world.database.url, maxConnections: 25, applicationName: 'workers' })
  let waiting = WORKERS
  const { promise: all, resolve } = Promise.withResolvers<void>()
  const worker = async (index: number) => {
    if (--waiting === 0) resolve()
    await all
    const key = BigInt(index + 1)
    await inTransaction(sql, (tx) =>
      insertIntent(tx, {
        chainId: CHAIN_ID,
        purpose: 'submit',
        to: world.tally,
        data: hit(key),
        dedupeKey: `key ${key}`,
        orderingKey: `user ${index % 20}`,
      }),
    )
  }
  try {
    await Promise.all(upTo(WORKERS).map(worker))
  } finally {
    await sql.end()
  }
}

test('100 requests of 100 workers at once, four signers and a faulty node: 100 mined, none twice', async () => {
  world = await startWorld({ blockTimeSec: 0.1 })
  const faults = regularFaults()
  const proxy = await startRpcProxy(world.anvil.rpcUrl, faults.decide)
  const signers = pool.map(({ privateKey }) => ({ purpose: 'submit', privateKey }))
  const rpc = createRpc({ url: proxy.url, timeoutMs: 1000 })
  // Few at a time, so that there are many broadcasts to go wrong.
  const profile = quickProfile({ mempool: { ...quickProfile().mempool, maxInFlight: 4 } })
  try {
    await withRelayer(world, { signers, rpc, profile }, async () => {
      await eventually('all signers work', async () => (await reported()) === pool.length)
      await insertByWorkers()
      await untilSettled(world)
    })
  } finally {
    await proxy.stop()
  }
  for (const fault of FAULTS) expect(faults.counts.get(fault), fault).toBeGreaterThan(0)
  const addresses = pool.map(({ address }) => address)
  await expectEachMinedOnce(world, keysTo(WORKERS), addresses)
  const used = await Promise.all(addresses.map((address) => noncesOf(world, address)))
  expect(used.filter((nonces) => nonces.length > 0).length, 'signers that sent').toBeGreaterThan(1)
})

async function reported(): Promise<number> {
  return (await world.sql`select 1 from tx_signers where chain_id = ${CHAIN_ID}`).length
}
