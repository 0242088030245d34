import { decodeFunctionData, toHex } from 'viem'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { cashierAbi } from '../../chain/abi/cashier.ts'
import type { RpcCall } from '../../chain/rpc.ts'
import { RpcError } from '../../chain/rpc-error.ts'
import type { Hex } from '../../chain/types.ts'
import { fencedPool, StaleTermError, startTerm } from '../../db/leadership-terms.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import type { Venue } from '../../http/product.ts'
import { testVenue } from '../../http/testing.ts'
import { WAD } from '../../lib/wad.ts'
import { ScriptedNode } from '../testing/api.ts'
import { DEFAULT_BUFFER_TARGETS, refillBuffers, refillMemory } from './refill-buffers.ts'

// A refill is an amount to add: stored by two keepers that have read the same buffers, it would be added twice.

const CASHIER: Hex = `0x${'ca'.repeat(20)}`
const TOKEN: Hex = `0x${'01'.repeat(20)}`
const OTHER_TOKEN: Hex = `0x${'02'.repeat(20)}`
const HASH: Hex = `0x${'0a'.repeat(32)}`
const LEADERSHIP = 'stock.keeper'

let database: TestDatabase
/** What befalls the venue while the buffers are being read. */
let meanwhile: () => Promise<unknown>
/** The newest block that the node has; what it answers is of before any refill. */
let newestBlock: number
beforeEach(async () => {
  newestBlock = 16
  database = await testDatabase()
  meanwhile = async () => {}
  await database.sql`
    insert into cash_tokens (chain_id, token, symbol, decimals, supported, usd_rate_e6)
    values (31337, ${TOKEN}, 'USDC', 6, true, 1000000)`
  await database.sql`
    insert into chain_checkpoints (chain_id, genesis_hash, base_number, block_number, block_hash, final_number)
    values (31337, ${HASH}, 0, 8, ${HASH}, 0)`
})
afterEach(() => database.drop())

/** The Cashier's credit buffer is empty, and it has the cash to fill it. */
class Node extends ScriptedNode {
  constructor() {
    super()
    this.answer('creditBufferWad', 0n)
    this.answer('creditBufferWadCapacity', 1000n * WAD)
    this.answer('totalOwedWad', 0n)
    this.answerCapacity(0n)
    this.answer('freeCash', 5_000_000_000n)
    this.answer('totalPending', [0n, 0n])
  }

  /** The withdrawal buffer of every token is empty, and may hold as much. */
  answerCapacity(withdrawBufferCapacity: bigint): void {
    const buffers = { withdrawBuffer: 0n, withdrawBufferCapacity }
    const paused = { depositPaused: false, withdrawPaused: false }
    this.answer('tokenConfig', { minAmount: 0n, usdRate: 1_000_000, decimals: 6, ...paused, ...buffers })
  }

  override async call<T>(method: string, params: readonly unknown[] = []): Promise<T> {
    return method === 'eth_blockNumber' ? (toHex(newestBlock) as T) : await super.call<T>(method, params)
  }

  override async batch<T>(calls: readonly RpcCall[]): Promise<T[]> {
    if (calls.some(({ method }) => method === 'eth_call')) await meanwhile()
    if (calls.some(({ params: [, block] }) => Number(block) > newestBlock))
      throw new RpcError('rpc_error', 'eth_call', 'header not found')
    return super.batch<T>(calls)
  }
}

/** The venue as the keeper of a new term has it. */
async function newLeader(node = new Node()): Promise<Venue> {
  const sql = fencedPool(database.sql, LEADERSHIP, await startTerm(database.sql, LEADERSHIP))
  const deployment = { chainId: 31_337, startBlock: 0n, contracts: { Cashier: CASHIER } }
  return testVenue({ sql, rpc: node, deployment })
}

const refill = (venue: Venue, memory = refillMemory()) => refillBuffers(venue, DEFAULT_BUFFER_TARGETS, memory)

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
  meanwhile = () => newLeader()
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

