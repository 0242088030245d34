import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { createPool } from '../../db/pool.ts'
import { createRpc } from '../rpc.ts'
import type { Hex } from '../types.ts'
import { findIntentByHash, type Intent, listAttempts } from './intents.ts'
import { relayerStatus } from './status.ts'
import {
  CHAIN_ID,
  devAccount,
  eventually,
  intend,
  noncesOf,
  quickProfile,
  reload,
  startRelayer,
  startWorld,
  untilSettled,
  untilState,
  upTo,
  type World,
  whileMining,
  withRelayer,
} from './testing/harness.ts'
import { type ProxyAct, startRpcProxy } from './testing/rpc-proxy.ts'
import { hit, tallies } from './testing/tally.ts'

let world: World
afterEach(() => world.stop())

const settle = devAccount(0)
const once = (n: number): bigint[] => upTo(n).map(() => 1n)
const keys = (n: number): bigint[] => upTo(n).map((index) => BigInt(index + 1))
const intendMany = (n: number): Promise<Intent[]> =>
  Promise.all(keys(n).map((key) => intend(world, `key ${key}`, hit(key))))

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
      return row.state === 'mined' && row
    })
    const attempts = await listAttempts(world.sql, CHAIN_ID, stuck.id)
    expect(attempts.length).toBeGreaterThan(1)
    expect(new Set(attempts.map((attempt) => attempt.nonce))).toEqual(new Set([0n]))
    expect(mined.txHash).not.toBe(first?.hash)
    for (const { hash } of attempts)
      expect(await findIntentByHash(world.sql, CHAIN_ID, hash)).toMatchObject({ id: stuck.id })
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
    await whileMining(world.rpc, 100, () => untilState(world, waiting, 'mined'))
    const { signers } = await relayerStatus(world.sql, CHAIN_ID)
    expect(signers[0]?.stoppedReason).toBeNull()
  })
})

