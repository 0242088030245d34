import { parseTransaction } from 'viem'
import { afterEach, expect, test } from 'vitest'
import { sleep } from '../../lib/clock.ts'
import type { Rpc, RpcCall } from '../rpc.ts'
import { RpcError } from '../rpc-error.ts'
import type { Hex } from '../types.ts'
import { findPause } from './accounting-store.ts'
import { type Intent, listAttempts } from './intents.ts'
import { tryLockSigner } from './signer-lock.ts'
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
  untilMined,
  untilSettled,
  untilState,
  upTo,
  type World,
  whileMining,
  withRelayer,
} from './testing/harness.ts'
import { clear, hit, hitAfter, tallies, tooEarly } from './testing/tally.ts'

let world: World
afterEach(() => world.stop())

const settle = devAccount(0)

test('an intent goes from queued to final, and every state is to be seen', async () => {
  world = await startWorld({ noMining: true })
  const queued = await intend(world, 'one', hit(1n))
  await withRelayer(world, {}, async () => {
    const sent = await untilState(world, queued, 'broadcast')
    expect(sent).toMatchObject({ signer: settle.address, nonce: 0n, outcome: null })
    const [attempt] = await listAttempts(world.sql, CHAIN_ID, queued.id)
    expect(await intentIdOf(world, attempt?.hash ?? '0x')).toBe(queued.id)

    await world.rpc.call('evm_mine')
    const mined = await untilState(world, queued, 'mined')
    expect(mined).toMatchObject({ outcome: 'succeeded', txHash: attempt?.hash, blockNumber: 2n, revertData: null })
    expect(mined.gasUsed).toBeGreaterThan(21_000n)
    for (const _ of upTo(8)) await world.rpc.call('evm_mine')
    expect(await untilState(world, queued, 'final')).toMatchObject({ outcome: 'succeeded', txHash: attempt?.hash })
  })
  expect(await tallies(world.rpc, world.tally, [1n])).toEqual([1n])
})

test('a purpose without a signer stays queued and shows; status tells of each signer', async () => {
  world = await startWorld({ noMining: true })
  const unbound = await intend(world, 'unbound', hit(1n), { purpose: 'oracle' })
  const bound = await intend(world, 'bound', hit(2n))
  await withRelayer(world, {}, async () => {
    await untilState(world, bound, 'broadcast')
    const { signers, queues } = await relayerStatus(world.sql, CHAIN_ID)
    expect(signers).toEqual([expect.objectContaining({ address: settle.address, purposes: ['settle'], inFlight: 1 })])
    expect(signers[0]).toMatchObject({ chainNonce: 0n, balanceWei: 10_000n * 10n ** 18n, stoppedReason: null })
    expect(signers[0]?.oldestPendingAgeMs).toBeGreaterThan(0)
    expect(queues).toEqual([expect.objectContaining({ purpose: 'oracle', queued: 1, bound: false })])
  })
  expect(await reload(world, unbound)).toMatchObject({ state: 'queued', nonce: null })
})

test('where the database tells of nothing, intents are found and sent all the same', async () => {
  world = await startWorld({ noMining: true })
  const deaf = new Proxy(world.sql, {
    get: (sql, name) => (name === 'listen' ? () => Promise.reject(new Error('not now')) : Reflect.get(sql, name, sql)),
  })
  await withRelayer(world, { sql: deaf }, async () => {
    await eventually(
      'the signer is at rest',
      async () => (await relayerStatus(world.sql, CHAIN_ID)).signers.length === 1,
    )
    const sent = await untilState(world, await intend(world, 'untold', hit(1n)), 'broadcast')
    expect(sent.signer).toBe(settle.address)
  })
})

