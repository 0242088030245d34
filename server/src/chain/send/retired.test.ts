import pino from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { inTransaction } from '../../db/pool.ts'
import type { Rpc } from '../rpc.ts'
import { RpcError } from '../rpc-error.ts'
import type { Hex } from '../types.ts'
import { declarePause, findPause, tellUnderWay } from './accounting-store.ts'
import { intentCommand } from './intent-commands.ts'
import type { Intent } from './intents.ts'
import { relayerStatus, signersFor } from './status.ts'
import {
  CHAIN_ID,
  devAccount,
  eventually,
  intend,
  reload,
  startRelayer,
  startWorld,
  untilMined,
  untilState,
  type World,
  withRelayer,
} from './testing/harness.ts'
import { dump, restore, untilPaused } from './testing/restore.ts'
import { hit, TALLY_CODE, tallies } from './testing/tally.ts'

const [old, young, third] = [devAccount(0), devAccount(1), devAccount(2)]
const ofOld = { signers: [{ purpose: 'settle', privateKey: old.privateKey }] }
const ofYoung = { signers: [{ purpose: 'settle', privateKey: young.privateKey }] }

let world: World
beforeEach(async () => {
  world = await startWorld({ blockTimeSec: 0.1 })
})
afterEach(() => world.stop())

const intents = (...args: string[]) => intentCommand(args, { sql: world.sql, chainId: CHAIN_ID, actor: 'test' })
const intendKey = (key: bigint, orderingKey: string | null = null) =>
  intend(world, `key ${key}`, hit(key), orderingKey === null ? {} : { orderingKey })
/** Its process was stopped some minutes ago. */
const silence = (address: Hex = old.address) =>
  world.sql`update tx_signers set seen_at = seen_at - interval '2 minutes' where address = ${address}`
const statusOf = async (address: Hex) =>
  (await relayerStatus(world.sql, CHAIN_ID)).signers.find((signer) => signer.address === address)
/** Of another purpose: it takes nothing that is queued in these tests. */
const ofOther = { signers: [{ purpose: 'other', privateKey: young.privateKey }] }
/** The young one has compared all signers with the chain and sends. */
const untilCompared = () =>
  eventually('the other works', async () => {
    const status = await statusOf(young.address)
    return status?.balanceWei != null && status.stoppedReason === null
  })
/** A node that has not kept the transactions of blocks. */
const withoutBlocks = (): Rpc => ({
  call: (method, params, options) => world.rpc.call(method, params, options),
  outcomes: (calls, options) => world.rpc.outcomes(calls, options),
  batch: <T>(calls: Parameters<Rpc['batch']>[0]) =>
    calls[0]?.params[1] === true ? Promise.resolve(calls.map(() => null as T)) : world.rpc.batch<T>(calls),
})
/** A node that asks before it answers a request for whole blocks. */
const searched = (before: (first: string) => Promise<void>): Rpc => ({
  call: (method, params, options) => world.rpc.call(method, params, options),
  outcomes: (calls, options) => world.rpc.outcomes(calls, options),
  async batch(calls, options) {
    if (calls[0]?.params[1] === true) await before(String(calls[0].params[0]))
    return await world.rpc.batch(calls, options)
  },
})
/** An intent of the old signer whose nonce its key has used for something else, a thousand blocks ago. */
async function leaveUsedNonce(): Promise<Intent> {
  await world.rpc.call('evm_setIntervalMining', [0])
  const intent = await intendKey(1n)
  await withRelayer(world, ofOld, () => untilState(world, intent, 'broadcast'))
  await world.rpc.call('anvil_dropAllTransactions')
  await world.rpc.call('eth_sendTransaction', [{ from: old.address, to: old.address, nonce: '0x0' }])
  await world.rpc.call('anvil_mine', ['0x3e8'])
  return intent
}
const untilFailed = (intent: Intent) =>
  eventually('it has failed', async () => {
    await world.rpc.call('evm_mine')
    return (await reload(world, intent)).state === 'failed'
  })
/** The block from which on the chain is searched for what used the nonce. */
const searchedFrom = async ({ id }: Intent) =>
  (await world.sql`select nonce_passed_block as block from tx_intents where id = ${String(id)}`)[0]?.block
