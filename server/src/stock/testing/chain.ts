import { randomBytes } from 'node:crypto'
import { type Abi, type AbiEvent, encodeAbiParameters, encodeEventTopics } from 'viem'
import { cashierAbi } from '../../chain/abi/cashier.ts'
import { stockAbi } from '../../chain/abi/stock.ts'
import { stockOracleAbi } from '../../chain/abi/stock-oracle.ts'
import { stockRouterAbi } from '../../chain/abi/stock-router.ts'
import { applyBlocks, undoBlocks } from '../../chain/follow/apply.ts'
import { compileModules } from '../../chain/follow/decode.ts'
import type { FetchedBlock } from '../../chain/follow/fetch.ts'
import { insertCheckpoint } from '../../chain/follow/store.ts'
import { installUndo, type UndoTable } from '../../chain/follow/undo.ts'
import type { ChainTransaction, Deployment, Hex } from '../../chain/types.ts'
import { inTransaction, type Sql } from '../../db/pool.ts'
import { WAD } from '../../lib/wad.ts'
import { stockEvents } from '../events.ts'
import { priceIdOf } from '../listing/price-id.ts'

// A chain made of events that a test names: encoded as logs, and indexed by the follower's own code with its undo log.

export const CHAIN_ID = 31_337
const address = (digit: string): Hex => `0x${digit.repeat(40)}`
export const ROUTER = address('1')
export const CASHIER = address('2')
export const STOCK = address('3')
export const ORACLE = address('4')
export const USDC = address('5')
export const AAPL = address('6')
export const MSFT = address('7')
export const ALICE = address('a')
export const BOB = address('b')
export const SETTLER = address('e')

export const deployment: Deployment = {
  chainId: CHAIN_ID,
  startBlock: 1n,
  contracts: { StockRouter: ROUTER, Cashier: CASHIER, Stock: STOCK, StockOracle: ORACLE },
}

const SOURCES: readonly (readonly [Hex, Abi])[] = [
  [STOCK, stockAbi],
  [CASHIER, cashierAbi],
  [ORACLE, stockOracleAbi],
  [ROUTER, stockRouterAbi],
]

export const randomHash = (): Hex => `0x${randomBytes(32).toString('hex')}`

export type EventCall = readonly [name: string, args: Readonly<Record<string, unknown>>]

export interface TestTransaction {
  readonly hash?: Hex
  readonly from?: Hex
  readonly to?: Hex | null
  readonly input?: Hex
  readonly succeeded?: boolean
  readonly events?: readonly EventCall[]
}

export const LONG_AGO_SEC = 1_700_000_000

/** A chain under construction over a fresh database. */
export class TestChain {
  readonly #sql: Sql
  readonly #tables: readonly UndoTable[]
  readonly #modules = compileModules([stockEvents], deployment)
  #line: { readonly number: bigint; readonly hash: Hex }[]

  constructor(sql: Sql, tables: readonly UndoTable[], genesis: Hex) {
    this.#sql = sql
    this.#tables = tables
    this.#line = [{ number: 0n, hash: genesis }]
  }

  static async open(sql: Sql): Promise<TestChain> {
    const tables = await installUndo(sql, stockEvents.tables)
    const genesis = randomHash()
    await inTransaction(sql, (tx) => insertCheckpoint(tx, CHAIN_ID, genesis, { number: 0n, hash: genesis }))
    return new TestChain(sql, tables, genesis)
  }

  get head(): { readonly number: bigint; readonly hash: Hex } {
    return this.#line.at(-1) as { number: bigint; hash: Hex }
  }

  /** Unix seconds of the genesis block; a test of source times sets it to their time before it opens a chain, and back. */
  static startSec = LONG_AGO_SEC

  /** Unix seconds of a block. */
  static timestampSec = (number: bigint): number => TestChain.startSec + Number(number)

  /** Indexes one block with these transactions. Returns their hashes. */
  async block(...transactions: TestTransaction[]): Promise<Hex[]> {
    const [fetched] = await this.#apply([transactions], -1n)
    return fetched?.transactions.map(({ hash }) => hash) ?? []
  }

