import { decodeFunctionData, encodeFunctionResult } from 'viem'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { cashierAbi } from '../../chain/abi/cashier.ts'
import type { Rpc, RpcCall } from '../../chain/rpc.ts'
import type { Hex } from '../../chain/types.ts'
import { fencedPool, StaleTermError, startTerm } from '../../db/leadership-terms.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import type { Venue } from '../../http/product.ts'
import { testVenue } from '../../http/testing.ts'
import { Backoff } from '../../lib/backoff.ts'
import { WAD } from '../../lib/wad.ts'
import { DEFAULT_BUFFER_TARGETS, refillBuffers } from './refill-buffers.ts'

// A refill is an amount to add: stored by two keepers that have read the same buffers, it would be added twice.

const CASHIER: Hex = `0x${'ca'.repeat(20)}`
const TOKEN: Hex = `0x${'01'.repeat(20)}`
const LEADERSHIP = 'stock.keeper'

let database: TestDatabase
/** What befalls the venue while the buffers are being read. */
let meanwhile: () => Promise<unknown>
beforeEach(async () => {
  database = await testDatabase()
  meanwhile = async () => {}
  await database.sql`
    insert into cash_tokens (chain_id, token, symbol, decimals, supported, usd_rate_e6)
    values (31337, ${TOKEN}, 'USDC', 6, true, 1000000)`
})
afterEach(() => database.drop())

/** A Cashier whose credit buffer is empty, and who has the cash to fill it. */
const answers = {
  creditBufferWad: 0n,
  creditBufferWadCapacity: 1000n * WAD,
  totalOwedWad: 0n,
  tokenConfig: {
    minAmount: 0n,
    usdRate: 1_000_000,
    decimals: 6,
    depositPaused: false,
    withdrawPaused: false,
    withdrawBuffer: 0n,
    withdrawBufferCapacity: 0n,
  },
  freeCash: 5_000_000_000n,
  totalPending: [0n, 0n],
} as const

const rpc = {
  call: async () => '0x1',
  async batch(calls: readonly RpcCall[]) {
    await meanwhile()
    return calls.map(({ params }) => {
      const [{ data }] = params as [{ data: Hex }]
      const { functionName } = decodeFunctionData({ abi: cashierAbi, data })
      const result = answers[functionName as keyof typeof answers]
      return encodeFunctionResult({ abi: cashierAbi, functionName, result } as Parameters<
        typeof encodeFunctionResult
      >[0])
    })
  },
} as unknown as Rpc

/** The venue as the keeper of a new term has it. */
async function newLeader(): Promise<Venue> {
  const sql = fencedPool(database.sql, LEADERSHIP, await startTerm(database.sql, LEADERSHIP))
  const deployment = { chainId: 31_337, startBlock: 0n, contracts: { Cashier: CASHIER } }
  return { ...testVenue({ sql }), rpc, deployment }
}

const refill = (venue: Venue) => refillBuffers(venue, DEFAULT_BUFFER_TARGETS, new Backoff())

const stored = async () => {
  const intents = await database.sql<{ data: Hex }[]>`select data from tx_intents order by id`
  return intents.map(({ data }) => decodeFunctionData({ abi: cashierAbi, data }))
}

const REFILL = { functionName: 'adjustCreditBufferWad', args: [1000n * WAD] }

it('a keeper that is replaced while it reads the buffers stores nothing; its successor stores the refill', async () => {
  const frozen = await newLeader()
  let successor: Venue | undefined
  meanwhile = async () => {
    successor = await newLeader()
    meanwhile = async () => {}
    await refill(successor)
  }
  await expect(refill(frozen)).rejects.toThrow(StaleTermError)
  expect(await stored()).toEqual([REFILL])
})

it('one that is replaced and whose successor has nothing to do yet leaves the refill to it', async () => {
  const frozen = await newLeader()
  meanwhile = newLeader
  await expect(refill(frozen)).rejects.toThrow(StaleTermError)
  expect(await stored()).toEqual([])
  meanwhile = async () => {}
  await refill(await newLeader())
  expect(await stored()).toEqual([REFILL])
})

it('none is stored while one is under way, though the buffers still look empty', async () => {
  const leader = await newLeader()
  meanwhile = async () => {
    meanwhile = async () => {}
    await refill(leader)
  }
  await refill(leader)
  await refill(leader)
  expect(await stored()).toEqual([REFILL])
})