it('none is stored by what a node says that has not the block of one that is indexed', async () => {
  const leader = await newLeader()
  await refill(leader)
  await database.sql`
    update tx_intents set state = 'final', outcome = 'succeeded', signer = ${CASHIER}, nonce = 0, tx_hash = ${HASH}, block_number = 9,
      block_hash = ${HASH}`
  await database.sql`update chain_checkpoints set block_number = 10`
  newestBlock = 8
  await expect(refill(leader)).rejects.toThrow('header not found')
  expect(await stored()).toEqual([REFILL])
})

it('none is stored before the venue has indexed a block', async () => {
  await database.sql`delete from chain_checkpoints`
  await refill(await newLeader())
  expect(await stored()).toEqual([])
})

describe('a buffer that is empty again', () => {
  let nowMs: number
  let node: Node
  let leader: Venue
  beforeEach(async () => {
    nowMs = 1_000_000
    newestBlock = 100
    node = new Node()
    leader = { ...(await newLeader(node)), clock: { nowMs: () => nowMs } }
  })

  /** What is under way, of this token if one is named, ends so in the next block, which is indexed. */
  async function end(outcome: 'succeeded' | 'reverted', token = ''): Promise<void> {
    await database.sql`update chain_checkpoints set block_number = block_number + 1`
    await database.sql`
      update tx_intents set state = 'final', outcome = ${outcome}, signer = ${CASHIER}, nonce = id, tx_hash = ${HASH}, block_hash = ${HASH},
        block_number = (select block_number from chain_checkpoints)
      where state = 'queued' and data like ${`%${token.slice(2)}%`}`
  }

  /** After how many seconds each of the next refills is stored, where the ones before have ended so. */
  async function pauses(outcomes: readonly ('succeeded' | 'reverted')[]): Promise<number[]> {
    const memory = refillMemory()
    await refill(leader, memory)
    const seconds: number[] = []
    for (const outcome of outcomes) {
      await end(outcome)
      const count = (await stored()).length
      const sinceMs = nowMs
      do {
        nowMs += 1000
        await refill(leader, memory)
      } while ((await stored()).length === count)
      seconds.push((nowMs - sinceMs) / 1000)
    }
    return seconds
  }

  it('is refilled in the next round where the refill before it has succeeded', async () => {
    expect(await pauses(['succeeded', 'succeeded', 'succeeded', 'succeeded'])).toEqual([1, 1, 1, 1])
  })

  it('is refilled ever more seldom while refills fail, and at once after one that succeeds', async () => {
    expect(await pauses(['reverted', 'reverted', 'reverted', 'succeeded', 'reverted'])).toEqual([5, 10, 20, 1, 5])
  })

  it('is refilled ever more seldom where there is cash for a part only', async () => {
    node.answer('freeCash', 5_000_000n)
    expect(await pauses(['succeeded', 'succeeded', 'succeeded'])).toEqual([5, 10, 20])
  })

  /** How often the buffers have been refilled after so many seconds, with a round in each. */
  async function refillsWithin(seconds: number, endAll: () => Promise<void>) {
    const memory = refillMemory()
    for (let second = 0; second <= seconds; second += 1) {
      await refill(leader, memory)
      await endAll()
      nowMs += 1000
    }
    const refills = await stored()
    const ofToken = (token: Hex) => refills.filter(({ args }) => args?.[0] === token).length
    const credit = refills.filter(({ functionName }) => functionName === REFILL.functionName).length
    return { credit, token: ofToken(TOKEN), otherToken: ofToken(OTHER_TOKEN) }
  }

  it('is not kept waiting by a token that has cash for a part only', async () => {
    node.answerCapacity(1_000_000_000_000n)
    // At 0 s, and 5, 10 and 20 s after one another.
    expect(await refillsWithin(36, () => end('succeeded'))).toEqual({ credit: 37, token: 4, otherToken: 0 })
  })

  it('is not kept waiting by a token whose refills fail, nor is another token', async () => {
    await database.sql`
      insert into cash_tokens (chain_id, token, symbol, decimals, supported, usd_rate_e6)
      values (31337, ${OTHER_TOKEN}, 'USDT', 6, true, 1000000)`
    node.answerCapacity(1_000_000_000n)
    const endAll = async () => {
      await end('reverted', TOKEN)
      await end('succeeded')
    }
    expect(await refillsWithin(36, endAll)).toEqual({ credit: 37, token: 4, otherToken: 37 })
  })
})