  /** Indexes blocks with these transactions together, as history that is final. */
  async history(blocks: readonly (readonly TestTransaction[])[]): Promise<void> {
    await this.#apply(blocks, this.head.number + BigInt(blocks.length))
  }

  async #apply(blocks: readonly (readonly TestTransaction[])[], finalNumber: bigint): Promise<readonly FetchedBlock[]> {
    const tip = this.head
    const context = { sql: this.#sql, chainId: CHAIN_ID, modules: this.#modules, tables: this.#tables }
    const fetched = blocks.map((transactions) => {
      const next = this.#fetched(transactions)
      this.#line.push({ number: next.block.number, hash: next.block.hash })
      return next
    })
    await applyBlocks(context, tip, fetched, finalNumber)
    return fetched
  }

  /** Indexes one block with one transaction of these events. Returns its hash. */
  async emit(...events: EventCall[]): Promise<Hex> {
    const [hash] = await this.block({ events })
    return hash as Hex
  }

  /** Reorganises the newest `depth` blocks away. */
  async undo(depth: number): Promise<void> {
    const ancestor = this.#line.at(-1 - depth) as { number: bigint; hash: Hex }
    const context = { sql: this.#sql, chainId: CHAIN_ID, modules: this.#modules, tables: this.#tables }
    await undoBlocks(context, this.head, ancestor)
    this.#line = this.#line.slice(0, this.#line.length - depth)
  }

  #fetched(transactions: readonly TestTransaction[]): FetchedBlock {
    const number = this.head.number + 1n
    const header = { chainId: CHAIN_ID, number, hash: randomHash(), parentHash: this.head.hash }
    const block = { ...header, timestampSec: TestChain.timestampSec(number) }
    const mined = transactions.map((one, index) => transactionOf(one, index))
    let logIndex = 0
    const logs = transactions.flatMap(({ events = [] }, transactionIndex) =>
      events.map((event, indexInTransaction) => ({
        ...logOf(event),
        logIndex: logIndex++,
        transactionIndex,
        transactionHash: mined[transactionIndex]?.hash as Hex,
        indexInTransaction,
      })),
    )
    return { block, logs, transactions: mined }
  }
}

function transactionOf(transaction: TestTransaction, index: number): ChainTransaction {
  const { hash = randomHash(), from = ALICE, to = ROUTER, input = '0x', succeeded = true } = transaction
  return { hash, index, from, to, input, valueWei: 0n, succeeded }
}

function logOf([name, args]: EventCall) {
  for (const [source, abi] of SOURCES) {
    const event = abi.find((item): item is AbiEvent => item.type === 'event' && item.name === name)
    if (!event) continue
    const missing = event.inputs.find((input) => !((input.name ?? '') in args))
    if (missing) throw new Error(`${name} needs ${missing.name}`)
    const plain = event.inputs.filter((input) => !input.indexed)
    const topics = encodeEventTopics({ abi: [event], args } as never) as Hex[]
    const data = encodeAbiParameters(
      plain,
      plain.map((input) => args[input.name ?? '']),
    )
    return { address: source, topics, data }
  }
  throw new Error(`no contract has an event ${name}`)
}

export const listed = (token: Hex, ticker: string, tokenIndex: number): EventCall[] => [
  ['StockListed', { token, tokenIndex, priceId: randomHash(), ticker, symbol: `a${ticker}`, name: `${ticker} aStock` }],
  ['ListingUpdated', { token, terms: listingTerms(true) }],
]

/** The terms of a listing as its event has them. */
export const listingTerms = (tradable: boolean) => ({
  tradable,
  maxDeviationPpm: 50_000,
  maxLimitDeviationPpm: 200_000,
  maxPriceAgeSec: 3600,
  mintCapacity: 1_000_000n * WAD,
  mintPeriodSec: 86_400,
})

const tokenConfig = {
  minAmount: 1_000_000n,
  usdRate: 1_000_000,
  decimals: 6,
  depositPaused: false,
  withdrawPaused: false,
  withdrawBuffer: 10_000_000_000n,
  withdrawBufferCapacity: 50_000_000_000n,
}