/** A node that answers no request about the address while it is broken. */
function failingFor(address: Hex) {
  const rpc: Rpc = {
    call: (method, params, options) => world.rpc.call(method, params, options),
    batch: (calls, options) => world.rpc.batch(calls, options),
    async outcomes(calls, options) {
      if (!node.isBroken || !calls.some(({ params }) => params.includes(address)))
        return await world.rpc.outcomes(calls, options)
      node.failures++
      throw new RpcError('rpc_http_status', 'batch', 'HTTP 429', { httpStatus: 429 })
    },
  }
  const node = { rpc, isBroken: false, failures: 0 }
  return node
}
const untilJudgeable = () =>
  eventually('all is told', async () => !(await intents('list')).includes('Nothing can be judged yet'))

test('what the key of a signer does whose process is gone stops the others no more once it is retired', async () => {
  await withRelayer(world, ofOld, async () => untilMined(world, await intendKey(1n)))
  const hash = await world.rpc.call<Hex>('eth_sendTransaction', [{ from: old.address, to: world.tally, data: hit(9n) }])
  await eventually('it is mined', () => world.rpc.call('eth_getTransactionReceipt', [hash]))
  await withRelayer(world, ofYoung, async () => {
    await untilPaused(world)
    const waiting = await intendKey(2n)
    await silence()
    await untilJudgeable()
    // Judged once, it does not stop the process that has seen it, but the next one that starts.
    expect(await intents('resume')).toContain(`checked when they do, or when a relayer starts: ${old.address}`)
    await untilMined(world, waiting)
  })
  await withRelayer(world, ofYoung, async () => {
    await untilPaused(world)
    expect(await intents('retire', old.address.toUpperCase().replace('0X', '0x'))).toContain('has nothing under way')
    await untilJudgeable()
    expect(await intents('resume')).toBe('Sending goes on.\n')
    await untilMined(world, await intendKey(3n))
  })
  await withRelayer(world, ofYoung, async () => untilMined(world, await intendKey(4n)))
  expect(await findPause(world.sql, CHAIN_ID)).toBeNull()
  expect(await tallies(world.rpc, world.tally, [1n, 2n, 3n, 4n])).toEqual([1n, 1n, 1n, 1n])
  expect(await statusOf(old.address)).toBeUndefined()
  expect(await signersFor(world.sql, CHAIN_ID, 'settle')).toEqual([young.address])
  const log = await world.sql`select action, detail from operator_audit_log where action = 'intents.retire'`
  expect([...log]).toEqual([{ action: 'intents.retire', detail: { signer: old.address } }])
})

test('what a retired signer had under way is ended by the others, and what waits for it goes on', async () => {
  await world.rpc.call('evm_setIntervalMining', [0])
  const first = await intendKey(1n, 'a user')
  await withRelayer(world, ofOld, () => untilState(world, first, 'broadcast'))
  const second = await intendKey(2n, 'a user')
  await withRelayer(world, ofYoung, async () => {
    await untilCompared()
    await silence()
    expect(await intents('retire', old.address)).toContain('1 transactions under way')
    expect(await intents('list')).toContain(`${first.id} settle is under way from the retired signer ${old.address}`)
    expect(await statusOf(old.address)).toMatchObject({ retired: true, silent: false, inFlight: 1 })
    // A node that has forgotten it is given the bytes again.
    await world.rpc.call('anvil_dropAllTransactions')
    expect(await reload(world, second)).toMatchObject({ state: 'queued' })
    await world.rpc.call('evm_setIntervalMining', [1])
    expect(await untilMined(world, first)).toMatchObject({ outcome: 'succeeded', signer: old.address })
    expect(await untilMined(world, second)).toMatchObject({ outcome: 'succeeded', signer: young.address })
    expect(await statusOf(old.address)).toBeUndefined()
  })
  expect(await tallies(world.rpc, world.tally, [1n, 2n])).toEqual([1n, 1n])
})

