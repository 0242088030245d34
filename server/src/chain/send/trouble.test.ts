import { setTimeout as delay } from 'node:timers/promises'
import pino from 'pino'
import { afterEach, expect, test } from 'vitest'
import { createPool, type Sql } from '../../db/pool.ts'
import type { Rpc } from '../rpc.ts'
import type { Hex } from '../types.ts'
import { type Intent, listAttempts } from './intents.ts'
import { relayerStatus } from './status.ts'
import {
  CHAIN_ID,
  devAccount,
  eventually,
  intend,
  intendMany,
  intentIdOf,
  keysTo as keys,
  noncesOf,
  once,
  quickProfile,
  reload,
  startRelayer,
  startWorld,
  untilAllBroadcast,
  untilMined,
  untilSettled,
  untilState,
  upTo,
  type World,
  whileMining,
  withRelayer,
} from './testing/harness.ts'
import { hit, hitAfter, tallies } from './testing/tally.ts'

let world: World
afterEach(() => world.stop())

const settle = devAccount(0)

test('a stuck transaction is replaced with a higher fee and mined once', async () => {
  world = await startWorld({ noMining: true })
  const stuck = await intend(world, 'stuck', hit(1n))
  await withRelayer(world, {}, async () => {
    await untilState(world, stuck, 'broadcast')
    const [first] = await listAttempts(world.sql, CHAIN_ID, stuck.id)
    const dear = `0x${((first?.maxFeeWei ?? 0n) * 3n).toString(16)}`
    const mined = await eventually('the replacement is mined', async () => {
      await world.rpc.call('anvil_setNextBlockBaseFeePerGas', [dear])
      await world.rpc.call('evm_mine')
      await delay(50)
      const row = await reload(world, stuck)
      return row.blockNumber !== null && row
    })
    const attempts = await listAttempts(world.sql, CHAIN_ID, stuck.id)
    expect(attempts.length).toBeGreaterThan(1)
    expect(new Set(attempts.map((attempt) => attempt.nonce))).toEqual(new Set([0n]))
    expect(mined.txHash).not.toBe(first?.hash)
    for (const { hash } of attempts) expect(await intentIdOf(world, hash)).toBe(stuck.id)
  })
  expect(await tallies(world.rpc, world.tally, [1n])).toEqual([1n])
})

test('a low balance stops sending, shows, and ends with new money', async () => {
  world = await startWorld({ noMining: true })
  await world.rpc.call('anvil_setBalance', [settle.address, '0x1'])
  const waiting = await intend(world, 'waiting', hit(1n))
  await withRelayer(world, {}, async () => {
    await eventually('low balance shows', async () => {
      const { signers } = await relayerStatus(world.sql, CHAIN_ID)
      return signers[0]?.stoppedReason === 'low_balance'
    })
    expect(await reload(world, waiting)).toMatchObject({ state: 'queued', nonce: null })
    await world.rpc.call('anvil_setBalance', [settle.address, '0xde0b6b3a7640000'])
    await whileMining(world.rpc, 100, () => untilMined(world, waiting))
    const { signers } = await relayerStatus(world.sql, CHAIN_ID)
    expect(signers[0]?.stoppedReason).toBeNull()
  })
})

test('transactions that a reorg drops come back with the same bytes', async () => {
  world = await startWorld({ noMining: true })
  const intents = await intendMany(world, 6)
  // No fee is raised here: on a slow machine that would be other bytes, rightly.
  const profile = quickProfile()
  const patient = { ...profile, fee: { ...profile.fee, bumpAfterMs: 600_000 } }
  await withRelayer(world, { profile: patient }, async () => {
    await untilAllBroadcast(world, intents)
    await world.rpc.call('evm_mine')
    const before = await Promise.all(intents.map((intent) => untilState(world, intent, 'mined')))
    await world.rpc.call('evm_mine')
    await world.rpc.call('anvil_reorg', [2, []])
    expect(await tallies(world.rpc, world.tally, keys(6))).toEqual(keys(6).map(() => 0n))
    await eventually(
      'the vanished are in flight again',
      async () => (await reload(world, intents[0] as Intent)).state === 'broadcast',
    )
    const after = await whileMining(world.rpc, 100, () =>
      Promise.all(intents.map((intent) => untilState(world, intent, 'final'))),
    )
    expect(after.map((row) => row.txHash)).toEqual(before.map((row) => row.txHash))
    expect(after.map((row) => row.blockHash)).not.toContain(before[0]?.blockHash)
  })
  expect(await tallies(world.rpc, world.tally, keys(6))).toEqual(once(6))
})

test('transactions that a mempool forgets come back by themselves with the same bytes', async () => {
  world = await startWorld({ noMining: true })
  const intents = await intendMany(world, 4)
  await withRelayer(world, {}, async () => {
    await untilAllBroadcast(world, intents)
    await world.rpc.call('anvil_dropAllTransactions')
    const pending = () => world.rpc.call<{ pending: Hex }>('txpool_status')
    await eventually('all are in the mempool again', async () => Number((await pending()).pending) === intents.length)
    await world.rpc.call('evm_mine')
    await Promise.all(intents.map((intent) => untilState(world, intent, 'mined')))
  })
  for (const { id } of intents) expect(await listAttempts(world.sql, CHAIN_ID, id)).toHaveLength(1)
  expect(await tallies(world.rpc, world.tally, keys(4))).toEqual(once(4))
})