/** What the contracts emit when a venue is set up: USDC as cash, AAPL and MSFT as stocks. */
export const setUp = (): EventCall[] => [
  ['CreditBufferCapacityWadUpdated', { newCapacityWad: 20_000n * WAD }],
  ['CreditBufferWadUpdated', { newAmountWad: 20_000n * WAD }],
  ['InstantThresholdDivisorUpdated', { newDivisor: 5 }],
  ['CashFeesUpdated', { depositFeePpm: 0, withdrawFeePpm: 2100 }],
  [
    'FeeRatesUpdated',
    { rates: { buyThirdPartyPpm: 1000, buyProtocolPpm: 100, sellThirdPartyPpm: 0, sellProtocolPpm: 100 } },
  ],
  ['TokenSupportUpdated', { token: USDC, supported: true, symbol: 'USDC', decimals: 6 }],
  ['WithdrawBufferUpdated', { token: USDC, newAmount: 10_000_000_000n }],
  ['TokenConfigUpdated', { token: USDC, config: tokenConfig }],
  ...listed(AAPL, 'AAPL', 1),
  ...listed(MSFT, 'MSFT', 2),
]

export interface PlacedOrder {
  readonly orderId: Hex
  readonly user?: Hex
  readonly stockToken?: Hex
  /** Positive: USD of a buy; negative: shares of a sell; 18 decimals. */
  readonly amount: bigint
}

export const placed = ({ orderId, user = ALICE, stockToken = AAPL, amount }: PlacedOrder): EventCall => [
  'MarketOrderPlaced',
  {
    orderId,
    user,
    stockToken,
    amount,
    lockedAmount: amount > 0n ? amount : -amount,
    deadline: 2_000_000_000,
    exitAt: 1,
  },
]

export interface TestFill {
  readonly orderId: Hex
  readonly user?: Hex
  readonly stockToken?: Hex
  readonly quantity: bigint
  readonly price: bigint
  readonly fees?: readonly [thirdParty: bigint, protocol: bigint]
}

const settled = (name: string, { fees = [0n, 0n], ...fill }: TestFill): EventCall => [
  name,
  { settler: SETTLER, stockToken: AAPL, user: ALICE, ...fill, thirdPartyFee: fees[0], protocolFee: fees[1] },
]

export const filled = (fill: TestFill): EventCall => settled('MarketOrderSettled', fill)

export const limitFilled = (fill: TestFill): EventCall => settled('LimitOrderSettled', fill)

export interface PlacedLimitOrder {
  readonly orderId: Hex
  readonly user?: Hex
  readonly stockToken?: Hex
  /** Positive: shares of a buy; negative: of a sell; 18 decimals. */
  readonly quantity: bigint
  readonly price: bigint
}

export const placedLimit = (order: PlacedLimitOrder): EventCall => [
  'LimitOrderPlaced',
  {
    user: ALICE,
    stockToken: AAPL,
    tif: 0,
    lockedAmount: 1n,
    deadline: 2_000_000_000,
    exitAt: 1,
    ...order,
  },
]

export const cancelRequested = (orderId: Hex): EventCall => ['CancelRequested', { orderId }]

/** What the chain emits when a limit order ends without being full; its last part, if any, is a fill before. */
export const cancelSettled = (
  orderId: Hex,
  status: 'canceled' | 'expired' | 'rejected' | 'partiallyFilled',
  refund = 0n,
  reasonCode = 0,
): EventCall[] => [
  [
    'CancelSettled',
    {
      orderId,
      filledQuantity: 0n,
      unfilledQuantity: 0n,
      fillPrice: 0n,
      refund,
      isBrokerInitiated: status !== 'canceled',
    },
  ],
  closed(orderId, status, refund, reasonCode),
]

export const stockDeposited = (amount: bigint, user = ALICE, token = AAPL): EventCall => [
  'StockDeposited',
  { token, user, amount },
]
export const stockWithdrawn = (amount: bigint, user = ALICE, token = AAPL): EventCall => [
  'StockWithdrawn',
  { token, user, amount },
]