test('one ends whose nonce the key has used for something else', async () => {
  await world.rpc.call('evm_setIntervalMining', [0])
  const first = await intendKey(1n)
  await withRelayer(world, ofOld, () => untilState(world, first, 'broadcast'))
  await silence()
  await withRelayer(world, ofOther, async () => {
    await untilCompared()
    await intents('retire', old.address)
  })
  await world.rpc.call('anvil_dropAllTransactions')
  const empty = { from: old.address, to: old.address, nonce: '0x0' }
  await world.rpc.call('eth_sendTransaction', [empty])
  await world.rpc.call('evm_mine')
  await world.rpc.call('evm_setIntervalMining', [1])
  await withRelayer(world, ofYoung, () => untilState(world, first, 'failed'))
  expect(await tallies(world.rpc, world.tally, [1n])).toEqual([0n])
})

test('a signer that works is not retired, and one that is retired does not work until it is reinstated', async () => {
  await withRelayer(world, ofOld, async () => {
    await untilMined(world, await intendKey(1n))
    await silence()
    await expect(intents('retire', old.address)).rejects.toThrow('stop that process')
  })
  await expect(intents('retire', young.address)).rejects.toThrow('has ever worked')
  await expect(intents('retire', '0x12')).rejects.toThrow('name the address')
  await expect(intents('reinstate', old.address)).rejects.toThrow('is not retired')
  await silence()
  await expect(intents('retire', old.address)).rejects.toThrow('no relayer has compared')
  await withRelayer(world, ofOther, async () => {
    await untilCompared()
    await intents('retire', old.address)
  })
  await expect(intents('retire', old.address)).rejects.toThrow('retired already')
  const intent = await intendKey(2n)
  const lines: string[] = []
  const log = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) })
  await withRelayer(world, { signers: ofOld.signers, log }, async () => {
    await eventually('it says so', async () => lines.some((line) => line.includes('is retired and sends nothing')))
    expect(await reload(world, intent)).toMatchObject({ state: 'queued' })
    await intents('reinstate', old.address)
    await untilMined(world, intent)
  })
  expect(lines).toHaveLength(1)
})

test('what a restored database forgot of a signer is written down before the signer can be retired', async () => {
  await withRelayer(world, ofOld, async () => untilMined(world, await intendKey(1n)))
  const forgotten = await Promise.all([2n, 3n].map((key) => intendKey(key)))
  await dump(world)
  const sent = await withRelayer(world, ofOld, () => Promise.all(forgotten.map((intent) => untilMined(world, intent))))
  await restore(world)
  await silence()
  await expect(intents('retire', old.address)).rejects.toThrow('no relayer has compared')
  await withRelayer(world, ofYoung, async () => {
    await untilPaused(world)
    await intents('retire', old.address)
    await untilJudgeable()
    const list = await intents('list')
    for (const { txHash } of sent) expect(list).toContain(`on chain already as ${txHash}`)
    await intents('resume')
    for (const [index, intent] of forgotten.entries())
      expect(await untilMined(world, intent)).toMatchObject({ txHash: sent[index]?.txHash, outcome: 'succeeded' })
  })
  expect(await tallies(world.rpc, world.tally, [1n, 2n, 3n])).toEqual([1n, 1n, 1n])
})

test('nothing is judged while a signer without a process has something in the pool that a restored database forgot', async () => {
  await withRelayer(world, ofOld, async () => untilMined(world, await intendKey(1n)))
  const forgotten = await intendKey(2n)
  await dump(world)
  await world.rpc.call('evm_setIntervalMining', [0])
  await withRelayer(world, ofOld, () => untilState(world, forgotten, 'broadcast'))
  await restore(world)
  await silence()
  await withRelayer(world, ofYoung, async () => {
    await untilPaused(world)
    const why = `that the database does not know, or has not been asked, of ${old.address};`
    await expect(intents('release', '--all')).rejects.toThrow(why)
    await intents('retire', old.address)
    await expect(intents('release', '--all')).rejects.toThrow(why)
    await world.rpc.call('evm_setIntervalMining', [1])
    await untilJudgeable()
    // What its key does now is not the venue's, and holds nothing up.
    await tellUnderWay(world.sql, { chainId: CHAIN_ID, signer: old.address }, 9n)
    await intents('resume')
    expect(await untilMined(world, forgotten)).toMatchObject({ signer: old.address, outcome: 'succeeded' })
  })
  expect(await tallies(world.rpc, world.tally, [1n, 2n])).toEqual([1n, 1n])
})

