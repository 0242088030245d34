import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createLogger } from '../../lib/logger.ts'
import type { Rpc, RpcCall, RpcOutcome } from '../rpc.ts'
import { RpcError } from '../rpc-error.ts'
import type { Hex } from '../types.ts'
import { findPause } from './accounting-store.ts'
import type { SendContext } from './context.ts'
import { intentCommand } from './intent-commands.ts'
import { sendQueued } from './send-queued.ts'
import { createSigners } from './signer.ts'
import { tagOf } from './tags.ts'
import {
  CHAIN_ID,
  devAccount,
  eventually,
  intend,
  keysTo as keys,
  once,
  quickProfile,
  reload,
  startWorld,
  untilMined,
  untilSettled,
  untilState,
  type World,
  withRelayer,
} from './testing/harness.ts'
import { dump, restore, untilPaused } from './testing/restore.ts'
import { hit, tallies } from './testing/tally.ts'
import { readView } from './view.ts'

let world: World
beforeEach(async () => {
  world = await startWorld({ blockTimeSec: 0.1 })
})
afterEach(() => world.stop())

const intents = (...args: string[]) => intentCommand(args, { sql: world.sql, chainId: CHAIN_ID, actor: 'test' })

/** What was mined is as it was before its fee was raised: in flight, with other bytes than those that were mined. */
async function forgetFeeBump(): Promise<void> {
  await world.sql`
    update tx_intents set state = 'broadcast', outcome = null, tx_hash = null, block_number = null, block_hash = null`
  await world.sql`update tx_attempts set hash = ${`0x${'00'.repeat(32)}`}`
}

const untilPausedByOperator = () =>
  eventually('the signer says why', async () => {
    const [signer] = await world.sql`select stopped_reason as reason from tx_signers`
    return signer?.reason === 'paused_by_operator'
  })

const intendKey = (key: bigint, name = `key ${key}`) => intend(world, name, hit(key))

