import { decodeFunctionData, encodeErrorResult, encodeFunctionResult } from 'viem'
import { cashierAbi } from '../../chain/abi/cashier.ts'
import { stockAbi } from '../../chain/abi/stock.ts'
import { stockOracleAbi } from '../../chain/abi/stock-oracle.ts'
import { stockTokenAbi } from '../../chain/abi/stock-token.ts'
import type { Rpc, RpcCall } from '../../chain/rpc.ts'
import type { Hex } from '../../chain/types.ts'
import type { Sql } from '../../db/pool.ts'
import { testDatabase } from '../../db/testing.ts'
import type { Venue } from '../../http/product.ts'
import { createLogger } from '../../lib/logger.ts'
import { WAD } from '../../lib/wad.ts'
import { sendCancels } from '../../market/broker-cancels.ts'
import { collectExecutions, submitRequested } from '../../market/broker-orders.ts'
import { type HedgePosition, hedgePositions } from '../../market/broker-store.ts'
import { alwaysOpen, type MarketHours } from '../../market/hours.ts'
import { embeddedInstruments } from '../../market/instruments.ts'
import type {
  Broker,
  BrokerOrder,
  BrokerOrderRequest,
  BrokerPosition,
  Execution,
  SourceQuote,
} from '../../market/ports.ts'
import { upsertSymbols } from '../../market/store.ts'
import { pollQuotes } from '../../market/tasks.ts'
import { insertTokenSplit } from '../keeper/split-store.ts'
import { forwardCancels, takeOrders } from '../keeper/take-orders.ts'
import {
  CHAIN_ID,
  deployment,
  listingTerms,
  placed,
  placedLimit,
  randomHash,
  SETTLER,
  setUp,
  TestChain,
} from './chain.ts'

// A keeper's world without a relayer: a chain of named events, a broker that does what a test says, and the intents as
// rows that the test ends itself.

export const START_MS = Date.UTC(2026, 7, 3, 15, 0, 0)

/** A broker whose books are written by the test. */
export class ScriptedBroker implements Broker {
  readonly name = 'scripted'
  readonly precision = { quantityDecimals: 9, notionalDecimals: 9 }
  readonly #orders = new Map<string, BrokerOrder>()
  readonly #executions: Execution[] = []

  async submit(order: BrokerOrderRequest): Promise<BrokerOrder> {
    const { clientOrderId, symbol, side } = order
    const known = this.#orders.get(clientOrderId)
    if (known) return known
    const fresh = { clientOrderId, brokerOrderId: `b-${clientOrderId}`, symbol, side, status: 'accepted' as const }
    this.#orders.set(clientOrderId, { ...fresh, filledQuantityWad: 0n, rejectReason: null })
    return this.submit(order)
  }

  /** Fills part of an order. */
  fill(clientOrderId: string, quantityWad: bigint, price8: bigint, status: BrokerOrder['status'] = 'filled'): void {
    const order = this.#orders.get(clientOrderId) as BrokerOrder
    const { symbol, side } = order
    const executionId = `e${this.#executions.length}`
    this.#executions.push({ executionId, clientOrderId, symbol, side, quantityWad, price8, timeMs: START_MS })
    this.#orders.set(clientOrderId, { ...order, status, filledQuantityWad: order.filledQuantityWad + quantityWad })
  }

  /** Ends an order without a further fill. */
  end(clientOrderId: string, status: BrokerOrder['status'], rejectReason: string | null = null): void {
    this.#orders.set(clientOrderId, { ...(this.#orders.get(clientOrderId) as BrokerOrder), status, rejectReason })
  }

  /** Ids that it was asked to cancel; what becomes of them the test says. */
  readonly cancelRequests: string[] = []

  async cancel(clientOrderId: string): Promise<BrokerOrder | null> {
    this.cancelRequests.push(clientOrderId)
    return this.#orders.get(clientOrderId) ?? null
  }

