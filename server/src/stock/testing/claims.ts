import type { BlockRef } from '../../chain/follow/store.ts'
import type { Rpc } from '../../chain/rpc.ts'
import type { Hex } from '../../chain/types.ts'
import type { Sql } from '../../db/pool.ts'
import { testDatabase } from '../../db/testing.ts'
import type { Caller } from '../../http/caller.ts'
import { AppError } from '../../lib/errors.ts'
import { WAD } from '../../lib/wad.ts'
import { orderCalldata } from '../calldata/calldata.ts'
import { calldataHash } from '../calldata-hash.ts'
import { insertBuiltCalldata } from '../recording/claim-store.ts'
import type { MappingScope, OperationType } from '../recording/claim-types.ts'
import { recordTransaction } from '../recording/claims.ts'
import { type MappingStatus, mappingStatus, mappingView } from '../recording/mapping.ts'
import { listMappings, mappingsOfTransaction } from '../recording/mapping-store.ts'
import { AAPL, ALICE, BOB, CHAIN_ID, type EventCall, placed, ROUTER, randomHash, setUp, TestChain } from './chain.ts'

const key = (keyId: string, userAddress: Hex | null): Caller => ({ keyId, access: 'WRITABLE', userAddress })
export const alice = key('alice', ALICE)
/** A second key of the same wallet. */
export const alice2 = key('alice-2', ALICE)
export const bob = key('bob', BOB)
export const unbound = key('unbound', null)
export const unbound2 = key('unbound-2', null)

/** Calldata of a market buy. */
export const BUY = orderCalldata(ROUTER, AAPL, { type: 'Market', side: 'Buy', notionalWad: WAD }, 2_000_000_000).data

export const scopeOf = (caller: Caller, operationType: OperationType): MappingScope => ({
  chainId: CHAIN_ID,
  apiKeyId: caller.keyId,
  operationType,
})

/** Keys that record transactions, of which the node and the indexer know what a test says. */
export class ClaimsWorld {
  readonly sql: Sql
  readonly chain: TestChain
  readonly drop: () => Promise<void>
  /** By hash. */
  readonly node = new Map<Hex, object>()
  nodeDown = false
  readonly #rpc: Rpc

  private constructor(sql: Sql, chain: TestChain, drop: () => Promise<void>) {
    this.sql = sql
    this.chain = chain
    this.drop = drop
    const call = async (_method: string, [hash]: readonly Hex[]) => {
      if (this.nodeDown) throw new Error('connection refused')
      return this.node.get(hash as Hex) ?? null
    }
    this.#rpc = { call } as unknown as Rpc
  }

  static async open(): Promise<ClaimsWorld> {
    const { sql, drop } = await testDatabase()
    const chain = await TestChain.open(sql)
    await chain.emit(...setUp())
    return new ClaimsWorld(sql, chain, drop)
  }

  /** The outcome of recording: 'recorded', or the reason of the refusal. */
  async record(caller: Caller, txHash: Hex, operationType: OperationType = 'trade'): Promise<string> {
    const recording = { chainId: CHAIN_ID, router: ROUTER, caller, txHash, operationType }
    try {
      await recordTransaction(this.sql, this.#rpc, recording)
      return 'recorded'
    } catch (error) {
      if (error instanceof AppError) return error.reason.name
      throw error
    }
  }

  /** Status and operation of each mapping that the key has of a transaction. */
  async mappings(
    caller: Caller,
    txHash: Hex,
    operationType: OperationType = 'trade',
  ): Promise<[MappingStatus, Hex | null][]> {
    const rows = await mappingsOfTransaction(this.sql, scopeOf(caller, operationType), txHash)
    return rows.map((row) => [mappingStatus(row), row.operationId])
  }

  /** How many the list says there are, and the operations it shows. */
  async list(caller: Caller, operationType: OperationType): Promise<[number, (Hex | null)[]]> {
    const { total, rows } = await listMappings(this.sql, scopeOf(caller, operationType), { limit: 100, offset: 0 })
    return [total, rows.map((row) => row.operationId)]
  }

  /** The node knows a transaction. */
  submit(from: Hex, input: Hex, to: Hex = ROUTER, blockNumber: Hex | null = null): Hex {
    const hash = randomHash()
    this.node.set(hash, { from, to, input, value: '0x0', blockNumber })
    return hash
  }

  /** The indexer has a transaction. */
  async index(hash: Hex, events: readonly EventCall[], input: Hex = BUY, succeeded = true): Promise<void> {
    await this.chain.block({ hash, input, events: succeeded ? events : [], succeeded })
  }

  /** Why the key's mapping of a transaction has failed. */
  async statusReason(caller: Caller, txHash: Hex): Promise<string | null> {
    const [row] = await mappingsOfTransaction(this.sql, scopeOf(caller, 'trade'), txHash)
    return row ? mappingView(row, 'Bourse').statusReason : null
  }

  /** The key has built this calldata, behind the newest indexed block or a newer one of the node. */
  build(caller: Caller, data: Hex = BUY, head: BlockRef | null = null): Promise<void> {
    return insertBuiltCalldata(this.sql, CHAIN_ID, caller.keyId, calldataHash(ROUTER, 0n, data), head)
  }

  /** A market order that node and indexer know. */
  async order(user: Hex): Promise<{ hash: Hex; orderId: Hex }> {
    const orderId = randomHash()
    const hash = this.submit(user, BUY)
    await this.index(hash, [placed({ orderId, user, amount: WAD })])
    return { hash, orderId }
  }
}
