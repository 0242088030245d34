import {
  type Abi,
  decodeFunctionData,
  encodeAbiParameters,
  encodeEventTopics,
  encodeFunctionResult,
  erc20Abi,
} from 'viem'
import { cashierAbi } from '../../chain/abi/cashier.ts'
import { stockAbi } from '../../chain/abi/stock.ts'
import { stockTokenAbi } from '../../chain/abi/stock-token.ts'
import type { Rpc, RpcCall } from '../../chain/rpc.ts'
import type { Hex } from '../../chain/types.ts'
import { WAD } from '../../lib/wad.ts'
import { AAPL, ALICE, BOB, CASHIER, MSFT, SETTLER, STOCK, USDC } from '../testing/chain.ts'

// Contracts whose figures a test writes down by hand, so that they are an account of their own beside the tables.

const abiOf = (address: string): Abi =>
  address === CASHIER ? cashierAbi : address === STOCK ? stockAbi : address === USDC ? erc20Abi : stockTokenAbi

export interface TestOrder {
  readonly status?: number
  readonly lockedWad: bigint
  readonly filledQuantityWad?: bigint
}

const CASH = 10n ** 6n

/** A node whose contracts say what the test wrote down. */
export class TestContracts {
  supplyWad = new Map<string, bigint>([
    [AAPL, 0n],
    [MSFT, 0n],
  ])
  sharesPerTokenWad = new Map<string, bigint>()
  /** Tokens by token and holder. */
  heldWad = new Map<string, bigint>()
  stockBalanceWad = new Map<string, bigint>()
  balanceWad = new Map<string, bigint>()
  owedWad = 0n
  creditBufferWad = 20_000n * WAD
  withdrawBufferRaw = 10_000n * CASH
  cashierHoldsRaw = 0n
  /** Whether the Cashier counts what it holds towards what may be collected. */
  isCashCounted = true
  pendingDepositRaw = 0n
  pendingWithdrawalWad = 0n
  cashOperations = 0n
  orderCount = 0n
  orders = new Map<string, TestOrder>()
  logs: { topics: Hex[]; data: Hex }[] = []
  /** Set: the node has another block at every height. */
  isReorganised = false
  /** Set: logs are asked of a node that has none of the newest blocks yet. */
  isBehind = false
  /** Not set: the contracts come onto the chain later than at any block that is asked for. */
  isDeployed = true
  readonly #hashOf: (number: bigint) => Promise<Hex | null>

  constructor(hashOf: (number: bigint) => Promise<Hex | null>) {
    this.#hashOf = hashOf
  }

  get rpc(): Rpc {
    return {
      call: (method: string, params: readonly unknown[] = []) => this.#call(method, params),
      batch: (calls: readonly RpcCall[]) => this.#batch(calls),
      outcomes: async (calls: readonly RpcCall[]) => (await this.#batch(calls)).map((value) => ({ ok: true, value })),
    } as unknown as Rpc
  }

  /** The Cashier's payment for a settlement, negative: to it; or what the operator collected. */
  emit(name: 'BatchSettled' | 'TokenCollected', amountRaw: bigint): void {
    const abi = name === 'BatchSettled' ? stockAbi : cashierAbi
    const args =
      name === 'BatchSettled'
        ? { settler: SETTLER, stockToken: AAPL, cashToken: USDC }
        : { settler: SETTLER, token: USDC }
    const data =
      name === 'BatchSettled'
        ? encodeAbiParameters([{ type: 'int256' }, { type: 'int256' }, { type: 'uint256' }], [0n, amountRaw, 1n])
        : encodeAbiParameters([{ type: 'uint256' }], [amountRaw])
    this.logs.push({ topics: encodeEventTopics({ abi, eventName: name, args } as never) as Hex[], data })
  }

  async #batch(calls: readonly RpcCall[]): Promise<readonly unknown[]> {
    if (this.isBehind && calls.some(isOfLogs)) return calls.map((call) => (isOfLogs(call) ? [] : null))
    return Promise.all(calls.map(({ method, params }) => this.#call(method, params)))
  }

  async #call(method: string, params: readonly unknown[]): Promise<unknown> {
    if (method === 'eth_call') return this.#read(params[0] as EthCall)
    if (isOfLogs({ method })) return this.logs.splice(0)
    if (method === 'eth_getCode') return this.isDeployed ? '0x60' : '0x'
    if (method !== 'eth_getBlockByNumber') throw new Error(`nobody asks a node for ${method} here`)
    const hash = await this.#hashOf(BigInt(params[0] as Hex))
    return hash === null ? null : { hash: this.isReorganised ? `0x${'f'.repeat(64)}` : hash }
  }

  #read({ to, data }: EthCall): Hex {
    const abi = abiOf(to)
    const { functionName, args = [] } = decodeFunctionData({ abi, data })
    const result = this.#answer(to, functionName, args as readonly unknown[])
    return encodeFunctionResult({ abi, functionName, result } as never)
  }

