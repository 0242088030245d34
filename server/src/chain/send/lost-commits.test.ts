import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Rpc, RpcCall, RpcOutcome } from '../rpc.ts'
import { RpcError } from '../rpc-error.ts'
import type { Hex } from '../types.ts'
import { findPause } from './accounting-store.ts'
import { intentCommand } from './intent-commands.ts'
import { type Intent, listAttempts } from './intents.ts'
import { tagOf } from './tags.ts'
import {
  CHAIN_ID,
  devAccount,
  eventually,
  intend,
  quickProfile,
  reload,
  startWorld,
  untilMined,
  untilState,
  upTo,
  type World,
  whileMining,
  withRelayer,
} from './testing/harness.ts'
import { dump, restore, untilPaused } from './testing/restore.ts'
import { hit, tallies } from './testing/tally.ts'
import { readPendingNonce } from './view.ts'

// The database lost the newest commits, or a node does not show what it has, while transactions are between mempool and finality.

const settle = devAccount(0)
/** A high price, with which a transaction is certainly taken. */
const DEAR = '0x174876e800'

let world: World
beforeEach(async () => {
  world = await startWorld({ noMining: true })
})
afterEach(() => world.stop())

const intents = (...args: string[]) => intentCommand(args, { sql: world.sql, chainId: CHAIN_ID, actor: 'test' })

const tag = tagOf('request', 'repeated')
/** A call of one word that ends with the tag, as a request is worked out anew. */
const worked = (nth: bigint) => (nth << 128n) + BigInt(tag)

/** Puts a transaction of the signer's key, that no intent is for, in the place of what its mempool has. */
async function sendByHand(data: Hex): Promise<Hex> {
  await world.rpc.call('anvil_dropAllTransactions')
  const call = { from: settle.address, to: world.tally, nonce: '0x0', gasPrice: DEAR, data }
  return await world.rpc.call<Hex>('eth_sendTransaction', [call])
}

/** A request that is carried out while the database loses it: broadcast, not mined. Answers its hash. */
async function loseUnderWay(): Promise<Hex> {
  await dump(world)
  const hash = await withRelayer(world, {}, async () => {
    const lost = await intend(world, 'lost', hit(worked(1n)), { tag })
    await untilState(world, lost, 'broadcast')
    return (await listAttempts(world.sql, CHAIN_ID, lost.id))[0]?.hash as Hex
  })
  await restore(world)
  return hash
}

const repeat = () => intend(world, 'repeated', hit(worked(2n)), { tag })

/** Waits until an operator may judge, and lets sending go on. */
async function resume(): Promise<void> {
  await eventually('it can be judged', async () => !(await intents('list')).includes('Nothing can be judged yet'))
  expect(await intents('resume')).toBe('Sending goes on.\n')
}

test('what the node has under way and the database does not know stops all sending before it is mined', async () => {
  const hash = await loseUnderWay()
  await withRelayer(world, {}, async () => {
    const repeated = await repeat()
    expect((await untilPaused(world)).detail).toBe(`${settle.address} has 0 on chain and 1 under way, 0 here`)
    expect(await intents('list')).toContain('Nothing can be judged yet')
    expect(await reload(world, repeated)).toMatchObject({ state: 'queued' })
    await world.rpc.call('evm_mine')
    await resume()
    // A transaction that is taken over is looked for at the next block, and one sent beside it would be mined there.
    const mined = await whileMining(world.rpc, 100, () => untilMined(world, repeated))
    expect(mined).toMatchObject({ txHash: hash, data: hit(worked(1n)) })
  })
  expect(await tallies(world.rpc, world.tally, [worked(1n), worked(2n)])).toEqual([1n, 0n])
})

/** A node that does not count what it has under way, while `lie.on`. */
function withoutPool(rpc: Rpc, lie: { on: boolean }): Rpc {
  const changed = (calls: readonly RpcCall[]) =>
    calls.map(({ method, params }) => ({
      method,
      params: params.map((one) => (lie.on && one === 'pending' ? 'latest' : one)),
    }))
  return {
    call: (method, params = [], options) => rpc.call(method, changed([{ method, params }])[0]?.params, options),
    batch: (calls, options) => rpc.batch(changed(calls), options),
    outcomes: (calls, options) => rpc.outcomes(changed(calls), options),
  }
}

/** A node that answers the question for what it has under way by `answer`. */
function withoutPending(rpc: Rpc, answer: RpcOutcome<never>): Rpc {
  return {
    ...rpc,
    outcomes: async (calls, options) => {
      const outcomes = await rpc.outcomes<never>(calls, options)
      return calls.map(({ params }, index) => (params[1] === 'pending' ? answer : outcomes[index])) as never
    },
  }
}