describe('a database put back to an earlier state', () => {
  test('sends nothing of its queue a second time, lists what was lost, and gives repetitions their transaction', async () => {
    for (const key of keys(5)) await intendKey(key)
    await withRelayer(world, {}, () => untilSettled(world))
    const queued = await Promise.all([6n, 7n, 8n].map((key) => intendKey(key)))
    const unbound = await intend(world, 'for nobody', hit(30n), { purpose: 'elsewhere' })
    await dump(world)
    const lost = await withRelayer(world, {}, async () => {
      const later = await Promise.all([9n, 10n].map((key) => intendKey(key)))
      return await Promise.all([...later, ...queued].map((intent) => untilMined(world, intent)))
    })
    await restore(world)
    expect(await reload(world, queued[0] as (typeof queued)[0])).toMatchObject({ state: 'queued' })

    await withRelayer(world, {}, async () => {
      const pause = await untilPaused(world)
      expect(pause).toMatchObject({ reason: 'database_behind_chain' })
      expect(pause.detail).toContain(`${devAccount(0).address} has 10 on chain, 5 here`)
      const [signer] = await world.sql`select stopped_reason as "stoppedReason" from tx_signers`
      expect(signer).toEqual({ stoppedReason: 'database_behind_chain' })
      // A client repeats what was acknowledged and is gone; another one wants something new.
      const repeated = await intendKey(9n, 'repeated')
      const fresh = await intendKey(11n)

      const listing = await intents('list')
      for (const { txHash } of lost.slice(2)) expect(listing).toContain(`on chain already as ${txHash}`)
      expect(listing).toContain('1 transactions on chain that neither an intent nor a queued call accounts for')
      expect(listing).toMatch(new RegExp(`${lost[1]?.txHash} block \\d+ from ${devAccount(0).address} nonce \\d`))
      expect(listing).toContain(`${unbound.id} elsewhere`)
      await expect(intents('resume')).rejects.toThrow(`neither discarded nor released: ${unbound.id}`)
      expect(await intents('discard', String(unbound.id))).toBe('1 intents discarded.\n')
      await expect(intents('discard', String(unbound.id))).rejects.toThrow('not queued')
      expect(await tallies(world.rpc, world.tally, keys(11)), 'nothing was sent').toEqual([...once(10), 0n])

      expect(await intents('resume')).toBe('Sending goes on.\n')
      await untilSettled(world)
      expect(await tallies(world.rpc, world.tally, keys(11))).toEqual(once(11))
      for (const [index, intent] of [...queued, repeated].entries()) {
        const owner = lost[index < 3 ? index + 2 : 0]
        expect(await untilMined(world, intent)).toMatchObject({ txHash: owner?.txHash, outcome: 'succeeded' })
      }
      await untilMined(world, fresh)
    })
    const log = await world.sql`select action from operator_audit_log order by id`
    expect(log.map(({ action }) => action)).toEqual(['intents.discard', 'intents.resume'])
  })

  test('knows by its tag what a call was made for, though it is worked out anew, and for as long as it may be repeated', async () => {
    const [first, second] = [tagOf('request', 'first'), tagOf('request', 'second')]
    /** A call of one word that ends with the tag. */
    const call = (nth: bigint, tag: Hex) => (nth << 128n) + BigInt(tag)
    await withRelayer(world, {}, async () => untilMined(world, await intendKey(1n)))
    await dump(world)
    const lost = await withRelayer(world, {}, async () => {
      const own = await Promise.all([
        intend(world, 'first', hit(call(1n, first)), { tag: first }),
        intend(world, 'second', hit(call(1n, second)), { tag: second }),
        intendKey(3n),
      ])
      return await Promise.all(own.map((intent) => untilMined(world, intent)))
    })
    await restore(world)
    await withRelayer(world, {}, async () => {
      await untilPaused(world)
      const again = await intend(world, 'first again', hit(call(2n, first)), { tag: first })
      const ending = await intend(world, 'a call that happens to end so', hit(call(3n, first)))
      expect(await intents('list')).toContain(`on chain already as ${lost[0]?.txHash}`)
      await intents('resume')
      await untilMined(world, ending)
      expect(await untilMined(world, again)).toMatchObject({ txHash: lost[0]?.txHash, data: hit(call(1n, first)) })

      await world.sql`update tx_unaccounted set match_until = clock_timestamp() - interval '1 day'`
      const late = await intend(world, 'second again', hit(call(2n, second)), { tag: second })
      expect(await untilMined(world, late)).toMatchObject({ txHash: lost[1]?.txHash })
      await untilMined(world, await intendKey(3n, 'a new wish for the same call'))
      await untilMined(world, await intend(world, 'first once more', hit(call(4n, first)), { tag: first }))
    })
    const ofFirst = [1n, 2n, 3n, 4n].map((nth) => call(nth, first))
    expect(await tallies(world.rpc, world.tally, ofFirst)).toEqual([1n, 0n, 1n, 1n])
    const others = [call(1n, second), call(2n, second), 3n]
    expect(await tallies(world.rpc, world.tally, others)).toEqual([1n, 0n, 2n])
  })

  test('has nothing judged while the node has transactions under way, and nothing ended that the chain has', async () => {
    const other = { purpose: 'other', privateKey: devAccount(1).privateKey }
    const signers = [{ purpose: 'settle', privateKey: devAccount(0).privateKey }, other]
    await withRelayer(world, { signers }, async () => {
      await untilMined(world, await intendKey(1n))
      await untilMined(world, await intend(world, 'of the other', hit(2n), { purpose: 'other' }))
    })
    const mined = await intendKey(3n)
    const late = await intend(world, 'mined late', hit(4n), { purpose: 'other' })
    const unwanted = await intend(world, 'for nobody', hit(5n), { purpose: 'elsewhere' })
    await dump(world)
    await withRelayer(world, {}, () => untilMined(world, mined))
    await world.rpc.call('evm_setIntervalMining', [0])
    await withRelayer(world, { signers: [other] }, () => untilState(world, late, 'broadcast'))
    await restore(world)
    await withRelayer(world, { signers }, async () => {
      await untilPaused(world)
      const why = `the node has transactions under way that the database does not know, or has not been asked, of ${devAccount(1).address}`
      await eventually('the first has told', async () =>
        (await intents('list')).includes(`Nothing can be judged yet: ${why};`),
      )
      for (const command of [['discard', '--all'], ['release', String(late.id)], ['resume']]) {
        await expect(intents(...command)).rejects.toThrow(why)
      }
      await world.rpc.call('evm_setIntervalMining', [1])
      await eventually('it is written down', async () => !(await intents('list')).includes('Nothing can be judged yet'))
      await expect(intents('discard', String(late.id))).rejects.toThrow('or on chain already')
      expect(await intents('discard', '--all')).toBe('1 intents discarded.\n')
      expect(await reload(world, unwanted)).toMatchObject({ state: 'rejected' })
      await intents('resume')
      for (const intent of [mined, late])
        expect(await untilMined(world, intent)).toMatchObject({ outcome: 'succeeded' })
    })
    expect(await tallies(world.rpc, world.tally, keys(5))).toEqual([...once(4), 0n])
  })

  test('finds the bytes of a later fee bump for what was in flight', async () => {
    const bumped = await intendKey(1n)
    const mined = await withRelayer(world, {}, () => untilMined(world, bumped))
    await forgetFeeBump()
    await dump(world)
    await withRelayer(world, {}, async () => untilMined(world, await intendKey(2n)))
    await restore(world)
    await withRelayer(world, {}, async () => {
      await untilPaused(world)
      expect(await untilMined(world, bumped)).toMatchObject({ txHash: mined.txHash, outcome: 'succeeded' })
    })
  })

  test('finds them also where no later nonce tells that the database was put back', async () => {
    const bumped = await intendKey(1n)
    const mined = await withRelayer(world, {}, () => untilMined(world, bumped))
    await forgetFeeBump()
    await withRelayer(world, {}, async () => {
      expect(await untilMined(world, bumped)).toMatchObject({ txHash: mined.txHash, outcome: 'succeeded' })
    })
    expect(await findPause(world.sql, CHAIN_ID)).toBeNull()
  })

  test('is noticed by a worker whose own signer is where the database says', async () => {
    const signers = [{ purpose: 'other', privateKey: devAccount(1).privateKey }]
    await intendKey(1n)
    await withRelayer(world, {}, () => untilSettled(world))
    await dump(world)
    const second = await intendKey(2n)
    await withRelayer(world, {}, () => untilMined(world, second))
    await restore(world)
    const mine = await intend(world, 'mine', hit(3n), { purpose: 'other' })
    await withRelayer(world, { signers }, async () => {
      await untilPaused(world)
      expect(await reload(world, mine)).toMatchObject({ state: 'queued' })
    })
    expect(await tallies(world.rpc, world.tally, keys(3))).toEqual([1n, 1n, 0n])
  })

  // docs/runbooks/chain-rollback.md, steps 3, 4 and 6: here nothing is on chain that the database does not know.
  test('together with the chain sends nothing of its queue where it is paused before a relayer starts, until that is judged', async () => {
    await withRelayer(world, {}, async () => untilMined(world, await intendKey(1n)))
    const unwanted = await intendKey(2n)
    const wanted = await intendKey(3n)
    await dump(world)
    const before = await world.rpc.call('evm_snapshot')
    await withRelayer(world, {}, () => untilSettled(world))
    expect(await tallies(world.rpc, world.tally, keys(3))).toEqual(once(3))
    await world.rpc.call('evm_revert', [before])
    await restore(world)

    expect(await intents('pause')).toContain('Sending is paused')
    await withRelayer(world, {}, async () => {
      await untilPausedByOperator()
      const listing = await intents('list')
      for (const { id } of [unwanted, wanted]) expect(listing).toMatch(new RegExp(`^ {2}${id} .*: to be judged$`, 'm'))
      expect(await tallies(world.rpc, world.tally, keys(3)), 'nothing was sent').toEqual([1n, 0n, 0n])
      expect(await intents('discard', String(unwanted.id))).toBe('1 intents discarded.\n')
      expect(await intents('resume')).toBe('Sending goes on.\n')
      await untilMined(world, wanted)
    })
    expect(await tallies(world.rpc, world.tally, keys(3))).toEqual([1n, 0n, 1n])
  })
})

