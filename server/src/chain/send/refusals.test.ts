import { parseTransaction } from 'viem'
import { afterEach, expect, test } from 'vitest'
import { createRpc, type Rpc, type RpcCall, type RpcOutcome } from '../rpc.ts'
import { RpcError } from '../rpc-error.ts'
import type { Hex } from '../types.ts'
import { meetSigner } from './accounting-store.ts'
import { listAttempts } from './intents.ts'
import { relayerStatus } from './status.ts'
import { insertNoop, releaseNonce } from './store.ts'
import {
  CHAIN_ID,
  devAccount,
  eventually,
  expectEachMinedOnce,
  intend,
  intendMany,
  keysTo as keys,
  noncesOf,
  once,
  quickProfile,
  reload,
  startWorld,
  untilMined,
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
const SEND = 'eth_sendRawTransaction'

test('a gap that no intent fills is closed by an empty transaction', async () => {
  world = await startWorld({ noMining: true })
  // The wrong count is believed because an operator has accounted for it.
  await meetSigner(world.sql, { chainId: CHAIN_ID, signer: settle.address }, ['settle'], 2n)
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

test('gaps are not closed more than once while the node refuses to estimate what closes them', async () => {
  world = await startWorld({ noMining: true })
  await meetSigner(world.sql, { chainId: CHAIN_ID, signer: settle.address }, ['settle'], 2n)
  const node = { isWrong: true, refused: -1 }
  const proxy = await startRpcProxy(world.anvil.rpcUrl, ([method]) => {
    if (method === 'eth_estimateGas' && node.refused >= 0 && ++node.refused > 0) return { message: 'node is busy' }
    return (name, result) => (node.isWrong && name === 'eth_getTransactionCount' ? '0x2' : result)
  })
  try {
    await intend(world, 'stranded', hit(1n))
    await withRelayer(world, { rpc: createRpc({ url: proxy.url }) }, async () => {
      await eventually('it is above the gaps', async () => (await noncesOf(world, settle.address)).join() === '2')
      Object.assign(node, { isWrong: false, refused: 0 })
      await whileMining(world.rpc, 100, async () => {
        await eventually('estimates are refused', async () => node.refused > 10)
        const user = await intend(world, 'user', hit(2n))
        const closing = await world.sql`select from tx_intents where state = 'queued' and signer is not null`
        expect(closing.length).toBeLessThanOrEqual(2)
        node.refused = -1
        expect(await untilMined(world, user)).toMatchObject({ nonce: 3n })
        await untilSettled(world)
      })
    })
  } finally {
    await proxy.stop()
  }
  expect(await noncesOf(world, settle.address)).toEqual(upTo(4))
})

/** A node that refuses the fee of what `isRefused` says. */
function refusingFees(isRefused: (nonce: number, to: string | undefined) => boolean): Rpc {
  const message = 'transaction underpriced'
  const error = new RpcError('rpc_error', SEND, message, { rpc: { code: -32_000, message } })
  const send = async (call: RpcCall): Promise<RpcOutcome<never>> => {
    const { nonce = 0, to } = parseTransaction(call.params[0] as Hex)
    if (isRefused(nonce, to?.toLowerCase())) return { ok: false, error }
    const [outcome] = await world.rpc.outcomes<never>([call])
    return outcome as RpcOutcome<never>
  }
  const outcomes: Rpc['outcomes'] = (calls, options) =>
    calls[0]?.method === SEND ? Promise.all(calls.map(send)) : world.rpc.outcomes(calls, options)
  return { ...world.rpc, outcomes }
}

test('a gap is closed by one transaction while the node refuses the fee of what closes it', async () => {
  world = await startWorld({ noMining: true })
  const node = { isFirst: true, refuses: true, refusedNoops: 0 }
  const rpc = refusingFees((nonce, to) => {
    if (to === settle.address && node.refuses) node.refusedNoops++
    return node.isFirst ? nonce === 0 : node.refuses
  })
  await intendMany(world, 2)
  await withRelayer(world, { rpc }, () =>
    whileMining(world.rpc, 100, async () => {
      await eventually('one is above the gap', async () => (await noncesOf(world, settle.address)).includes(1))
      node.isFirst = false
      await eventually('what closes it is refused', async () => node.refusedNoops > 10)
      node.refuses = false
      await untilSettled(world)
    }),
  )
  expect(await world.sql`select from tx_intents where dedupe_key like 'noop:%'`).toHaveLength(1)
  await expectEachMinedOnce(world, keys(2), [settle.address])
})

test.each([
  { what: 'waits for its signer again', isRetired: false, state: 'queued' },
  { what: 'ends where its signer is retired', isRetired: true, state: 'rejected' },
])('what closes a gap and is refused $what', async ({ isRetired, state }) => {
  world = await startWorld({ noMining: true })
  const lane = { chainId: CHAIN_ID, signer: settle.address }
  await meetSigner(world.sql, lane, ['settle'], 0n)
  await insertNoop(world.sql, lane, 'settle', 'noop:1')
  await world.sql`update tx_intents set state = 'signed', nonce = 0, broadcasts = 1, refusals = 1`
  if (isRetired) await world.sql`update tx_signers set retired_at = now()`
  const [noop] = await world.sql<{ id: bigint }[]>`select id from tx_intents`
  expect(await releaseNonce(world.sql, lane, noop?.id ?? 0n, 0n)).toBe(true)
  expect(await world.sql`select state, signer, nonce from tx_intents`).toEqual([
    { state, signer: lane.signer, nonce: null },
  ])
})

test.each([
  { what: 'that wait in the queue', queued: 8 },
  { what: 'that close them, as the queue is empty', queued: 3 },
])('gaps are filled beyond the cap of what is in flight, by transactions $what', async ({ queued }) => {
  world = await startWorld({ noMining: true })
  await intendMany(world, queued)
  // The wrong count is believed because an operator has accounted for it.
  await meetSigner(world.sql, { chainId: CHAIN_ID, signer: settle.address }, ['settle'], 2n)
  const local = quickProfile()
  const profile = { ...local, mempool: { ...local.mempool, maxInFlight: 3 } }
  let wrong = true
  const tooHigh = (method: string, result: unknown) => (wrong && method === 'eth_getTransactionCount' ? '0x2' : result)
  const proxy = await startRpcProxy(world.anvil.rpcUrl, () => tooHigh)
  try {
    await withRelayer(world, { rpc: createRpc({ url: proxy.url }), profile }, async () => {
      const upToCap = 'as many as may be are in flight above the gap'
      await eventually(upToCap, async () => (await noncesOf(world, settle.address)).join() === '2,3,4')
      wrong = false
      await whileMining(world.rpc, 100, () => untilSettled(world))
    })
  } finally {
    await proxy.stop()
  }
  await expectEachMinedOnce(world, keys(queued), [settle.address])
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

/** Waits until each of `n` intents was refused at least once; the count only grows, whatever becomes of them then. */
const untilRefused = (n: number) =>
  eventually('the refusals', async () => (await world.sql`select 1 from tx_intents where refusals > 0`).length === n)

test('a fee that the node refuses is signed again at the right one, on the same dense nonces', async () => {
  world = await startWorld({ noMining: true })
  await intendMany(world, 5)
  const stale = (method: string, result: unknown) => {
    if (method === 'eth_getBlockByNumber') return { ...(result as object), baseFeePerGas: '0x1' }
    return method === 'eth_maxPriorityFeePerGas' ? '0x0' : result
  }
  await withLyingNode(stale, async (lie) => {
    await untilRefused(5)
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
  await intendMany(world, 3)
  const rich = (method: string, result: unknown) => (method === 'eth_getBalance' ? '0xde0b6b3a7640000' : result)
  await withLyingNode(rich, async () => {
    await untilRefused(3)
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
    const mined = await whileMining(world.rpc, 100, () => untilMined(world, next))
    expect(mined).toMatchObject({ nonce: 0n, outcome: 'succeeded' })
  })
})

/** A relayer before a node that does with each request what `decide` says of its first method. */
async function withNode(decide: (method: string | undefined) => ProxyAct, work: () => Promise<void>): Promise<void> {
  const proxy = await startRpcProxy(world.anvil.rpcUrl, ([method]) => decide(method))
  try {
    await withRelayer(world, { rpc: createRpc({ url: proxy.url }) }, work)
  } finally {
    await proxy.stop()
  }
}

test('bytes that one node has are never called rejected, though another says that no node will take them', async () => {
  world = await startWorld({ noMining: true })
  const taken = await intend(world, 'taken', hit(1n))
  let broadcasts = 0
  const decide = (method: string | undefined): ProxyAct => {
    if (method !== SEND) return 'pass'
    return broadcasts++ === 0 ? 'lose_answer' : { message: 'exceeds block gas limit' }
  }
  await withNode(decide, async () => {
    await untilRefused(1)
    expect(await reload(world, taken)).toMatchObject({ state: 'broadcast', nonce: 0n })
    await world.rpc.call('evm_mine')
    expect(await untilState(world, taken, 'mined')).toMatchObject({ nonce: 0n, outcome: 'succeeded' })
  })
  expect(await tallies(world.rpc, world.tally, [1n])).toEqual([1n])
})

test('a nonce whose bytes no node takes, and that may be out, is filled by an empty transaction', async () => {
  world = await startWorld({ noMining: true })
  const doomed = await intend(world, 'doomed', hit(1n))
  let [broadcasts, starving] = [0, true]
  const decide = (method: string | undefined): ProxyAct => {
    // The first broadcast is refused by a proxy before the node: nobody knows. The node refuses the others for good.
    if (method === SEND && broadcasts++ === 0) return 'refuse'
    return starving ? (name, result) => (name === 'eth_estimateGas' ? '0x100' : result) : 'pass'
  }
  await withNode(decide, async () => {
    await untilRefused(1)
    expect(await reload(world, doomed)).toMatchObject({ state: 'broadcast', nonce: 0n })
    starving = false
    const next = await intend(world, 'next', hit(2n))
    await whileMining(world.rpc, 100, async () => {
      expect(await untilState(world, doomed, 'failed')).toMatchObject({ nonce: 0n, outcome: null })
      expect(await untilMined(world, next)).toMatchObject({ nonce: 1n, outcome: 'succeeded' })
    })
  })
  const attempts = await listAttempts(world.sql, CHAIN_ID, doomed.id)
  const receipts = await world.rpc.batch<{ to: string } | null>(
    attempts.map(({ hash }) => ({ method: 'eth_getTransactionReceipt', params: [hash] })),
  )
  expect(receipts[0]).toBeNull()
  expect(receipts.filter((receipt) => receipt !== null)).toMatchObject([{ to: settle.address, status: '0x1' }])
  expect(await tallies(world.rpc, world.tally, [1n, 2n])).toEqual([0n, 1n])
})