test('what no node has taken of a signer without a process is named as what holds up the judging, and ends when it is retired', async () => {
  await world.rpc.call('evm_setIntervalMining', [0])
  const refused = await intendKey(1n)
  await withRelayer(world, ofOld, () => untilState(world, refused, 'broadcast'))
  await world.sql`update tx_intents set refusals = broadcasts`
  await world.rpc.call('anvil_dropAllTransactions')
  await silence()
  await inTransaction(world.sql, (tx) => declarePause(tx, CHAIN_ID, 'database_behind_chain', 'restored'))
  await withRelayer(world, ofOther, async () => {
    const why = `no node has taken what is signed by ${old.address}, and no process sends it again: start one with its key, or retire it`
    await eventually('only that is left', async () => (await intents('list')).includes(`judged yet: ${why}\n`))
    await eventually('it has compared', async () => (await statusOf(young.address))?.balanceWei != null)
    await expect(intents('resume')).rejects.toThrow(why)
    await intents('retire', old.address)
    await world.rpc.call('evm_setIntervalMining', [1])
    expect(await untilMined(world, refused)).toMatchObject({ signer: old.address })
    await untilJudgeable()
  })
})

test('nothing is sent, and nobody retired, before all signers are compared, though the node fails while they are', async () => {
  await withRelayer(world, ofOld, async () => untilMined(world, await intendKey(1n)))
  const forgotten = await Promise.all([2n, 3n].map((key) => intendKey(key)))
  await dump(world)
  await withRelayer(world, ofOld, () => Promise.all(forgotten.map((intent) => untilMined(world, intent))))
  await restore(world)
  await silence()
  const node = failingFor(old.address)
  node.isBroken = true
  await withRelayer(world, { signers: ofYoung.signers, rpc: node.rpc }, async () => {
    await eventually('it looks again', async () => {
      const status = await statusOf(young.address)
      return node.failures > 1 || (status?.balanceWei != null && status.stoppedReason === null)
    })
    await expect(intents('retire', old.address)).rejects.toThrow('no relayer has compared')
    node.isBroken = false
    await untilPaused(world)
    await intents('retire', old.address)
    await untilJudgeable()
    await intents('resume')
    for (const intent of forgotten) expect(await untilMined(world, intent)).toMatchObject({ signer: old.address })
  })
  expect(await tallies(world.rpc, world.tally, [1n, 2n, 3n])).toEqual([1n, 1n, 1n])
})

test('trouble of the node with a retired signer keeps no other from sending', async () => {
  const node = failingFor(old.address)
  await world.rpc.call('evm_setIntervalMining', [0])
  const first = await intendKey(1n)
  await withRelayer(world, ofOld, () => untilState(world, first, 'broadcast'))
  await withRelayer(world, { signers: ofYoung.signers, rpc: node.rpc }, async () => {
    await untilCompared()
    await silence()
    node.isBroken = true
    await intents('retire', old.address)
    await world.rpc.call('evm_setIntervalMining', [1])
    await untilMined(world, await intendKey(2n))
    expect(await statusOf(young.address)).toMatchObject({ stoppedReason: null })
    node.isBroken = false
    expect(await untilMined(world, first)).toMatchObject({ signer: old.address })
  })
  expect(await tallies(world.rpc, world.tally, [1n, 2n])).toEqual([1n, 1n])
})