test('a revert in the simulation rejects before a nonce is taken and keeps the raw data', async () => {
  world = await startWorld({ noMining: true })
  const wrong = await intend(world, 'wrong', hitAfter(1n, 99n))
  const starved = await intend(world, 'starved', hit(2n), { gasLimit: 21_500n })
  await withRelayer(world, {}, async () => {
    expect(await untilState(world, wrong, 'rejected')).toMatchObject({ nonce: null, revertData: tooEarly(1n) })
    expect(await untilState(world, starved, 'rejected')).toMatchObject({ nonce: null, revertData: '0x' })
  })
  expect(await noncesOf(world, settle.address)).toEqual([])
})

test('a revert on chain is mined with its raw data kept', async () => {
  world = await startWorld({ noMining: true })
  const first = await intend(world, 'set', hit(5n))
  await withRelayer(world, {}, async () => {
    await untilState(world, first, 'broadcast')
    await world.rpc.call('evm_mine')
    await untilState(world, first, 'mined')
    // Both pass their simulation at this head; the first to be mined takes from the second what it needs.
    await intend(world, 'clear', clear(5n), { orderingKey: 'u' })
    const second = await intend(world, 'needs', hitAfter(6n, 5n), { orderingKey: 'u' })
    await untilState(world, second, 'broadcast')
    await world.rpc.call('evm_mine')
    expect(await untilState(world, second, 'mined')).toMatchObject({ outcome: 'reverted', revertData: tooEarly(6n) })
  })
})

test.each([1, 2])(
  'over %i signers, intents of one ordering key wait for each other and keep their order',
  async (n) => {
    world = await startWorld({ noMining: true })
    const users = [10n, 20n, 30n].map((start) => [0n, 1n, 2n, 3n].map((step) => start + step))
    const intents: Intent[] = []
    // Each needs the one before it: out of order it would be rejected or revert.
    for (const [place] of [0, 1, 2, 3].entries()) {
      for (const user of users) {
        const key = user[place] as bigint
        const data = place === 0 ? hit(key) : hitAfter(key, key - 1n)
        intents.push(await intend(world, `key ${key}`, data, { orderingKey: `user ${user[0]}` }))
      }
    }
    const signers = upTo(n).map((index) => ({ purpose: 'settle', privateKey: devAccount(index).privateKey }))
    await withRelayer(world, { signers }, () => whileMining(world.rpc, 100, () => untilSettled(world)))
    const rows = await Promise.all(intents.map((intent) => reload(world, intent)))
    expect(rows.map((row) => row.outcome)).toEqual(rows.map(() => 'succeeded'))
    expect(await tallies(world.rpc, world.tally, users.flat())).toEqual(users.flat().map(() => 1n))
  },
)

test('over three signers, the intents of one ordering key stay with one signer, and the keys are spread', async () => {
  world = await startWorld({ blockTimeSec: 0.1 })
  const users = keys(12)
  const intendWave = (wave: bigint) =>
    Promise.all(
      users.map((user) => intend(world, `${user} ${wave}`, hit(user * 10n + wave), { orderingKey: `user ${user}` })),
    )
  const signers = upTo(3).map((index) => ({ purpose: 'settle', privateKey: devAccount(index).privateKey }))
  await withRelayer(world, { signers }, async () => {
    await eventually('all signers work', async () => (await relayerStatus(world.sql, CHAIN_ID)).signers.length === 3)
    for (const wave of [1n, 2n, 3n]) {
      await intendWave(wave)
      await untilSettled(world)
    }
  })
  const homes = await world.sql<{ signers: Hex[] }[]>`
    select array_agg(distinct signer) as signers from tx_intents group by ordering_key`
  expect(homes.map(({ signers: of }) => of.length)).toEqual(users.map(() => 1))
  expect(new Set(homes.map(({ signers: [home] }) => home)).size).toBeGreaterThan(1)
})