const refused = (message: string, code = -32000): RpcOutcome<never> => {
  const error = { rpc: { code, message } }
  return { ok: false, error: new RpcError('rpc_error', 'eth_getTransactionCount', message, error) }
}

test.each([
  ['an error', refused('pending state is not available')],
  ['nothing', { ok: true, value: null } as unknown as RpcOutcome<never>],
])('what was lost is judged at a node that says %s of what it has under way', async (_, answer) => {
  const rpc = withoutPending(world.rpc, answer)
  const send = async (key: bigint) => {
    const intent = await intend(world, `key ${key}`, hit(key))
    await withRelayer(world, { rpc }, () => whileMining(world.rpc, 100, () => untilMined(world, intent)))
  }
  await send(1n)
  await dump(world)
  await send(2n)
  await restore(world)
  await withRelayer(world, { rpc }, () =>
    whileMining(world.rpc, 100, async () => {
      await untilPaused(world)
      await resume()
    }),
  )
  expect(await findPause(world.sql, CHAIN_ID)).toBeNull()
})

test('what a node has under way stays unknown while it is asked too much, or does not answer', async () => {
  const ask = (answer: RpcOutcome<never>) => readPendingNonce(withoutPending(world.rpc, answer), settle.address, 3n)
  const late: RpcOutcome<never> = { ok: false, error: new RpcError('rpc_timeout', 'eth_getTransactionCount', 'late') }
  await expect(ask(late)).rejects.toThrow('late')
  for (const passing of [
    refused('rate limit exceeded'),
    refused('exceeded its compute units'),
    refused('Internal error', -32603),
    refused('header not found'),
    refused('upstream is not available'),
    refused('service unavailable'),
    refused('EOF'),
  ])
    await expect(ask(passing)).rejects.toThrow(RpcError)
  for (const word of [
    refused('pending state is not available'),
    refused('block tag pending is not supported'),
    refused('the method does not exist', -32601),
    refused('invalid argument 1', -32602),
  ])
    expect(await ask(word)).toBe(3n)
})

/** A node that refuses the question for what it has under way while `isRefusing`, which is asked once for each request with it. */
function refusingPending(rpc: Rpc, answer: RpcOutcome<never>, isRefusing: () => boolean): Rpc {
  const refusing = withoutPending(rpc, answer)
  return {
    ...rpc,
    outcomes: (calls, options) => {
      const asks = calls.some(({ params }) => params[1] === 'pending')
      return (asks && isRefusing() ? refusing : rpc).outcomes(calls, options)
    },
  }
}

test('a signer that takes over asks for what the others have under way until the node tells it', async () => {
  await withRelayer(world, {}, async () => {
    const first = await intend(world, 'first', hit(1n))
    await whileMining(world.rpc, 100, () => untilMined(world, first))
  })
  const queued = await intend(world, 'queued', hit(2n))
  await dump(world)
  await withRelayer(world, {}, () => untilState(world, queued, 'broadcast'))
  await restore(world)
  let asked = 0
  const rpc = refusingPending(world.rpc, refused('exceeded its compute units'), () => asked++ === 0)
  const signers = [{ purpose: 'settle', privateKey: devAccount(1).privateKey }]
  await withRelayer(world, { rpc, signers }, async () => {
    await eventually('it is paused or sent', async () => {
      return (await findPause(world.sql, CHAIN_ID)) !== null || (await reload(world, queued)).state !== 'queued'
    })
    expect(await findPause(world.sql, CHAIN_ID)).toMatchObject({ reason: 'database_behind_chain' })
    expect(await reload(world, queued)).toMatchObject({ state: 'queued' })
  })
})

test('nothing can be judged while a node has trouble of its own to tell what it has under way', async () => {
  await loseUnderWay()
  const trouble = { on: false, asked: 0 }
  const isRefusing = () => trouble.on && ++trouble.asked > 0
  const rpc = refusingPending(world.rpc, refused('Internal error', -32603), isRefusing)
  await withRelayer(world, { rpc }, async () => {
    const repeated = await repeat()
    await untilPaused(world)
    trouble.on = true
    await eventually('it was refused', async () => trouble.asked > 2)
    expect(await intents('list')).toContain('Nothing can be judged yet')
    await expect(intents('resume')).rejects.toThrow('under way that the database does not know')
    trouble.on = false
    await world.rpc.call('evm_mine')
    await resume()
    await whileMining(world.rpc, 100, () => untilMined(world, repeated))
  })
  expect(await tallies(world.rpc, world.tally, [worked(1n), worked(2n)])).toEqual([1n, 0n])
})

