import { encodeFunctionResult, erc20Abi, zeroAddress } from 'viem'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createKey } from '../../auth/keys.ts'
import type { ChainEvent } from '../../chain/follow/event-module.ts'
import { enterBlock, insertBlocks } from '../../chain/follow/store.ts'
import type { Rpc, RpcCall, RpcOutcome } from '../../chain/rpc.ts'
import { RpcError } from '../../chain/rpc-error.ts'
import type { ChainBlock, Hex } from '../../chain/types.ts'
import { readMessages } from '../../db/outbox.ts'
import { ensureOutboxPartitions } from '../../db/outbox-partitions.ts'
import { inTransaction } from '../../db/pool.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import { testVenue } from '../../http/testing.ts'
import { WAD } from '../../lib/wad.ts'
import { outboxChannel } from '../../push/key-channels.ts'
import { type Publication, publishAll } from '../../push/publish.ts'
import { executionRow, insertExecutions } from '../indexing/execution-store.ts'
import { insertMovements, movementRow } from '../indexing/ledger-store.ts'
import { type ListedInstrument, PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import { tickToSqrt } from '../maths/tick.ts'
import { CHAIN_ID, testMasterKeys } from '../testing/key-api.ts'
import { PERP_PRODUCT } from '../variables.ts'
import { hasMarks, oldestMarkSec } from './mark-store.ts'
import { perpPublication } from './publish.ts'

// What is told of movements of tokens that are anybody's contracts. The node is a table here.

const address = (digit: string): Hex => `0x${digit.repeat(40)}`
const [BTC, ALICE, BOB, TOKEN] = ['b', '1', '2', '3'].map(address) as [Hex, Hex, Hex, Hex]
const HASH: Hex = `0x${'1'.repeat(64)}`
const BLOCK: ChainBlock = { chainId: CHAIN_ID, number: 1n, hash: HASH, parentHash: HASH, timestampSec: 1 }
const DEPOSITS = 100
/** Of other tokens than that of the deposits. */
const tokenOf = (nth: number): Hex => `0x${nth.toString(16).padStart(40, '0')}`
/** So many contracts that are not known one publishing transaction asks. */
const MOST_ASKED = 20

let db: TestDatabase
let publication: Publication
let symbol: string
/** What the node says in the place of an answer, by the contract that it is asked about. */
let failing: Map<Hex, RpcError>
let asked: Set<Hex>
beforeEach(async () => {
  db = await testDatabase()
  await ensureOutboxPartitions(db.sql)
  symbol = 'MNT'
  failing = new Map()
  asked = new Set()
  const key = { label: 'a', access: 'READ_ONLY', chainId: CHAIN_ID, productType: PERP_PRODUCT } as const
  for (const userAddress of [ALICE, BOB]) {
    const newKey = { ...key, userAddress, ipWhitelist: ['127.0.0.1'], expiresAt: null }
    await createKey(db.sql, testMasterKeys(), newKey, 'test')
  }
  const venue = testVenue({ sql: db.sql, rpc: node })
  const list = [{ address: BTC, symbol: 'BTC/USDC', base: 'BTC', quote: { address: address('4') } } as ListedInstrument]
  const instruments = async () => ({ block: { height: 0n, timestampSec: 0n }, list })
  publication = perpPublication({ venue, chainId: CHAIN_ID, productType: PERP_PRODUCT, instruments })
  await happen()
})
afterEach(() => db.drop())

const node = { outcomes: async (calls: readonly RpcCall[]) => calls.map(answer) } as unknown as Rpc
function answer({ params }: RpcCall): RpcOutcome<Hex> {
  const { to, data } = params[0] as { readonly to: Hex; readonly data: Hex }
  asked.add(to)
  const error = failing.get(to)
  if (error) return { ok: false, error }
  const isSymbol = data === '0x95d89b41'
  const value = isSymbol
    ? encodeFunctionResult({ abi: erc20Abi, functionName: 'symbol', result: symbol })
    : encodeFunctionResult({ abi: erc20Abi, functionName: 'decimals', result: 6 })
  return { ok: true, value }
}

/** In words that nobody knows. */
const REFUSED = new RpcError('rpc_error', 'eth_call', 'no', { rpc: { code: -32_000, message: 'no' } })
const CUT_OFF = new RpcError('rpc_interrupted', 'eth_call', 'the connection broke')

/** Alice deposits a token of her own, again and again; then bob trades. */
const happen = () =>
  inTransaction(db.sql, async (tx) => {
    await insertBlocks(tx, CHAIN_ID, [BLOCK])
    await enterBlock(tx, CHAIN_ID, BLOCK.number, 'record')
    await insertMovements(
      tx,
      Array.from({ length: DEPOSITS }, (_, nth) => depositOf(TOKEN, nth)),
    )
    const execution = { kind: 'market', instrument: BTC, expiry: PERPETUAL_EXPIRY, trader: BOB } as const
    const row = { ...execution, sizeWad: WAD, notionalWad: WAD, takenSizeWad: 0n, sqrtPX96: tickToSqrt(110_000) }
    await insertExecutions(tx, [executionRow(BLOCK, eventOf(DEPOSITS), row)])
  })

const eventOf = (nth: number): ChainEvent => ({
  address: BTC,
  abiVersion: 1,
  name: 'Deposit',
  args: {},
  logIndex: 0,
  indexInTransaction: 0,
  transactionHash: `0x${nth.toString(16).padStart(64, '0')}`,
})

function depositOf(token: Hex, nth: number) {
  const deposit = { kind: 'deposit', trader: ALICE, token, amountRaw: 1_000_000n } as const
  return movementRow(BLOCK, eventOf(nth), { ...deposit, amountWad: null, instrument: null, expiry: null })
}

const publish = () =>
  publishAll({ sql: db.sql, deployment: { chainId: CHAIN_ID, startBlock: 0n, contracts: {} } }, publication)
async function told(wallet: Hex, channel: string) {
  const messages = await readMessages(db.sql, outboxChannel('perp', CHAIN_ID, wallet, channel), 0n, 1000)
  return (messages ?? []).map(({ payload }) => JSON.parse(payload ?? ''))
}

it('are told without a symbol that would fill the memory of all', async () => {
  symbol = '\0'.repeat(2 ** 20)
  await publish()
  expect(await told(BOB, 'executions')).toHaveLength(1)
  const movements = await told(ALICE, 'account')
  expect(movements).toHaveLength(DEPOSITS)
  expect(new Set(movements.map(({ tokenInfo }) => tokenInfo.symbol))).toEqual(new Set(['']))
})

/** What was put back has waited for so long, and is due. */
const waitFor = (interval: string) => db.sql`
  update perp_stream_marks set marked_at = now() - ${interval}::interval, not_before = now() - interval '1 second'
  where not_before > '-infinity'`

async function symbolsTold() {
  const movements = await told(ALICE, 'account')
  return movements.map(({ tokenInfo }) => tokenInfo.symbol)
}

it('are told later where the node does not say what the token is, and hold up nobody else', async () => {
  failing.set(TOKEN, CUT_OFF)
  await publish()
  expect(await told(BOB, 'executions')).toHaveLength(1)
  expect(await told(ALICE, 'account')).toEqual([])
  expect(await hasMarks(db.sql, CHAIN_ID)).toBe(false)
  await waitFor('1 hour')
  await publish()
  expect(await told(ALICE, 'account')).toEqual([])
  // They have waited since they were first put back, and count for no delay of the venue.
  const young = await db.sql`select from perp_stream_marks where marked_at > now() - interval '59 minutes'`
  expect(young).toHaveLength(0)
  expect(await oldestMarkSec(db.sql, CHAIN_ID)).toBe(0)
  failing.clear()
  await waitFor('1 hour')
  await publish()
  const movements = await told(ALICE, 'account')
  expect(movements).toHaveLength(DEPOSITS)
  expect(movements[0]).toMatchObject({ value: '1', tokenInfo: { symbol: 'MNT', decimals: 6 } })
})

it('are told as of a token that says nothing where the node refuses for a minute to ask it', async () => {
  failing.set(TOKEN, REFUSED)
  await db.sql`update perp_stream_marks set marked_at = now() - interval '1 hour' where trader = ${ALICE}`
  for (const waited of ['0 s', '30 s']) {
    await publish()
    expect(await told(ALICE, 'account'), waited).toEqual([])
    await waitFor(waited)
  }
  await waitFor('61 s')
  await publish()
  const movements = await told(ALICE, 'account')
  expect(movements).toHaveLength(DEPOSITS)
  expect(movements[0]).toMatchObject({ value: '1000000', tokenInfo: { symbol: '', decimals: 0 } })
  expect(await db.sql`select from perp_stream_marks`).toHaveLength(0)
})

it('of a token that was told as one that says nothing are told with what it says as soon as the node tells', async () => {
  failing.set(TOKEN, REFUSED)
  await publish()
  await waitFor('61 s')
  await publish()
  failing.clear()
  await inTransaction(db.sql, (tx) => insertMovements(tx, [depositOf(TOKEN, DEPOSITS + 1)]))
  await publish()
  expect((await symbolsTold()).at(-1)).toBe('MNT')
})

it('wait while the node runs nothing at that block, whatever it says', async () => {
  for (const to of [TOKEN, zeroAddress]) failing.set(to, REFUSED)
  await publish()
  await waitFor('1 hour')
  await publish()
  expect(await told(ALICE, 'account')).toEqual([])
})

it('of a token behind many that the node does not tell of are told when their turn comes', async () => {
  await publish()
  const strangers = Array.from({ length: MOST_ASKED + 5 }, (_, nth) => tokenOf(1000 + nth))
  const honest = tokenOf(2000)
  for (const stranger of strangers) failing.set(stranger, CUT_OFF)
  const deposits = [...strangers, honest].map((token, nth) => depositOf(token, 1000 + nth))
  await inTransaction(db.sql, (tx) => insertMovements(tx, deposits))
  for (let round = 0; round < 2; round++) {
    expect(await symbolsTold(), `before round ${round}`).toHaveLength(DEPOSITS)
    asked.clear()
    await publish()
    expect(strangers.filter((token) => asked.has(token)).length).toBeLessThanOrEqual(MOST_ASKED)
    await waitFor('1 hour')
  }
  expect((await symbolsTold()).slice(DEPOSITS)).toEqual(['MNT'])
})