test('transactions that a reorg drops come back with the same bytes', async () => {
  world = await startWorld({ noMining: true })
  const intents = await intendMany(6)
  // No fee is raised here: on a slow machine that would be other bytes, rightly.
  const profile = quickProfile()
  const patient = { ...profile, fee: { ...profile.fee, bumpAfterMs: 600_000 } }
  await withRelayer(world, { profile: patient }, async () => {
    await eventually('all are sent', async () => (await noncesOf(world, settle.address)).length === 6)
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

test('a reorg that happens while no relayer runs is found at the next start', async () => {
  world = await startWorld({ noMining: true })
  const intents = await intendMany(3)
  await withRelayer(world, {}, () => whileMining(world.rpc, 100, () => untilSettled(world)))
  const head = Number(await world.rpc.call<Hex>('eth_blockNumber'))
  await world.rpc.call('anvil_reorg', [head - 1, []])
  expect(await tallies(world.rpc, world.tally, keys(3))).toEqual([0n, 0n, 0n])
  await withRelayer(world, {}, () =>
    whileMining(world.rpc, 100, () => Promise.all(intents.map((intent) => untilState(world, intent, 'final')))),
  )
  expect(await tallies(world.rpc, world.tally, keys(3))).toEqual(once(3))
  expect(await noncesOf(world, settle.address)).toEqual(upTo(3))
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
    expect(await untilState(world, next, 'mined', 'final')).toMatchObject({ nonce: 1n })
  })
  expect(await tallies(world.rpc, world.tally, [1n, 2n])).toEqual([0n, 1n])
})

test('answers lost after acceptance, time-outs, 429s and wrong nonces: every intent is mined once', async () => {
  world = await startWorld({ blockTimeSec: 0.1 })
  let requests = 0
  const acts = new Map<ProxyAct | 'wrong', number>()
  const decide = (methods: string[]): ProxyAct => {
    const turn = requests++ % 7
    const isSend = methods[0] === 'eth_sendRawTransaction'
    const act = isSend
      ? (['lose_answer', 'hang', 'refuse', 'pass'] as const)[turn % 4]
      : turn === 3
        ? 'refuse'
        : 'wrong'
    acts.set(act ?? 'pass', (acts.get(act ?? 'pass') ?? 0) + 1)
    if (act !== 'wrong') return act ?? 'pass'
    const shift = [0n, 3n, 0n, -2n][requests % 4] ?? 0n
    return (method, result) => (method === 'eth_getTransactionCount' ? shifted(result as Hex, shift) : result)
  }
  const proxy = await startRpcProxy(world.anvil.rpcUrl, decide)
  try {
    const rpc = createRpc({ url: proxy.url, timeoutMs: 400 })
    await withRelayer(world, { rpc }, async () => {
      for (const key of keys(40)) {
        await intend(world, `key ${key}`, hit(key))
        await delay(20)
      }
      await untilSettled(world, 45_000)
    })
  } finally {
    await proxy.stop()
  }
  for (const act of ['lose_answer', 'hang', 'refuse', 'wrong'] as const) expect(acts.get(act), act).toBeGreaterThan(0)
  expect(await tallies(world.rpc, world.tally, keys(40))).toEqual(once(40))
  const nonces = await noncesOf(world, settle.address)
  expect(nonces).toEqual(upTo(nonces.length))
  expect(Number(await world.rpc.call('eth_getTransactionCount', [settle.address, 'latest']))).toBe(nonces.length)
  const rows =
    await world.sql`select 1 from tx_intents where dedupe_key like 'key %' and state not in ('mined', 'final')`
  expect(rows).toHaveLength(0)
})

const shifted = (count: Hex, by: bigint): Hex => {
  const wrong = BigInt(count) + by
  return `0x${(wrong < 0n ? 0n : wrong).toString(16)}`
}

test('a gap that no intent fills is closed by an empty transaction', async () => {
  world = await startWorld({ noMining: true })
  let wrong = true
  const proxy = await startRpcProxy(
    world.anvil.rpcUrl,
    () => (method, result) => (wrong && method === 'eth_getTransactionCount' ? '0x2' : result),
  )
  try {
    const stranded = await intend(world, 'stranded', hit(1n))
    await withRelayer(world, { rpc: createRpc({ url: proxy.url }) }, async () => {
      expect(await untilState(world, stranded, 'broadcast')).toMatchObject({ nonce: 2n })
      wrong = false
      await whileMining(world.rpc, 100, () => untilState(world, stranded, 'final'))
    })
  } finally {
    await proxy.stop()
  }
  expect(await noncesOf(world, settle.address)).toEqual(upTo(3))
  expect(await tallies(world.rpc, world.tally, [1n])).toEqual([1n])
})

/** A relayer that reads the chain through a proxy which changes results while `lying`. */
async function withLyingNode(
  change: (method: string, result: unknown) => unknown,
  work: (lie: { on: boolean }) => Promise<void>,
): Promise<void> {
  const lie = { on: true }
  const proxy = await startRpcProxy(world.anvil.rpcUrl, () => (lie.on ? change : 'pass'))
  try {
    await withRelayer(world, { rpc: createRpc({ url: proxy.url }) }, () => work(lie))
  } finally {
    await proxy.stop()
  }
}

const attemptsThat = (answer: string) => world.sql`select 1 from tx_attempts where last_answer = ${answer}`

test('a fee that the node refuses is signed again at the right one, on the same dense nonces', async () => {
  world = await startWorld({ noMining: true })
  await intendMany(5)
  const stale = (method: string, result: unknown) => {
    if (method === 'eth_getBlockByNumber') return { ...(result as object), baseFeePerGas: '0x1' }
    return method === 'eth_maxPriorityFeePerGas' ? '0x0' : result
  }
  await withLyingNode(stale, async (lie) => {
    await eventually('a refusal', async () => (await attemptsThat('refused')).length >= 5)
    expect(await world.sql`select 1 from tx_intents where state in ('mined', 'failed', 'rejected')`).toHaveLength(0)
    lie.on = false
    await whileMining(world.rpc, 100, () => untilSettled(world))
  })
  expect(await tallies(world.rpc, world.tally, keys(5))).toEqual(once(5))
  expect(await noncesOf(world, settle.address)).toEqual(upTo(5))
})

test('a lack of funds that only the node sees puts the intents back into the queue and shows', async () => {
  world = await startWorld({ noMining: true })
  await world.rpc.call('anvil_setBalance', [settle.address, '0x1'])
  await intendMany(3)
  const rich = (method: string, result: unknown) => (method === 'eth_getBalance' ? '0xde0b6b3a7640000' : result)
  await withLyingNode(rich, async () => {
    await eventually('the refusals', async () => (await attemptsThat('refused')).length >= 3)
    await eventually('low balance shows', async () => {
      const { signers } = await relayerStatus(world.sql, CHAIN_ID)
      return signers[0]?.stoppedReason === 'low_balance' && signers[0].inFlight === 0
    })
    await world.rpc.call('anvil_setBalance', [settle.address, '0xde0b6b3a7640000'])
    await whileMining(world.rpc, 100, () => untilSettled(world))
  })
  expect(await tallies(world.rpc, world.tally, keys(3))).toEqual(once(3))
  expect(await noncesOf(world, settle.address)).toEqual(upTo(3))
})

test('bytes that no node will ever take reject their intent and free the nonce for the next', async () => {
  world = await startWorld({ noMining: true })
  const doomed = await intend(world, 'doomed', hit(1n))
  const starving = (method: string, result: unknown) => (method === 'eth_estimateGas' ? '0x100' : result)
  await withLyingNode(starving, async (lie) => {
    expect(await untilState(world, doomed, 'rejected')).toMatchObject({ nonce: null, problem: /gas/ })
    lie.on = false
    const next = await intend(world, 'next', hit(2n))
    await whileMining(world.rpc, 100, () => untilState(world, next, 'mined'))
    expect(await reload(world, next)).toMatchObject({ nonce: 0n, outcome: 'succeeded' })
  })
})

test('lost database connections lose and repeat nothing', async () => {
  world = await startWorld({ blockTimeSec: 0.1 })
  const sql = createPool({ url: world.database.url, maxConnections: 4, applicationName: 'unlucky relayer' })
  const intents = await intendMany(10)
  const relayer = startRelayer(world, { sql })
  let ended = 0
  for (const key of keys(60).slice(10)) {
    intents.push(await intend(world, `key ${key}`, hit(key)))
    await delay(60)
    if (key % 12n > 0n) continue
    const gone = await world.sql`
      select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'unlucky relayer'`
    ended += gone.length
  }
  await untilSettled(world, 30_000)
  await relayer.stop()
  await sql.end({ timeout: 1 })
  expect(ended).toBeGreaterThan(3)
  expect(await tallies(world.rpc, world.tally, keys(60))).toEqual(once(60))
  expect(await noncesOf(world, settle.address)).toEqual(upTo(60))
})