/** A withdrawal of stock that waits, since its token is paused. */
export const stockWithdrawalQueued = (opId: Hex, amount: bigint, user = ALICE, token = AAPL): EventCall => [
  'StockWithdrawalRequested',
  { opId, token, user, amount, exitAt: 2_000_000_000 },
]

/** The end of one that waited: paid, or put back into the balance. */
export const stockWithdrawalEnded = (
  opId: Hex,
  end: 'Settled' | 'TakenBack',
  amount: bigint,
  user = ALICE,
  token = AAPL,
): EventCall => [`StockWithdrawal${end}`, { opId, token, user, amount }]

/** A cash deposit of 5 USD and a market buy for 4 in one step. */
export const depositAndBuy = (depositOpId: Hex, orderId: Hex, user = ALICE): EventCall[] => [
  deposited(depositOpId, 5n, user),
  placed({ orderId, user, amount: 4n * WAD }),
  [
    'DepositAndMarketBuy',
    {
      depositOpId,
      orderId,
      user,
      depositToken: USDC,
      depositAmount: 5_000_000n,
      stockToken: AAPL,
      usdAmount: 4n * WAD,
    },
  ],
]

/** A deposit of 2 shares and a limit sell of one of them in one step. */
export const depositAndSell = (orderId: Hex, user = ALICE): EventCall[] => [
  stockDeposited(2n * WAD, user),
  placedLimit({ orderId, user, quantity: -WAD, price: 9n * WAD }),
  [
    'DepositStockAndLimitSell',
    { orderId, user, stockToken: AAPL, depositAmount: 2n * WAD, quantity: -WAD, price: 9n * WAD },
  ],
]

export const published = (ticker: string, price8: bigint): EventCall => [
  'PricePublished',
  {
    priceId: priceIdOf(ticker),
    roundId: 1n,
    price: price8,
    bestBid: 0n,
    bestAsk: 0n,
    feedUpdateTimestamp: 5n,
    publishedAt: 5n,
    session: 2,
  },
]

export const ORDER_CLOSED = {
  filled: 2,
  partiallyFilled: 3,
  rejected: 4,
  takenBack: 5,
  canceled: 6,
  expired: 7,
} as const

export const closed = (orderId: Hex, status: keyof typeof ORDER_CLOSED, refund = 0n, reasonCode = 0): EventCall => [
  'OrderClosed',
  {
    orderId,
    user: ALICE,
    stockToken: AAPL,
    status: ORDER_CLOSED[status],
    filledQuantity: 0n,
    filledNotionalWad: 0n,
    refund,
    reasonCode,
  },
]

/** What the Cashier emits when a setting of its cash changes. */
export const cashConfigured = (changed: Partial<typeof tokenConfig>): EventCall => [
  'TokenConfigUpdated',
  { token: USDC, config: { ...tokenConfig, ...changed } },
]

const cashArgs = { user: ALICE, token: USDC }
export const deposited = (opId: Hex, usd: bigint, user = ALICE): EventCall => [
  'InstantDeposit',
  { ...cashArgs, opId, user, amount: usd * 1_000_000n, creditWad: usd * WAD, feeWad: 0n },
]
export const depositQueued = (opId: Hex, usd: bigint, user = ALICE): EventCall => [
  'DepositRequested',
  { ...cashArgs, opId, user, amount: usd * 1_000_000n, exitAt: 1_800_000_000 },
]
export const depositSettled = (opId: Hex, usd: bigint): EventCall => [
  'DepositSettled',
  { ...cashArgs, opId, amount: usd * 1_000_000n, creditWad: usd * WAD, feeWad: 0n },
]
export const withdrawalQueued = (opId: Hex, usd: bigint, feeWad = 0n, user = ALICE): EventCall => [
  'WithdrawalRequested',
  { ...cashArgs, opId, user, amountWad: usd * WAD, feeWad, exitAt: 1_800_000_000 },
]