  #answer(to: string, name: string, args: readonly unknown[]): unknown {
    const [first, second] = args.map((arg) => (typeof arg === 'string' ? arg.toLowerCase() : arg))
    const freeRaw = this.cashierHoldsRaw - this.pendingDepositRaw
    const countedRaw = this.isCashCounted ? freeRaw : 0n
    const excessRaw = (countedRaw * 10n ** 12n - this.owedWad) / 10n ** 12n
    const answers: Readonly<Record<string, () => unknown>> = {
      totalSupply: () => this.supplyWad.get(to) ?? 0n,
      sharesPerToken: () => this.sharesPerTokenWad.get(to) ?? WAD,
      balanceOf: () => (to === USDC ? this.cashierHoldsRaw : (this.heldWad.get(`${to} ${first}`) ?? 0n)),
      totalOwedWad: () => this.owedWad,
      creditBufferWad: () => this.creditBufferWad,
      operationCounter: () => (to === CASHIER ? this.cashOperations : this.orderCount),
      tokenConfig: () => ({
        minAmount: 0n,
        usdRate: 1_000_000,
        decimals: 6,
        depositPaused: false,
        withdrawPaused: false,
        withdrawBuffer: this.withdrawBufferRaw,
        withdrawBufferCapacity: 0n,
      }),
      totalPending: () => [this.pendingDepositRaw, this.pendingWithdrawalWad],
      freeCash: () => freeRaw,
      referenceRate: () => 1_000_000,
      collectible: () => (excessRaw < 0n ? 0n : excessRaw < freeRaw ? excessRaw : freeRaw),
      balanceWad: () => this.balanceWad.get(first as string) ?? 0n,
      stockBalance: () => this.stockBalanceWad.get(`${first} ${second}`) ?? 0n,
      getOrders: () => (args[0] as readonly Hex[]).map((id) => orderStruct(this.orders.get(id))),
    }
    const answer = answers[name]
    if (!answer) throw new Error(`nobody asks a contract for ${name} here`)
    return answer()
  }
}

const isOfLogs = ({ method }: Pick<RpcCall, 'method'>): boolean => method === 'eth_getLogs'

interface EthCall {
  readonly to: Hex
  readonly data: Hex
}

const orderStruct = (order: TestOrder | undefined) => ({
  user: ALICE,
  stockToken: AAPL,
  amount: 0n,
  lockedAmount: order?.lockedWad ?? 0n,
  exitAt: 0,
  thirdPartyPpm: 0,
  protocolPpm: 0,
  status: order === undefined ? 0 : (order.status ?? 1),
  filledQuantity: order?.filledQuantityWad ?? 0n,
  filledNotionalWad: 0n,
  limitPrice: 0n,
  isLimit: true,
  cancelRequested: false,
})

/** What the contracts say after the scene of `testing-scene.ts`. */
export function writeScene(contracts: TestContracts, restingId: Hex): void {
  contracts.supplyWad.set(AAPL, 5n * WAD)
  contracts.heldWad.set(`${AAPL} ${STOCK}`, 4n * WAD)
  contracts.stockBalanceWad.set(`${ALICE} ${AAPL}`, 4n * WAD)
  contracts.owedWad = 3998n * WAD + (9n * WAD) / 10n
  contracts.balanceWad.set(ALICE, 3798n * WAD + (79n * WAD) / 100n)
  contracts.balanceWad.set(BOB, 0n)
  contracts.pendingDepositRaw = 300n * CASH
  contracts.pendingWithdrawalWad = 100n * WAD
  contracts.cashierHoldsRaw = (1_000_000n + 5000n + 300n - 1001n) * CASH
  contracts.cashOperations = 3n
  contracts.orderCount = 2n
  contracts.orders.set(restingId, { lockedWad: 100n * WAD + (11n * WAD) / 100n })
}