test('a receipt of a block above the head that was read is looked at again, though the next head stands on that one', async () => {
  world = await startWorld({ noMining: true })
  let isDue = false
  const replaced = Promise.withResolvers<void>()
  const outcomes: Rpc['outcomes'] = async (calls, options) => {
    const isView = calls.length === 4 && calls[0]?.method === 'eth_getBlockByNumber'
    if (!isDue || !isView) return await world.rpc.outcomes(calls, options)
    if (await isMined()) {
      await replaced.promise
      return await world.rpc.outcomes(calls, options)
    }
    const head = await world.rpc.outcomes<never>(calls.slice(0, 1), options)
    await world.rpc.call('evm_mine')
    return [...head, ...(await world.rpc.outcomes<never>(calls.slice(1), options))]
  }
  const isMined = async () => (await world.rpc.call('eth_getTransactionCount', [settle.address, 'latest'])) !== '0x0'
  const profile = quickProfile({ finality: { by: 'depth', blocks: 100 } })
  await withRelayer(world, { profile, rpc: { ...world.rpc, outcomes } }, async () => {
    const intent = await intend(world, 'one', hit(1n))
    await untilState(world, intent, 'broadcast')
    const [attempt] = await world.sql<{ rawTx: Hex }[]>`select raw_tx as "rawTx" from tx_attempts`
    isDue = true
    const before = await untilState(world, intent, 'mined')
    await world.rpc.call('anvil_reorg', [1, [[attempt?.rawTx, 0]]])
    replaced.resolve()
    const after = await eventually('it is in the other block', async () => {
      const row = await reload(world, intent)
      return row.blockHash !== before.blockHash && row
    })
    const receipt = await world.rpc.call<{ blockHash: Hex }>('eth_getTransactionReceipt', [before.txHash])
    expect(after).toMatchObject({ state: 'mined', txHash: before.txHash, blockHash: receipt.blockHash })
  })
})

test('a reorg that happens while no relayer runs is found at the next start', async () => {
  world = await startWorld({ noMining: true })
  const intents = await intendMany(world, 3)
  await withRelayer(world, {}, async () => {
    await untilAllBroadcast(world, intents)
    // One block for all of them, and none above it: nothing is final before the reorg.
    await world.rpc.call('evm_mine')
    await Promise.all(intents.map((intent) => untilState(world, intent, 'mined')))
  })
  await world.rpc.call('anvil_reorg', [1, []])
  expect(await tallies(world.rpc, world.tally, keys(3))).toEqual([0n, 0n, 0n])
  await withRelayer(world, {}, () =>
    whileMining(world.rpc, 100, () => Promise.all(intents.map((intent) => untilState(world, intent, 'final')))),
  )
  expect(await tallies(world.rpc, world.tally, keys(3))).toEqual(once(3))
  expect(await noncesOf(world, settle.address)).toEqual(upTo(3))
})

test('a reorg in the middle of a simulation rejects nothing that needs what it took away', async () => {
  world = await startWorld({ noMining: true })
  const inOrder = { orderingKey: 'user' }
  const first = await intend(world, 'first', hit(1n), inOrder)
  let reorgs = 0
  const rpc: Rpc = {
    ...world.rpc,
    async outcomes(calls, options) {
      const isDependent = calls.some(({ method, params }) => {
        const [call] = params as [{ data?: Hex } | undefined]
        return method === 'eth_estimateGas' && call?.data === hitAfter(2n, 1n)
      })
      if (isDependent && reorgs++ === 0) await world.rpc.call('anvil_reorg', [1, []])
      return world.rpc.outcomes(calls, options)
    },
  }
  await withRelayer(world, { rpc }, async () => {
    await untilAllBroadcast(world, [first])
    await world.rpc.call('evm_mine')
    await untilState(world, first, 'mined')
    const second = await intend(world, 'second', hitAfter(2n, 1n), inOrder)
    await eventually('the chain is reorganised while the second is simulated', async () => reorgs > 0)
    await whileMining(world.rpc, 100, () => untilState(world, second, 'final'))
  })
  expect(await tallies(world.rpc, world.tally, keys(2))).toEqual(once(2))
})

