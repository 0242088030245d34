import { decodeFunctionData } from 'viem'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { instrumentAbi } from '../../chain/abi/instrument.ts'
import type { RpcCall } from '../../chain/rpc.ts'
import { RpcError } from '../../chain/rpc-error.ts'
import type { Hex } from '../../chain/types.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import type { Venue } from '../../http/product.ts'
import { createLogger } from '../../lib/logger.ts'
import { WAD } from '../../lib/wad.ts'
import { CONDITION, STATUS } from '../listing/states.ts'
import { Chores, KEEPER_PURPOSE } from './chores.ts'
import { protectPairs } from './protect.ts'
import type { Pair } from './survey.ts'

const CHAIN_ID = 31_337
const EXPIRY = 4_294_967_295
const SIGNER: Hex = `0x${'5'.repeat(40)}`
const MARK = 100n * WAD
const REVERTED = new RpcError('rpc_error', 'eth_call', 'refused', {
  rpc: { code: 3, message: 'execution reverted', data: '0x' },
})

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
  await database.sql`insert into tx_signers (chain_id, address, purposes) values (${CHAIN_ID}, ${SIGNER}, ${[KEEPER_PURPOSE]})`
})
afterAll(() => database?.drop())
afterEach(() => database.sql`delete from tx_intents`)

const accountAt = (index: number): Hex => `0x${String(index).padStart(40, '0')}`

/** A pair in which each account is long one unit with so much equity, below its maintenance margin. */
function pairOf(equities: readonly bigint[]): Pair {
  const indices = { longSocialLossIndex: 0n, shortSocialLossIndex: 0n, longFundingIndex: 0n, shortFundingIndex: 0n }
  const instrument = {
    address: `0x${'1'.repeat(40)}`,
    condition: CONDITION.NORMAL,
    quote: { address: `0x${'2'.repeat(40)}`, decimals: 6 },
    initialMarginRatio: 1000,
    maintenanceMarginRatio: 500,
  }
  const holders = equities.map((balance, index) => ({
    account: accountAt(index),
    position: { balance, size: WAD, entryNotional: MARK, entrySocialLossIndex: 0n, entryFundingIndex: 0n },
  }))
  const amm = { status: STATUS.TRADING }
  return { instrument, expiry: EXPIRY, amm, markWad: MARK, indices, holders } as unknown as Pair
}

/** Rounds of a keeper on a node that allows sweeps of these accounts alone, and quotes nothing. */
function keeperOf(pair: Pair, sweepable: readonly Hex[]) {
  const answer = ({ params }: RpcCall) => {
    const { data } = (params as [{ data: Hex }])[0]
    const { functionName, args } = decodeFunctionData({ abi: instrumentAbi, data })
    const isAllowed = functionName === 'sweep' && sweepable.includes(args[1].toLowerCase() as Hex)
    return isAllowed ? { ok: true, value: '0x' } : { ok: false, error: REVERTED }
  }
  let nowMs = 0
  const venue = {
    sql: database.sql,
    deployment: { chainId: CHAIN_ID, contracts: { Gate: `0x${'3'.repeat(40)}` } },
    rpc: {
      call: async () => '0x1',
      batch: async (calls: readonly unknown[]) => calls.map(() => `0x${'0'.repeat(64)}`),
      outcomes: async (calls: readonly RpcCall[]) => calls.map(answer),
    },
    clock: { nowMs: () => nowMs },
    log: createLogger('silent'),
  } as unknown as Venue
  const chores = new Chores()
  return async () => {
    await protectPairs(
      venue,
      async () => ({ blockNumber: 1n, nowSec: 1, instruments: [], pairs: [pair] }),
      chores,
      'ETH',
    )
    nowMs += 1000
    return sweptAccounts()
  }
}

async function sweptAccounts(): Promise<Hex[]> {
  const rows = await database.sql<{ data: Hex }[]>`select data from tx_intents order by id`
  return rows.map(({ data }) => {
    const { args } = decodeFunctionData({ abi: instrumentAbi, data })
    return (args as readonly unknown[])[1] as Hex
  })
}

it('accounts that owe and that nobody can pay for now do not keep those from being swept that can pay', async () => {
  const owing = Array.from({ length: 8 }, () => -WAD)
  const round = keeperOf(pairOf([...owing, WAD]), [accountAt(8)])
  expect(await round()).toEqual([accountAt(8)])
})

it('accounts of which no part can be closed now make room for those that wait, and are tried again', async () => {
  const stuck = Array.from({ length: 20 }, (_, index) => BigInt(index + 1))
  const sweepable = [accountAt(20)]
  const round = keeperOf(pairOf([...stuck, WAD]), sweepable)
  expect(await round()).toEqual([])
  expect(await round()).toEqual([])
  expect(await round()).toEqual([accountAt(20)])
  sweepable.push(accountAt(0))
  for (let waits = 0; waits < 2; waits++) expect(await round()).toEqual([accountAt(20)])
  expect(await round()).toEqual([accountAt(20), accountAt(0)])
})