describe('a signer that the database meets for the first time', () => {
  const useElsewhere = async () => {
    const from = devAccount(0).address
    const hash = await world.rpc.call<Hex>('eth_sendTransaction', [{ from, to: world.tally, data: hit(1n) }])
    await eventually('it is mined', () => world.rpc.call('eth_getTransactionReceipt', [hash]))
  }

  test('sends when what it did before was done before anything was queued', async () => {
    await useElsewhere()
    // A block of a later second stands between the signer's last transaction and the intent.
    await new Promise((resolve) => setTimeout(resolve, 2100))
    const intent = await intendKey(2n)
    await withRelayer(world, {}, () => untilMined(world, intent))
    expect(await tallies(world.rpc, world.tally, keys(2))).toEqual(once(2))
  })

  test('is met at a later look where the node fails the first', async () => {
    await useElsewhere()
    let failures = 0
    const isFailing = (calls: readonly RpcCall[]) =>
      calls.some(({ params }) => params[0] === devAccount(0).address) && failures++ === 0
    const lost: RpcOutcome<never> = { ok: false, error: new RpcError('rpc_timeout', 'batch', 'late') }
    const rpc: Rpc = {
      ...world.rpc,
      outcomes: async (calls, options) =>
        isFailing(calls) ? calls.map(() => lost) : await world.rpc.outcomes(calls, options),
    }
    await withRelayer(world, { rpc }, async () => {
      await eventually('it works or all is paused', async () => {
        const [signer] = await world.sql`select stopped_reason as reason from tx_signers`
        return signer?.reason === null || (await findPause(world.sql, CHAIN_ID)) !== null
      })
    })
    expect(failures).toBeGreaterThan(1)
    expect(await findPause(world.sql, CHAIN_ID)).toBeNull()
    expect(await world.sql`select accounted_nonce::int as nonce from tx_signers`).toEqual([{ nonce: 1 }])
  })

  test('sends nothing when it may have sent what is queued', async () => {
    const intent = await intendKey(1n)
    await new Promise((resolve) => setTimeout(resolve, 1100))
    await useElsewhere()
    await withRelayer(world, {}, async () => {
      await untilPaused(world)
      expect(await intents('list')).toContain(`${intent.id} settle`)
      await intents('resume')
      await untilMined(world, intent)
    })
    expect(await tallies(world.rpc, world.tally, [1n])).toEqual([1n])
  })
})