test('the keys of a signer that cannot work go to the others', async () => {
  world = await startWorld({ blockTimeSec: 0.1 })
  const poor = devAccount(1)
  await world.rpc.call('anvil_setBalance', [poor.address, '0x1'])
  const signers = [settle, poor].map(({ privateKey }) => ({ purpose: 'settle', privateKey }))
  await withRelayer(world, { signers, minBalanceWei: 10n ** 15n }, async () => {
    await eventually('both have reported', async () => (await relayerStatus(world.sql, CHAIN_ID)).signers.length === 2)
    await Promise.all(keys(8).map((key) => intend(world, `key ${key}`, hit(key), { orderingKey: `user ${key}` })))
    await untilSettled(world)
  })
  expect(await tallies(world.rpc, world.tally, keys(8))).toEqual(once(8))
  expect(await noncesOf(world, poor.address)).toEqual([])
})

test('the gas limit is the own one up to the cap, else the estimate with its buffer or what is known to be needed', async () => {
  world = await startWorld({ noMining: true })
  const gas = { limitPercent: 150, chargesLimit: false, maxGasLimit: 200_000n }
  const own = await intend(world, 'own', hit(1n), { gasLimit: 77_777n })
  const greedy = await intend(world, 'greedy', hit(2n), { gasLimit: 5_000_000n })
  const plain = await intend(world, 'plain', hit(3n))
  const known = await intend(world, 'known', hit(3n), { leastGas: 150_000n })
  const cheaper = await intend(world, 'cheaper', hit(3n), { leastGas: 21_000n })
  const beyond = await intend(world, 'beyond', hit(3n), { leastGas: 5_000_000n })
  const estimate = await world.rpc.call<Hex>('eth_estimateGas', [
    { from: settle.address, to: world.tally, data: hit(3n) },
  ])
  await withRelayer(world, { profile: quickProfile({ gas }) }, () => untilState(world, beyond, 'broadcast'))
  const limits = await world.sql<{ id: bigint; gas: bigint }[]>`
    select intent_id as id, gas_limit as gas from tx_attempts order by intent_id`
  const buffered = (BigInt(estimate) * 150n) / 100n
  expect(limits.map((row) => row.gas)).toEqual([77_777n, 200_000n, buffered, 150_000n, buffered, 200_000n])
  expect(limits.map((row) => row.id)).toEqual([own, greedy, plain, known, cheaper, beyond].map(({ id }) => id))
})

/** Answers for the view's count of the signer's transactions what `count` gives, where it gives anything. */
function countedBy(rpc: Rpc, count: () => Hex | null): Rpc {
  return {
    ...rpc,
    outcomes: async (calls, options) => {
      const outcomes = await rpc.outcomes<never>(calls, options)
      const isCount = ({ method, params }: RpcCall) => method === 'eth_getTransactionCount' && params[1] === 'latest'
      const isView = calls[0]?.method === 'eth_getBlockByNumber'
      return calls.map((call, index) => {
        const value = isView && isCount(call) ? count() : null
        return value === null ? outcomes[index] : { ok: true, value }
      }) as never
    },
  }
}

/** What a signer's key may have done before the venue's first start, such as an approval. */
async function useBefore(): Promise<void> {
  await world.rpc.call('eth_sendTransaction', [{ from: settle.address, to: devAccount(5).address, value: '0x1' }])
  await world.rpc.call('evm_mine')
}

const untilMet = () =>
  eventually('the signer is met', async () => (await relayerStatus(world.sql, CHAIN_ID)).signers.length === 1)

test('a nonce that was used before the signer was met is nobody’s, whatever a node that stands behind counts', async () => {
  world = await startWorld({ noMining: true })
  await useBefore()
  let lagging = true
  await withRelayer(world, { rpc: countedBy(world.rpc, () => (lagging ? '0x0' : null)) }, async () => {
    await untilMet()
    const intent = await intend(world, 'one', hit(1n))
    expect(await untilState(world, intent, 'signed', 'broadcast')).toMatchObject({ nonce: 1n })
    lagging = false
    expect(await whileMining(world.rpc, 100, () => untilMined(world, intent))).toMatchObject({ nonce: 1n })
  })
})