/** Without a fee bump: on a slow machine it would take the place of what was lost. */
const patient = () => {
  const profile = quickProfile()
  return quickProfile({ fee: { ...profile.fee, bumpAfterMs: 600_000 } })
}

test('a nonce for which the node has other bytes stops all sending until it is known what they are', async () => {
  const hash = await loseUnderWay()
  const lie = { on: true }
  await withRelayer(world, { rpc: withoutPool(world.rpc, lie), profile: patient() }, async () => {
    const other = await intend(world, 'of somebody else', hit(3n))
    await eventually('the signer stops', async () => {
      const [signer] = await world.sql`select stopped_reason as reason from tx_signers`
      return signer?.reason === 'database_behind_chain'
    })
    const repeated = await repeat()
    lie.on = false
    await untilPaused(world)
    expect(await reload(world, repeated)).toMatchObject({ state: 'queued' })
    await world.rpc.call('evm_mine')
    await expect(intents('resume')).rejects.toThrow('under way that the database does not know')
    await whileMining(world.rpc, 100, async () => {
      await untilState(world, other, 'failed')
      await resume()
      expect(await untilMined(world, repeated)).toMatchObject({ txHash: hash, nonce: 0n })
    })
  })
  expect(await tallies(world.rpc, world.tally, [worked(1n), worked(2n), 3n])).toEqual([1n, 0n, 0n])
})

test('a transaction that was made for the same wish and has the nonce of its repetition is the repetition', async () => {
  const repeated = await repeat()
  await withRelayer(world, {}, async () => {
    await untilState(world, repeated, 'broadcast')
    const hash = await sendByHand(hit(worked(1n)))
    const mined = await whileMining(world.rpc, 100, () => untilState(world, repeated, 'final', 'failed'))
    expect(mined).toMatchObject({ state: 'final', outcome: 'succeeded', txHash: hash, data: hit(worked(1n)) })
  })
})

test('a transaction that failed an intent may be what a later one is for', async () => {
  const beaten = await intend(world, 'beaten', hit(1n))
  await withRelayer(world, {}, async () => {
    await untilState(world, beaten, 'broadcast')
    const hash = await sendByHand(hit(2n))
    await whileMining(world.rpc, 100, async () => {
      await untilState(world, beaten, 'failed')
      const later = await intend(world, 'later', hit(2n))
      expect(await untilMined(world, later)).toMatchObject({ txHash: hash, nonce: 0n })
      expect(await untilMined(world, await intend(world, 'next', hit(3n)))).toMatchObject({ nonce: 1n })
    })
  })
  expect(await tallies(world.rpc, world.tally, [1n, 2n, 3n])).toEqual([0n, 1n, 1n])
})

/** The head from which the intent waits to be judged. */
const judgedFrom = async ({ id }: Intent): Promise<bigint> => {
  const [row] = await world.sql<{ head: bigint | null }[]>`
    select nonce_passed_block as head from tx_intents where id = ${String(id)}::bigint`
  return row?.head ?? 0n
}

test('an intent whose receipt the node does not show stays pending, however deep it lies', async () => {
  const hidden = { on: true }
  const rpc: Rpc = {
    ...world.rpc,
    batch: async <T>(calls: readonly RpcCall[]) =>
      (await world.rpc.batch<T>(calls)).map((result, index) =>
        hidden.on && calls[index]?.method === 'eth_getTransactionReceipt' ? (null as T) : result,
      ),
  }
  const intent = await intend(world, 'hidden', hit(1n))
  await withRelayer(world, { rpc }, async () => {
    await untilState(world, intent, 'broadcast')
    await world.rpc.call('evm_mine')
    const first = await eventually('the receipt is missed', () => judgedFrom(intent))
    for (const _ of upTo(10)) await world.rpc.call('evm_mine')
    await eventually('it was judged', async () => {
      return (await judgedFrom(intent)) > first || (await reload(world, intent)).state === 'failed'
    })
    expect(await reload(world, intent)).toMatchObject({ state: 'broadcast' })
    hidden.on = false
    await untilState(world, intent, 'final')
  })
  expect(await world.sql`select from tx_unaccounted`).toHaveLength(0)
  expect(await findPause(world.sql, CHAIN_ID)).toBeNull()
})