test('nothing is taken from the queue while sending is paused, whatever a signer has read before', async () => {
  await intendKey(1n)
  const [signer] = createSigners([{ purpose: 'settle', privateKey: devAccount(0).privateKey }])
  if (!signer) throw new Error('no signer')
  const { sql, rpc } = world
  const [profile, lane] = [quickProfile(), { chainId: CHAIN_ID, signer: signer.address }]
  const ctx = { sql, rpc, profile, signer, lane, log: createLogger('silent'), minBalanceWei: 0n, passed: () => {} }
  const view = await readView(rpc, profile, signer.address, Date.now())
  const sent = async () =>
    (
      await sendQueued(
        ctx as unknown as SendContext,
        view,
        { count: 9, onlyGaps: false, left: new Set() },
        { ids: new Set(), keys: new Set() },
      )
    ).sent
  await intents('pause')
  expect(await sent()).toBe(0)
  await intents('resume')
  expect(await sent()).toBe(1)
})

test('an operator pauses and resumes all sending; nothing gets a nonce in between', async () => {
  await withRelayer(world, {}, async () => {
    await untilMined(world, await intendKey(1n))
    expect(await intents('pause')).toContain('Sending is paused')
    const intent = await intendKey(2n)
    await untilPausedByOperator()
    expect(await reload(world, intent)).toMatchObject({ state: 'queued' })
    expect(await intents('resume')).toBe('Sending goes on.\n')
    await untilMined(world, intent)
  })
  await expect(intents('resume')).rejects.toThrow('sending is not paused')
  await expect(intents('halt')).rejects.toThrow('unknown command halt')
  await expect(intents('release', 'x')).rejects.toThrow('name the ids')
})