/** A node that shows no block above `lag.head`, where that is set. */
function standingBehind(lag: { head: Hex | null }): Rpc {
  const asked = (call: RpcCall): RpcCall => {
    const { method, params } = call
    if (lag.head === null) return call
    return { method, params: params.map((param) => (param === 'latest' || param === 'pending' ? lag.head : param)) }
  }
  return {
    ...world.rpc,
    call: (method, params = [], options) => {
      const { params: changed } = asked({ method, params })
      return world.rpc.call(method, changed, options)
    },
    outcomes: (calls, options) => world.rpc.outcomes(calls.map(asked), options),
  }
}

test('a signer is met by no node that stands behind what its key did before', async () => {
  world = await startWorld({ noMining: true })
  const lag = { head: await world.rpc.call<Hex>('eth_blockNumber') }
  await useBefore()
  // A block of a later second stands between the signer's last transaction and the intent.
  await sleep(1100)
  await world.rpc.call('evm_mine')
  await sleep(1100)
  const relayer = { rpc: standingBehind(lag), profile: quickProfile({ nodeLagBlocks: 5 }) }
  await withRelayer(world, relayer, async () => {
    await untilMet()
    const intent = await intend(world, 'one', hit(1n))
    for (const _ of upTo(2)) await untilNextReport()
    expect(await reload(world, intent)).toMatchObject({ state: 'queued' })
    const { signers } = await relayerStatus(world.sql, CHAIN_ID)
    expect(signers).toMatchObject([{ stoppedReason: 'first_count' }])
    Object.assign(lag, { head: null })
    expect(await whileMining(world.rpc, 300, () => untilMined(world, intent))).toMatchObject({ nonce: 1n })
  })
  expect(await findPause(world.sql, CHAIN_ID)).toBeNull()
})

test('a nonce that a reorganisation takes from what was before the signer was met is closed, beyond the cap too', async () => {
  world = await startWorld({ noMining: true })
  const before = await world.rpc.call('evm_snapshot')
  await useBefore()
  await withRelayer(world, {}, untilMet)
  await world.rpc.call('evm_revert', [before])
  const intents = await intendMany(world, 4)
  const profile = quickProfile({ mempool: { ...quickProfile().mempool, maxInFlight: 2 } })
  await withRelayer(world, { profile }, () => whileMining(world.rpc, 100, () => untilSettled(world)))
  for (const intent of intents) expect(await reload(world, intent)).toMatchObject({ outcome: 'succeeded' })
  expect(await noncesOf(world, settle.address)).toEqual(upTo(5))
})

/** A dear transaction of a signer's key without an intent is reorganised away. Answers what sends the same once more. */
async function reorganisedAway(): Promise<() => Promise<Hex>> {
  const before = await world.rpc.call('evm_snapshot')
  const call = { from: settle.address, to: devAccount(5).address, value: '0x1', nonce: '0x0', gasPrice: '0x174876e800' }
  const send = () => world.rpc.call<Hex>('eth_sendTransaction', [call])
  await send()
  await world.rpc.call('evm_mine')
  await withRelayer(world, {}, untilMet)
  await world.rpc.call('evm_revert', [before])
  return send
}

/** A node that answers the question for what it has under way by `looks.pending`, where it is set; counts the looks at the chain. */
function watched() {
  const looks: { count: number; pending?: Hex | null } = { count: 0 }
  const outcomes = async (calls: readonly RpcCall[], options?: object) => {
    if (calls.some(({ method }) => method === 'eth_getBalance')) looks.count++
    const answers = await world.rpc.outcomes<never>(calls, options)
    return calls.map(({ params }, index) =>
      looks.pending !== undefined && params[1] === 'pending' ? { ok: true, value: looks.pending } : answers[index],
    ) as never
  }
  return { rpc: { ...world.rpc, outcomes } as Rpc, looks }
}

const nonceIn = ({ params }: RpcCall) => parseTransaction(params[0] as Hex).nonce ?? 0

const noops = () => world.sql`select from tx_intents where dedupe_key like 'noop:%'`

