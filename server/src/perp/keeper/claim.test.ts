import { decodeFunctionData, encodeFunctionResult } from 'viem'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { instrumentAbi } from '../../chain/abi/instrument.ts'
import type { RpcCall } from '../../chain/rpc.ts'
import type { Hex } from '../../chain/types.ts'
import type { TestDatabase } from '../../db/testing.ts'
import type { Venue } from '../../http/product.ts'
import { createLogger } from '../../lib/logger.ts'
import { WAD } from '../../lib/wad.ts'
import { PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import { CONDITION, STATUS } from '../listing/states.ts'
import { keeperDatabase } from '../testing/keeper.ts'
import { Chores } from './chores.ts'
import { endForOthers } from './claim.ts'
import { takenOrders } from './fill.ts'
import type { Pair } from './survey.ts'

const CHAIN_ID = 31_337
const MARK = 100n * WAD
/** 100,000 of gas at 1 gwei, of a coin at the mark. */
const COST_WAD = WAD / 100n

let database: TestDatabase
beforeAll(async () => {
  database = await keeperDatabase(CHAIN_ID)
})
afterAll(() => database?.drop())
afterEach(() => database.sql`delete from tx_intents`)

/** A taken order: what its fill tips, and the balance of the position that it becomes. */
interface Order {
  tipWad: bigint
  balance: bigint
}

const SAFE = { tipWad: 0n, balance: 50n * WAD }
const UNSAFE = { tipWad: 0n, balance: WAD }

/** A perpetual of the chain's coin in which the orders, by their nonces, are taken whole. */
function pairOf(orders: readonly Order[]): Pair {
  const indices = { longSocialLossIndex: 0n, shortSocialLossIndex: 0n, longFundingIndex: 0n, shortFundingIndex: 0n }
  const quote = { address: `0x${'2'.repeat(40)}`, decimals: 6 }
  const instrument = { address: `0x${'1'.repeat(40)}`, condition: CONDITION.NORMAL, base: 'ETH', quote }
  const taken = orders.map((_, nonce) => ({ tick: 0, nonce, balance: 0n, size: WAD, taken: WAD }))
  return {
    instrument: { ...instrument, initialMarginRatio: 1000, maintenanceMarginRatio: 500 },
    expiry: PERPETUAL_EXPIRY,
    amm: { status: STATUS.TRADING },
    markWad: MARK,
    indices,
    holders: [{ account: `0x${'a'.repeat(40)}`, orders: taken }],
  } as unknown as Pair
}

/** The order's nonce in the calldata of its `fill`. */
const nonceIn = (data: Hex): number => {
  const { args } = decodeFunctionData({ abi: instrumentAbi, data })
  return Number(BigInt(args?.[0] as Hex) >> 216n)
}

/** The orders that were sent, by their nonces. */
async function sent(): Promise<number[]> {
  const rows = await database.sql<{ data: Hex }[]>`select data from tx_intents order by id`
  return rows.map(({ data }) => nonceIn(data))
}

/** A keeper of these orders, with what it asked to be estimated and what was sent when it first did. */
function keeperOf(orders: readonly Order[]) {
  const state = { nowMs: 0, estimated: [] as number[], sentBefore: null as readonly number[] | null }
  const answer = async ({ method, params }: RpcCall) => {
    const nonce = nonceIn((params as [{ data: Hex }])[0].data)
    if (method === 'eth_estimateGas') {
      state.sentBefore ??= await sent()
      state.estimated.push(nonce)
      return { ok: true, value: '0x186a0' }
    }
    const { tipWad, balance } = orders[nonce] as Order
    const position = { balance, size: WAD, entryNotional: MARK, entrySocialLossIndex: 0n, entryFundingIndex: 0n }
    const value = encodeFunctionResult({ abi: instrumentAbi, functionName: 'fill', result: [position, tipWad] })
    return { ok: true, value }
  }
  const venue = {
    sql: database.sql,
    deployment: { chainId: CHAIN_ID },
    rpc: {
      call: async () => '0x3b9aca00',
      outcomes: (calls: readonly RpcCall[]) => Promise.all(calls.map(answer)),
    },
    clock: { nowMs: () => state.nowMs },
    log: createLogger('silent'),
  } as unknown as Venue
  const chores = new Chores()
  const survey = async () => ({ blockNumber: 1n, nowSec: 1, instruments: [], pairs: [pairOf(orders)] })
  const round = async (afterMs = 0) => {
    state.nowMs += afterMs
    state.estimated = []
    await endForOthers(venue, survey, chores, { nativeBase: 'ETH', claimsOf: takenOrders })
    return state.estimated
  }
  return { round, state }
}

const many = (count: number, { tipWad, balance }: Order): Order[] =>
  Array.from({ length: count }, () => ({ tipWad, balance }))

it('what is below its maintenance margin is sent before any tip is weighed', async () => {
  const { round, state } = keeperOf([...many(50, SAFE), UNSAFE])
  expect(await round()).toHaveLength(50)
  expect(state.sentBefore).toEqual([50])
  expect(await sent()).toEqual([50])
})

it('a tip that does not pay is weighed again later, and what becomes unsafe meanwhile is sent at once', async () => {
  const orders = many(2, SAFE)
  const { round } = keeperOf(orders)
  expect(await round()).toEqual([0, 1])
  expect(await round(4999)).toEqual([])
  expect(await round(1)).toEqual([0, 1])
  orders[1] = UNSAFE
  expect(await round(1)).toEqual([])
  expect(await sent()).toEqual([1])
})

it('the highest tips are weighed first, and a round weighs a bounded number', async () => {
  const { round } = keeperOf([...many(120, SAFE), { tipWad: COST_WAD * 2n, balance: SAFE.balance }])
  const [first] = await round()
  expect([first, await sent()]).toEqual([120, [120]])
  expect(await round()).toHaveLength(50)
  expect(await round()).toHaveLength(21)
  expect(await round()).toEqual([])
})
