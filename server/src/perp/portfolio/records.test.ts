import { encodeFunctionResult, erc20Abi } from 'viem'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ChainEvent } from '../../chain/follow/event-module.ts'
import { enterBlock, insertBlocks } from '../../chain/follow/store.ts'
import type { Rpc, RpcCall, RpcOutcome } from '../../chain/rpc.ts'
import { RpcError } from '../../chain/rpc-error.ts'
import type { ChainBlock, Hex } from '../../chain/types.ts'
import { inTransaction } from '../../db/pool.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import { testVenue } from '../../http/testing.ts'
import { insertMovements, movementRow } from '../indexing/ledger-store.ts'
import { CHAIN_ID } from '../testing/key-api.ts'
import { type Ledger, ledgerOf } from './records.ts'

// A wallet's deposits of a token that is anybody's contract. The node is a table here.

const [GATE, ALICE, TOKEN] = ['b', '1', '3'].map((digit): Hex => `0x${digit.repeat(40)}`) as [Hex, Hex, Hex]
const HASH: Hex = `0x${'1'.repeat(64)}`
const BLOCK: ChainBlock = { chainId: CHAIN_ID, number: 1n, hash: HASH, parentHash: HASH, timestampSec: 1 }
const DEPOSIT: ChainEvent = {
  address: GATE,
  abiVersion: 1,
  name: 'Deposit',
  args: {},
  logIndex: 0,
  indexInTransaction: 0,
  transactionHash: HASH,
}

let db: TestDatabase
let ledger: Ledger
/** Why the node does not answer for the token. */
let failure: RpcError | null
beforeEach(async () => {
  db = await testDatabase()
  await inTransaction(db.sql, async (tx) => {
    await insertBlocks(tx, CHAIN_ID, [BLOCK])
    await enterBlock(tx, CHAIN_ID, BLOCK.number, 'record')
    const deposit = { kind: 'deposit', trader: ALICE, token: TOKEN, amountRaw: 1_000_000n } as const
    await insertMovements(tx, [
      movementRow(BLOCK, DEPOSIT, { ...deposit, amountWad: null, instrument: null, expiry: null }),
    ])
  })
  const instruments = async () => ({ block: { height: 0n, timestampSec: 0n }, list: [] })
  ledger = ledgerOf({ venue: testVenue({ sql: db.sql, rpc: node }), chainId: CHAIN_ID, instruments })
})
afterEach(() => db.drop())

const node = { outcomes: async (calls: readonly RpcCall[]) => calls.map(answer) } as unknown as Rpc
function answer({ params }: RpcCall): RpcOutcome<Hex> {
  const { to, data } = params[0] as { readonly to: Hex; readonly data: Hex }
  if (failure && to === TOKEN) return { ok: false, error: failure }
  const value =
    data === '0x95d89b41'
      ? encodeFunctionResult({ abi: erc20Abi, functionName: 'symbol', result: 'MNT' })
      : encodeFunctionResult({ abi: erc20Abi, functionName: 'decimals', result: 6 })
  return { ok: true, value }
}

const movements = async () => (await ledger.movements({ trader: ALICE }, 'wallet', { page: 1, size: 10 })).data

it('are shown as of a token that says nothing while the node refuses to ask it, and with what it says afterwards', async () => {
  const rpc = { code: -32_000, message: 'no' }
  failure = new RpcError('rpc_error', 'eth_call', rpc.message, { rpc })
  expect(await movements()).toMatchObject({ list: [{ value: '1000000', tokenInfo: { symbol: '', decimals: 0 } }] })
  failure = null
  expect(await movements()).toMatchObject({ list: [{ value: '1', tokenInfo: { symbol: 'MNT', decimals: 6 } }] })
})

it('are not shown while the node is away', async () => {
  failure = new RpcError('rpc_interrupted', 'eth_call', 'the connection broke')
  await expect(movements()).rejects.toMatchObject({ reason: { name: 'perp_chain_unreachable' } })
})