test('a block that comes in the middle of a simulation rejects nothing that builds on it', async () => {
  world = await startWorld({ noMining: true })
  const from = devAccount(5).address
  let blocks = 0
  const rpc: Rpc = {
    ...world.rpc,
    async outcomes(calls, options) {
      const outcomes = await world.rpc.outcomes(calls, options)
      const isRun = calls.some(({ method }) => method === 'eth_estimateGas')
      if (isRun && blocks++ === 0) {
        // What the call needs, and whoever asked for it has seen already.
        await world.rpc.call('eth_sendTransaction', [{ from, to: world.tally, data: hit(1n) }])
        await world.rpc.call('evm_mine')
      }
      return outcomes as never
    },
  }
  await withRelayer(world, { rpc }, async () => {
    const dependent = await intend(world, 'dependent', hitAfter(2n, 1n))
    await eventually('a block is mined while it is simulated', async () => blocks > 0)
    await whileMining(world.rpc, 100, () => untilState(world, dependent, 'final'))
  })
  expect(await tallies(world.rpc, world.tally, keys(2))).toEqual(once(2))
})

test('a foreign transaction on our nonce fails the intent, but only once it is final', async () => {
  world = await startWorld({ noMining: true })
  const beaten = await intend(world, 'beaten', hit(1n))
  await withRelayer(world, {}, async () => {
    await untilState(world, beaten, 'broadcast')
    await world.rpc.call('anvil_dropAllTransactions')
    const gasPrice = '0x174876e800'
    await world.rpc.call('eth_sendTransaction', [{ from: settle.address, to: settle.address, nonce: '0x0', gasPrice }])
    for (const _ of upTo(4)) await world.rpc.call('evm_mine')
    await delay(500)
    expect(await reload(world, beaten), 'not final yet').toMatchObject({ state: 'broadcast' })
    const next = await intend(world, 'next', hit(2n))
    await whileMining(world.rpc, 100, () => untilState(world, beaten, 'failed'))
    expect(await whileMining(world.rpc, 100, () => untilMined(world, next))).toMatchObject({ nonce: 1n })
  })
  expect(await tallies(world.rpc, world.tally, [1n, 2n])).toEqual([0n, 1n])
})

test('lost database connections lose and repeat nothing', async () => {
  world = await startWorld({ blockTimeSec: 0.1 })
  const applicationName = 'unlucky relayer'
  const sql = createPool({ url: world.database.url, maxConnections: 4, applicationName })
  const ofRelayer = () => world.sql<{ pid: number }[]>`
    select pid from pg_stat_activity where application_name = ${applicationName}`
  const relayer = startRelayer(world, { sql })
  let ended = 0
  for (const round of upTo(3)) {
    await Promise.all(upTo(20).map((index) => intend(world, `${round} ${index}`, hit(BigInt(round * 20 + index + 1)))))
    // It works: its lock has one connection, its queries at least a further one.
    await eventually('the relayer is connected', async () => (await ofRelayer()).length > 1)
    const gone = await world.sql`
      select pg_terminate_backend(pid) from pg_stat_activity where application_name = ${applicationName}`
    ended += gone.length
  }
  await untilSettled(world)
  await relayer.stop()
  await sql.end({ timeout: 1 })
  expect(ended).toBeGreaterThanOrEqual(6)
  expect(await tallies(world.rpc, world.tally, keys(60))).toEqual(once(60))
  expect(await noncesOf(world, settle.address)).toEqual(upTo(60))
})

test('a signer whose pool fails in the moment after it has its lock takes it again', async () => {
  world = await startWorld({ blockTimeSec: 0.1 })
  let failures = 0
  const failing = new Proxy(world.sql, {
    apply(target, self, [strings, ...values]: [TemplateStringsArray, ...unknown[]]) {
      if (failures > 0 || !strings.join('').includes('and retired_at is not null'))
        return Reflect.apply(target, self, [strings, ...values])
      failures++
      return Promise.reject(Object.assign(new Error('write CONNECTION_CLOSED'), { code: 'CONNECTION_CLOSED' }))
    },
  })
  const intent = await intend(world, 'one', hit(1n))
  await withRelayer(world, { sql: failing }, () => untilMined(world, intent))
  expect(failures).toBe(1)
})

test('where a session does not keep its lease, the relayer says so once and tries again', async () => {
  world = await startWorld({ blockTimeSec: 0.1 })
  // Stands before the one of the catalog on the sessions of locks alone, and keeps nothing.
  await world.sql.unsafe(`create sequence public.tries;
    create function public.set_config(text, text, boolean) returns bigint language sql as $$ select nextval('public.tries') $$`)
  const { options } = world.sql
  const connection = { ...options.connection, search_path: 'public, pg_catalog' }
  const forgetful = new Proxy(world.sql, {
    get: (target, key) => (key === 'options' ? { ...options, connection } : Reflect.get(target, key)),
  })
  const lines: string[] = []
  const log = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) })
  const intent = await intend(world, 'one', hit(1n))
  await withRelayer(world, { sql: forgetful as Sql, log }, async () => {
    await eventually('it was tried twice', async () => {
      const [row] = await world.sql`select last_value >= 10 as twice from public.tries`
      return row?.twice === true
    })
    expect(await reload(world, intent)).toMatchObject({ state: 'queued' })
    await world.sql.unsafe('drop function public.set_config; drop sequence public.tries')
    await untilMined(world, intent)
  })
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain('did not keep idle_session_timeout')
})