const untilLooked = async (looks: { readonly count: number }) => {
  const from = looks.count
  await eventually('it has looked', async () => looks.count > from + 12)
}

test('what a reorganisation puts back into the pool is not replaced', async () => {
  world = await startWorld({ noMining: true })
  const hash = await (await reorganisedAway())()
  const { rpc, looks } = watched()
  await withRelayer(world, { rpc }, async () => {
    const intent = await intend(world, 'one', hit(1n))
    expect(await untilState(world, intent, 'broadcast')).toMatchObject({ nonce: 1n })
    await untilLooked(looks)
    expect(await noops()).toHaveLength(0)
    await whileMining(world.rpc, 100, () => untilMined(world, intent))
  })
  expect(await findPause(world.sql, CHAIN_ID)).toBeNull()
  expect(await world.rpc.call('eth_getTransactionReceipt', [hash])).toMatchObject({ status: '0x1' })
  expect(await noncesOf(world, settle.address)).toEqual([1])
})

test.each<{ what: string; pending: Hex | null; nonces: number[] }>([
  { what: 'the node counts what stands above it, and few blocks have passed', pending: '0x2', nonces: [1] },
  { what: 'the node does not tell what it has under way, and few blocks have passed', pending: null, nonces: [0, 1] },
])('a freed nonce is not closed while $what', async ({ pending, nonces }) => {
  world = await startWorld({ noMining: true })
  const send = await reorganisedAway()
  const { rpc, looks } = watched()
  await withRelayer(world, { rpc }, async () => {
    const intent = await intend(world, 'one', hit(1n))
    await untilState(world, intent, 'broadcast')
    looks.pending = pending
    for (const _ of upTo(10)) await world.rpc.call('evm_mine')
    await untilLooked(looks)
    expect(await noops()).toHaveLength(0)
    if (pending !== null) await send()
    await whileMining(world.rpc, 100, () => untilMined(world, intent))
  })
  expect(await findPause(world.sql, CHAIN_ID)).toBeNull()
  expect(await noncesOf(world, settle.address)).toEqual(nonces)
})

test('a freed nonce is closed at last where the node counts what stands above it, be it filled or not', async () => {
  world = await startWorld({ noMining: true })
  await reorganisedAway()
  const { rpc, looks } = watched()
  await withRelayer(world, { rpc }, async () => {
    const intent = await intend(world, 'one', hit(1n))
    await untilState(world, intent, 'broadcast')
    looks.pending = '0x2'
    expect(await whileMining(world.rpc, 100, () => untilMined(world, intent))).toMatchObject({ nonce: 1n })
  })
  expect(await findPause(world.sql, CHAIN_ID)).toBeNull()
  expect(await noncesOf(world, settle.address)).toEqual([0, 1])
})

test('what closes a freed nonce pauses nothing where the pool keeps what had used it, and replaces it', async () => {
  world = await startWorld({ noMining: true })
  await reorganisedAway()
  const { rpc, looks } = watched()
  const message = 'replacement transaction underpriced'
  const error = new RpcError('rpc_error', 'eth_sendRawTransaction', message, { rpc: { code: -32_000, message } })
  let refused = 0
  const outcomes: Rpc['outcomes'] = async (calls, options) => {
    const [call] = calls
    const isRefused = call?.method === 'eth_sendRawTransaction' && nonceIn(call) === 0 && ++refused <= 4
    return isRefused ? calls.map(() => ({ ok: false, error })) : await rpc.outcomes(calls, options)
  }
  await withRelayer(world, { rpc: { ...rpc, outcomes } }, async () => {
    const intent = await intend(world, 'one', hit(1n))
    await untilState(world, intent, 'broadcast')
    looks.pending = '0x2'
    await whileMining(world.rpc, 100, () => untilMined(world, intent))
  })
  expect(refused).toBeGreaterThan(4)
  expect(await findPause(world.sql, CHAIN_ID)).toBeNull()
})