  async findOrders(ids: readonly string[]): Promise<BrokerOrder[]> {
    return ids.flatMap((id) => this.#orders.get(id) ?? [])
  }

  async openOrders(): Promise<BrokerOrder[]> {
    return [...this.#orders.values()].filter(({ status }) => status === 'accepted' || status === 'partially_filled')
  }

  async executionsSince(cursor: string | null, limit: number) {
    const from = Number(cursor ?? '0')
    const executions = this.#executions.slice(from, from + limit)
    return { executions, cursor: String(from + executions.length) }
  }

  async positions(): Promise<BrokerPosition[]> {
    const held = new Map<string, bigint>()
    for (const { symbol, side, quantityWad } of this.#executions) {
      held.set(symbol, (held.get(symbol) ?? 0n) + (side === 'buy' ? quantityWad : -quantityWad))
    }
    return [...held].map(([symbol, quantityWad]) => ({ symbol, quantityWad }))
  }

  /** Ids of the orders it was given. */
  get orderIds(): string[] {
    return [...this.#orders.keys()]
  }
}

/** An intent as the keeper stored it, its calldata decoded. */
export interface SentIntent {
  readonly id: bigint
  readonly to: Hex
  readonly name: string
  // biome-ignore lint/suspicious/noExplicitAny: the shape is the ABI's, and the test names it
  readonly args: any
  readonly orderingKey: string
}

const keeperAbi = [...stockAbi, ...stockTokenAbi, ...cashierAbi, ...stockOracleAbi]

export interface IntentEnd {
  readonly state: 'mined' | 'final' | 'rejected' | 'failed' | 'broadcast'
  readonly outcome?: 'succeeded' | 'reverted'
  readonly revertData?: Hex
  /** The indexed head unless given. */
  readonly block?: { readonly number: bigint; readonly hash: Hex }
}

/** Revert data of a custom error. */
export const revert = (errorName: string, args: readonly unknown[] = []): Hex =>
  encodeErrorResult({ abi: keeperAbi, errorName, args } as never)

export class KeeperWorld {
  readonly sql: Sql
  readonly chain: TestChain
  readonly broker = new ScriptedBroker()
  readonly venue: Venue
  readonly drop: () => Promise<void>
  nowMs = START_MS
  hours: MarketHours = alwaysOpen
  /** Price ids that the guardian has frozen. */
  readonly frozenFeeds = new Set<Hex>()
  /** Tokens of a stock that settlements may mint at most and now, where it is not as much as `listingTerms` says. */
  readonly mintCaps = new Map<Hex, { readonly capacityWad: bigint; readonly mintableWad: bigint }>()
  #lastSeen = 0n
  #nonce = 0

  private constructor(sql: Sql, chain: TestChain, drop: () => Promise<void>) {
    this.sql = sql
    this.chain = chain
    this.drop = drop
    const node = {
      call: async () => '0x1',
      batch: async (calls: readonly RpcCall[]) => calls.map((call) => this.#read(call)),
    }
    const clock = { nowMs: () => this.nowMs }
    this.venue = { sql, deployment, clock, log: createLogger('silent'), rpc: node as unknown as Rpc }
  }

  static async open(): Promise<KeeperWorld> {
    const { sql, drop } = await testDatabase()
    const chain = await TestChain.open(sql)
    await chain.emit(...setUp())
    await sql.begin((tx) =>
      upsertSymbols(
        tx,
        embeddedInstruments.filter(({ startingPrice8 }) => startingPrice8 !== null),
      ),
    )
    const world = new KeeperWorld(sql, chain, drop)
    await world.signer(SETTLER, new Date())
    return world
  }

  /** What the chain answers: whether a feed is frozen, what may be minted of a stock. */
  #read({ params }: RpcCall): Hex {
    const { data } = params[0] as { data: Hex }
    const { functionName, args } = decodeFunctionData({ abi: keeperAbi, data })
    const [subject] = args as readonly [Hex]
    const terms = listingTerms(true)
    const cap = this.mintCaps.get(subject.toLowerCase() as Hex)
    const mintCapacity = cap?.capacityWad ?? terms.mintCapacity
    const answers: Readonly<Record<string, unknown>> = {
      isFrozen: this.frozenFeeds.has(subject),
      mintable: cap?.mintableWad ?? mintCapacity,
      listing: {
        tokenIndex: 1,
        priceId: randomHash(),
        depositPaused: false,
        withdrawPaused: false,
        terms: { ...terms, mintCapacity },
      },
    }
    if (!(functionName in answers)) throw new Error(`nobody asks for ${functionName} here`)
    return encodeFunctionResult({ abi: keeperAbi, functionName, result: answers[functionName] } as never)
  }

  /** The market quotes a symbol so long after the start. */
  async quote(symbol: string, price8: bigint, afterMs = 0): Promise<void> {
    const spread = { price8, bid8: price8 - 1n, ask8: price8 + 1n }
    const one: SourceQuote = { symbol, ...spread, volumeWad: 0n, timeMs: START_MS + afterMs }
    const source = { name: 'test', symbols: () => [symbol], latestQuotes: async () => [one] }
    await pollQuotes(this.venue, { source, clock: { nowMs: () => START_MS + 3_600_000 }, hours: alwaysOpen })
  }

  /** The market that orders go to: open around the clock, at the world's time. */
  get market() {
    return { broker: this.broker, clock: this.venue.clock, hours: this.hours }
  }

  /** What the relayer reports of a settle signer. */
  async signer(address: Hex, seenAt: Date): Promise<void> {
    await this.sql`
      insert into tx_signers (chain_id, address, purposes, seen_at) values (${CHAIN_ID}, ${address}, ${['settle']}, ${seenAt})`
  }

  /** Places a market order on chain: a positive amount buys for USD, a negative one sells shares. */
  async place(amount: bigint, stockToken?: Hex, orderId: Hex = randomHash()): Promise<Hex> {
    await this.chain.emit(placed({ orderId, amount, ...(stockToken ? { stockToken } : {}) }))
    return orderId
  }

  /** Places a limit order on chain: a positive quantity buys, a negative one sells; price in USD per token, 18 decimals. */
  async placeLimit(quantity: bigint, price: bigint, orderId: Hex = randomHash()): Promise<Hex> {
    await this.chain.emit(placedLimit({ orderId, quantity, price }))
    return orderId
  }

  /** Lets a token stand for so many shares from an instant on. */
  async split(token: Hex, sharesPerTokenWad: bigint, effectiveMs: number): Promise<void> {
    await this.sql.begin((tx) =>
      insertTokenSplit(
        tx,
        CHAIN_ID,
        { token, ticker: 'AAPL', exDate: '2026-08-03', effectiveMs, sharesPerTokenWad },
        'test',
      ),
    )
  }

  /** The keeper's way from new orders to the broker and back. */
  async trade(): Promise<void> {
    await takeOrders(this.venue, this.market, { chainId: CHAIN_ID, actDepth: 1 })
    await forwardCancels(this.venue, { chainId: CHAIN_ID, actDepth: 1 })
    await submitRequested(this.sql, this.broker, CHAIN_ID)
    await sendCancels(this.sql, this.broker, CHAIN_ID)
    await collectExecutions(this.sql, this.broker, CHAIN_ID)
  }

  /** Places an order that the broker fills whole at a price of 8 decimals. */
  async filledOrder(
    amount: bigint,
    price8 = 200_00000000n,
    stockToken?: Hex,
  ): Promise<{ orderId: Hex; quantityWad: bigint }> {
    const orderId = await this.place(amount, stockToken)
    await this.trade()
    const quantityWad = amount > 0n ? ((amount * 10n ** 8n) / price8 / 10n ** 9n) * 10n ** 9n : -amount
    this.broker.fill(orderId, quantityWad, price8)
    await this.trade()
    return { orderId, quantityWad }
  }

  /** The intents with a call inserted since the last call. */
  async newIntents(): Promise<SentIntent[]> {
    const rows = await this.sql<{ id: bigint; to: Hex; data: Hex; orderingKey: string }[]>`
      select id, to_address as "to", data, ordering_key as "orderingKey" from tx_intents
      where id > ${this.#lastSeen.toString()}::bigint and data <> '0x' order by id`
    this.#lastSeen = rows.at(-1)?.id ?? this.#lastSeen
    return rows.map(({ data, ...row }) => {
      const { functionName, args } = decodeFunctionData({ abi: keeperAbi, data })
      return { ...row, name: functionName, args }
    })
  }

  /** Ends an intent as the relayer would write it down. */
  async end(intent: SentIntent, { state, outcome, revertData, block = this.chain.head }: IntentEnd): Promise<void> {
    const inBlock = state === 'mined' || state === 'final'
    const signed = state !== 'rejected'
    await this.sql`
      update tx_intents set state = ${state}, state_at = now(), outcome = ${inBlock ? (outcome ?? 'succeeded') : null},
        signer = ${signed ? SETTLER : null}, nonce = ${signed ? this.#nonce++ : null},
        block_number = ${inBlock ? block.number.toString() : null}::bigint, block_hash = ${inBlock ? block.hash : null},
        revert_data = ${revertData ?? null}
      where id = ${intent.id.toString()}::bigint`
  }

  async hedge(): Promise<readonly HedgePosition[]> {
    return hedgePositions(this.sql, CHAIN_ID)
  }

  /** How many executions wait for a settlement. */
  async openExecutions(): Promise<number> {
    const [row] = await this.sql<{ count: number }[]>`
      select count(*)::int as count from execution_settlements where intent_id is null`
    return row?.count ?? 0
  }
}

export const usd = (dollars: number): bigint => BigInt(dollars) * WAD
