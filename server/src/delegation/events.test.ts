import { randomBytes } from 'node:crypto'
import { type AbiEvent, encodeAbiParameters, encodeEventTopics } from 'viem'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { oneClickRouterAbi } from '../chain/abi/one-click-router.ts'
import { applyBlocks, undoBlocks } from '../chain/follow/apply.ts'
import { compileModules } from '../chain/follow/decode.ts'
import { insertCheckpoint } from '../chain/follow/store.ts'
import { installUndo, type UndoTable } from '../chain/follow/undo.ts'
import type { Deployment, Hex } from '../chain/types.ts'
import { inTransaction } from '../db/pool.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { delegationEvents } from './events.ts'
import { findDelegation } from './store.ts'

const CHAIN_ID = 31_337
const address = (digit: string): Hex => `0x${digit.repeat(40)}`
const [ROUTER, POOL, USER, OTHER, NOBODY] = ['1', '2', 'a', 'b', '0'].map(address) as [Hex, Hex, Hex, Hex, Hex]
const deployment: Deployment = { chainId: CHAIN_ID, startBlock: 1n, contracts: { OneClickRouter: ROUTER } }
const hash = (): Hex => `0x${randomBytes(32).toString('hex')}`

type Change = readonly [name: 'Delegated' | 'Undelegated', user: Hex, delegatee: Hex, nextNonce: bigint]

let database: TestDatabase
let tables: readonly UndoTable[]
let line: { readonly number: bigint; readonly hash: Hex }[]
beforeEach(async () => {
  database = await testDatabase()
  tables = await installUndo(database.sql, delegationEvents.tables)
  line = [{ number: 0n, hash: hash() }]
  const genesis = line[0]?.hash as Hex
  await inTransaction(database.sql, (tx) => insertCheckpoint(tx, CHAIN_ID, genesis, { number: 0n, hash: genesis }))
})
afterEach(() => database.drop())

const context = () => {
  const modules = compileModules([delegationEvents], deployment)
  return { sql: database.sql, chainId: CHAIN_ID, modules, tables }
}
const head = () => line.at(-1) as { number: bigint; hash: Hex }

/** What an event says beside its topics; a delegation also says when it ends. */
const dataOf = (name: Change[0], nextNonce: bigint): Hex =>
  name === 'Delegated'
    ? encodeAbiParameters([{ type: 'uint64' }, { type: 'uint32' }], [nextNonce, 2_000_000_000])
    : encodeAbiParameters([{ type: 'uint64' }], [nextNonce])

/** Indexes a block with one transaction of these events; returns its hash. */
async function block(...changes: Change[]): Promise<Hex> {
  const number = head().number + 1n
  const header = {
    chainId: CHAIN_ID,
    number,
    hash: hash(),
    parentHash: head().hash,
    timestampSec: 1000 + Number(number),
  }
  const transactionHash = hash()
  const logs = changes.map(([name, user, delegatee, nextNonce], index) => ({
    address: ROUTER,
    topics: encodeEventTopics({ abi: [eventOf(name)], args: { user, delegatee } } as never) as Hex[],
    data: dataOf(name, nextNonce),
    logIndex: index,
    transactionIndex: 0,
    transactionHash,
    indexInTransaction: index,
  }))
  const transaction = { hash: transactionHash, index: 0, from: USER, to: ROUTER, input: '0x' as Hex, valueWei: 0n }
  await applyBlocks(
    context(),
    head(),
    [{ block: header, logs, transactions: [{ ...transaction, succeeded: true }] }],
    -1n,
  )
  line.push({ number, hash: header.hash })
  return transactionHash
}

const eventOf = (name: string) =>
  oneClickRouterAbi.find((item) => item.type === 'event' && item.name === name) as unknown as AbiEvent

async function undo(depth: number): Promise<void> {
  const ancestor = line.at(-1 - depth) as { number: bigint; hash: Hex }
  await undoBlocks(context(), head(), ancestor)
  line = line.slice(0, line.length - depth)
}

const state = async (user = USER) => {
  const row = await findDelegation(database.sql, CHAIN_ID, ROUTER, user)
  return row && [row.delegatee, row.nextNonce]
}

it('follows what the chain says of each user, whoever made the change', async () => {
  expect(await state()).toBeNull()
  const first = await block(['Delegated', USER, POOL, 1n], ['Delegated', OTHER, POOL, 1n])
  expect(await state()).toEqual([POOL, 1n])
  expect(await findDelegation(database.sql, CHAIN_ID, ROUTER, USER)).toMatchObject({
    changedTxHash: first,
    changedAtSec: 1001n,
  })
  await block(['Undelegated', USER, POOL, 2n])
  expect(await state()).toEqual([null, 2n])
  expect(await state(OTHER)).toEqual([POOL, 1n])
  // The router announces the end of the former delegation first.
  await block(['Undelegated', OTHER, POOL, 2n], ['Delegated', OTHER, USER, 2n])
  expect(await state(OTHER)).toEqual([USER, 2n])
  await block(['Undelegated', USER, NOBODY, 3n])
  expect(await state()).toEqual([null, 3n])
})

it('goes back with the chain', async () => {
  await block(['Delegated', USER, POOL, 1n])
  await block(['Undelegated', USER, POOL, 2n], ['Delegated', OTHER, POOL, 1n])
  await undo(1)
  expect([await state(), await state(OTHER)]).toEqual([[POOL, 1n], null])
  await undo(1)
  expect(await state()).toBeNull()
  await block(['Delegated', USER, OTHER, 1n])
  expect(await state()).toEqual([OTHER, 1n])
})

it('does without routers where a venue has none', () => {
  expect(delegationEvents.sources({ ...deployment, contracts: {} })).toEqual([])
})