test('no more than the cap are in flight', async () => {
  world = await startWorld({ noMining: true })
  const mempool = { ...quickProfile().mempool, maxInFlight: 5 }
  await intendMany(world, 12)
  await withRelayer(world, { profile: quickProfile({ mempool }) }, async () => {
    await eventually('five are sent', async () => (await noncesOf(world, settle.address)).length === 5)
    // It looks at the queue twice more, with seven intents in it, and sends none.
    for (const _ of upTo(2)) await untilNextReport()
    expect(await noncesOf(world, settle.address)).toEqual(upTo(5))
    await whileMining(world.rpc, 100, () => untilSettled(world))
  })
  expect(await tallies(world.rpc, world.tally, keys(12))).toEqual(once(12))
})

/** Waits until the signer's worker has been round once more. */
async function untilNextReport(): Promise<void> {
  const seen = async () => (await world.sql<{ at: Date }[]>`select max(seen_at) as at from tx_signers`)[0]?.at.getTime()
  const before = await seen()
  await eventually('a further report', async () => (await seen()) !== before)
}

test('100 concurrent writers with duplicate keys: 100 mined, none twice, over two signers', async () => {
  world = await startWorld({ blockTimeSec: 0.1 })
  const second = devAccount(1)
  const signers = [settle, second].map(({ privateKey }) => ({ purpose: 'settle', privateKey }))
  await withRelayer(world, { signers }, async () => {
    const pairs = await Promise.all(
      keys(100).map((key) => Promise.all([1, 2].map(() => intend(world, `key ${key}`, hit(key))))),
    )
    for (const [first, again] of pairs) expect(first?.id).toBe(again?.id)
    await untilSettled(world)
  })
  expect(await tallies(world.rpc, world.tally, keys(100))).toEqual(once(100))
  const [mine, theirs] = [await noncesOf(world, settle.address), await noncesOf(world, second.address)]
  expect(mine).toEqual(upTo(mine.length))
  expect(theirs).toEqual(upTo(theirs.length))
  expect(mine.length + theirs.length).toBe(100)
})

test('one process at a time has a signer, and a lost connection loses it', async () => {
  world = await startWorld({ noMining: true })
  const lane = { chainId: CHAIN_ID, signer: settle.address }
  const held = await tryLockSigner(world.sql, lane)
  expect(await held?.isHeld()).toBe(true)
  expect(await tryLockSigner(world.sql, lane)).toBeNull()
  await world.sql`
    select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'
      and database = (select oid from pg_database where datname = current_database())`
  expect(await held?.isHeld()).toBe(false)
  // The server lets go of the lock while it ends the connection.
  const next = await eventually('the lock is free', () => tryLockSigner(world.sql, lane))
  expect(await next.isHeld()).toBe(true)
  expect(await tryLockSigner(world.sql, lane)).toBeNull()
  await held?.release()
  await next.release()
  const last = await tryLockSigner(world.sql, lane)
  expect(await last?.isHeld()).toBe(true)
  await last?.release()
})

test('a relayer drains on its signal: nothing is left between stored and broadcast, and the lock is free', async () => {
  world = await startWorld({ noMining: true })
  await intendMany(world, 30)
  const relayer = startRelayer(world)
  await eventually('work has begun', async () => (await noncesOf(world, settle.address)).length > 0)
  await relayer.stop()
  expect(await world.sql`select 1 from tx_intents where state = 'signed'`).toHaveLength(0)
  const lock = await tryLockSigner(world.sql, { chainId: CHAIN_ID, signer: settle.address })
  expect(lock).not.toBeNull()
  await lock?.release()
})

test('a node of another chain is refused before anything is signed', async () => {
  world = await startWorld({ noMining: true })
  const relayer = startRelayer(world, { profile: quickProfile({ chainId: 1 }) })
  await expect(relayer.stop()).rejects.toMatchObject({ reason: { name: 'relayer_chain_mismatch' } })
})