test('a long search of one signer keeps no other from being looked after, and one that the relayer ends is made again at once', async () => {
  const sought = await leaveUsedNonce()
  const left = await intendKey(2n)
  const ofThird = { signers: [{ purpose: 'settle', privateKey: third.privateKey }] }
  await withRelayer(world, ofThird, () => untilState(world, left, 'broadcast'))
  await world.rpc.call('anvil_dropAllTransactions')
  const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const rpc = searched(() => {
    begun.resolve()
    return goOn.promise
  })
  let isBegun = false
  begun.promise.then(() => {
    isBegun = true
  })
  const relayer = startRelayer(world, { signers: ofOther.signers, rpc })
  await untilCompared()
  await silence()
  await silence(third.address)
  await intents('retire', old.address)
  await eventually('blocks are searched', async () => {
    await world.rpc.call('evm_mine')
    return isBegun
  })
  const from = await searchedFrom(sought)
  await intents('retire', third.address)
  await world.rpc.call('evm_setIntervalMining', [1])
  expect(await untilMined(world, left)).toMatchObject({ signer: third.address })
  const stopped = relayer.stop()
  goOn.resolve()
  await stopped
  expect(await searchedFrom(sought)).toBe(from)
  await withRelayer(world, ofOther, () => untilFailed(sought))
})

test('a part of a search that the node fails to answer is asked for again', async () => {
  const sought = await leaveUsedNonce()
  const parts: string[] = []
  const rpc = searched(async (first) => {
    parts.push(first)
    if (parts.length === 3) throw new RpcError('rpc_http_status', 'batch', 'HTTP 429', { httpStatus: 429 })
  })
  await withRelayer(world, { signers: ofOld.signers, rpc }, () => untilFailed(sought))
  expect(parts[3]).toBe(parts[2])
  expect(new Set(parts).size).toBe(parts.length - 1)
})

test('a retired signer of which nothing comes is looked at less and less often', async () => {
  await world.rpc.call('evm_setIntervalMining', [0])
  const stuck = await intendKey(1n)
  await withRelayer(world, ofOld, () => untilState(world, stuck, 'broadcast'))
  const looks: number[] = []
  const rpc: Rpc = {
    call: (method, params, options) => world.rpc.call(method, params, options),
    batch: (calls, options) => world.rpc.batch(calls, options),
    outcomes(calls, options) {
      if (calls.some(({ params }) => params.includes(old.address))) looks.push(Date.now())
      return world.rpc.outcomes(calls, options)
    },
  }
  await withRelayer(world, { signers: ofOther.signers, rpc }, async () => {
    await untilCompared()
    await silence()
    await intents('retire', old.address)
    looks.length = 0
    await eventually('a look is far from the one before', async () => {
      const [before, last] = looks.slice(-2)
      return before !== undefined && last !== undefined && last - before > 1500
    })
    await world.rpc.call('evm_setIntervalMining', [1])
    expect(await untilMined(world, stuck)).toMatchObject({ signer: old.address })
  })
})

test('a search for what used a nonce that finds nothing is repeated the later the more blocks it read', async () => {
  const first = await leaveUsedNonce()
  await withRelayer(world, { signers: ofOld.signers, rpc: withoutBlocks() }, async () => {
    const waits = await eventually('the next search is far off', async () => {
      await world.rpc.call('evm_mine')
      const head = BigInt(await world.rpc.call<Hex>('eth_blockNumber'))
      const [row] = await world.sql<{ block: bigint | null }[]>`select nonce_passed_block as block from tx_intents`
      return row?.block != null && row.block - head > 50n && row.block - head
    })
    expect(waits).toBeLessThan(200n)
  })
  expect(await reload(world, first)).toMatchObject({ state: 'broadcast' })
})

test.each([
  ['a contract that a signer has created', ofOld, false],
  ['a contract that the key of a silent one has created', ofYoung, false],
  ['what is too old to be found', ofYoung, true],
])('%s is not waited for', async (_what, { signers }, isOld) => {
  await withRelayer(world, ofOld, async () => untilMined(world, await intendKey(1n)))
  await silence()
  const hash = await world.rpc.call<Hex>('eth_sendTransaction', [
    { from: old.address, data: TALLY_CODE, gas: '0x30000' },
  ])
  await eventually('it is mined', () => world.rpc.call('eth_getTransactionReceipt', [hash]))
  const waiting = await intendKey(2n)
  await withRelayer(world, { signers, rpc: isOld ? withoutBlocks() : world.rpc }, async () => {
    await untilPaused(world)
    await untilJudgeable()
    await intents('release', '--all')
    await intents('resume')
    expect(await untilMined(world, waiting)).toMatchObject({ outcome: 'succeeded' })
  })
})
