import { Registry } from 'prom-client'
import {
  type Abi,
  type AbiEvent,
  type ContractFunctionName,
  createPublicClient,
  createWalletClient,
  erc20Abi,
  http,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { cashierAbi } from '../src/chain/abi/cashier.ts'
import { stockAbi } from '../src/chain/abi/stock.ts'
import { stockRouterAbi } from '../src/chain/abi/stock-router.ts'
import { stockTokenAbi } from '../src/chain/abi/stock-token.ts'
import { type ArgumentsOf, encodeCall } from '../src/chain/calls.ts'
import {
  DEVELOPMENT_MNEMONIC,
  type DevelopmentAccount,
  type DevelopmentAccounts,
  developmentAccounts,
  embeddedSigners,
} from '../src/chain/embedded/accounts.ts'
import { type Anvil, startAnvil } from '../src/chain/embedded/anvil.ts'
import { deployVenue } from '../src/chain/embedded/deploy-venue.ts'
import { chainProfile } from '../src/chain/profiles.ts'
import { contractRead, type ReturnOf, readContract } from '../src/chain/read.ts'
import { createRpc } from '../src/chain/rpc.ts'
import type { Deployment } from '../src/chain/types.ts'
import { loadValues } from '../src/config.ts'
import type { Sql } from '../src/db/pool.ts'
import { testDatabase } from '../src/db/testing.ts'
import type { Venue } from '../src/http/product.ts'
import { systemClock } from '../src/lib/clock.ts'
import { createLogger } from '../src/lib/logger.ts'
import { WAD } from '../src/lib/wad.ts'
import { openEmbeddedMarket } from '../src/market/embedded.ts'
import { alwaysOpen } from '../src/market/hours.ts'
import { embeddedInstruments, type Instrument } from '../src/market/instruments.ts'
import { marketTasks } from '../src/market/tasks.ts'
import { runIndexer } from '../src/roles/indexer.ts'
import { runKeeper } from '../src/roles/keeper.ts'
import { runRelayer } from '../src/roles/relayer.ts'
import type { RoleContext } from '../src/roles/role.ts'
import { stock } from '../src/stock/index.ts'
import { latestStockReading, suppliesOf } from '../src/stock/reconciliation/supply.ts'
import { eventually } from './client.ts'

type Hex = `0x${string}`

// The keeper over the real contracts on a real chain, with the market's clock in the test's hands: indexer and relayer run
// in this process, the keeper too unless a test starts it as a process of its own.

const CHAIN_ID = 31_337
export const USDC = 10n ** 6n
const FAR_FUTURE = 4_000_000_000
const LAST_HOURS_MS = 2 * 3_600_000
export const TICKERS = ['AAPL', 'MSFT'] as const

/** Stocks of which one order can have at most one share of a second's quote: larger orders fill in parts. */
export const thinInstruments: readonly Instrument[] = embeddedInstruments
  .filter(({ symbol }) => (TICKERS as readonly string[]).includes(symbol))
  .map((instrument) => ({ ...instrument, dailyVolumeShares: 86_400n }))

export const openThinMarket = (sql: Sql, nowMs: () => number) =>
  openEmbeddedMarket(sql, {
    seed: 'keeper',
    marketClock: { nowMs },
    instruments: thinInstruments,
    recordedFiles: [],
    maxOrderNotionalWad: 1_000_000n * WAD,
    maxFillDelaySteps: 2,
  })

export interface OrderRow {
  readonly order_id: Hex
  readonly status: string
  readonly filled_quantity_wad: bigint
  readonly filled_notional_wad: bigint
  readonly fees_wad: bigint
  readonly reason_code: number
}

/** How long it is until a day of the market has two hours left: today's, or when those have begun, tomorrow's. */
function untilLastHours(nowMs: number): number {
  const leftMs = alwaysOpen.dayOrderExpiry(nowMs) - nowMs
  if (leftMs >= LAST_HOURS_MS) return leftMs - LAST_HOURS_MS
  return leftMs + untilLastHours(nowMs + leftMs)
}

export class AnvilWorld {
  readonly sql: Sql
  readonly databaseUrl: string
  readonly anvil: Anvil
  readonly deployment: Deployment
  readonly accounts: DevelopmentAccounts
  readonly venue: Venue
  /** What the market's clock is ahead of the wall's: at first its day has two hours left, whatever time it is here. */
  offsetMs = untilLastHours(Date.now())
  readonly #abort = new AbortController()
  readonly #running: Promise<unknown>[] = []
  readonly #drop: () => Promise<void>
  readonly #node

  private constructor(parts: {
    sql: Sql
    databaseUrl: string
    anvil: Anvil
    deployment: Deployment
    accounts: DevelopmentAccounts
    drop: () => Promise<void>
  }) {
    this.sql = parts.sql
    this.databaseUrl = parts.databaseUrl
    this.anvil = parts.anvil
    this.deployment = parts.deployment
    this.accounts = parts.accounts
    this.#drop = parts.drop
    const { rpcUrl } = parts.anvil
    this.#node = createPublicClient({ chain: foundry, transport: http(rpcUrl), pollingInterval: 50 })
    const log = createLogger('silent')
    this.venue = {
      sql: parts.sql,
      deployment: parts.deployment,
      clock: systemClock,
      log,
      rpc: createRpc({ url: rpcUrl }),
    }
  }

  /** A fresh chain and database with indexer and relayer at work; each of three users has 50,000 mUSD. */
  static async start(): Promise<AnvilWorld> {
    const { sql, url, drop } = await testDatabase()
    const anvil = await startAnvil({ chainId: CHAIN_ID, blockTimeSec: 0.25, mnemonic: DEVELOPMENT_MNEMONIC })
    const accounts = developmentAccounts()
    const listings = thinInstruments.map(({ symbol, name }) => ({
      ticker: symbol,
      company: name,
    }))
    const development = stock.development({ stocks: listings, prices: [] })
    const deployment = await deployVenue({
      rpcUrl: anvil.rpcUrl,
      chainId: CHAIN_ID,
      accounts,
      products: development ? [development] : [],
    })
    const world = new AnvilWorld({ sql, databaseUrl: url, anvil, deployment, accounts, drop })
    // A DAY order ends with the day in which the chain says it was placed, and the oracle takes no price from the chain's
    // future: the chain's time is the market's.
    await world.increaseChainTime(Math.floor(world.offsetMs / 1000))
    const signers = embeddedSigners(stock.signers)
    world.#run((context) => runIndexer(context, [stock.events]))
    world.#run((context) => runRelayer(context, signers))
    return world
  }

  /** Starts the keeper in this process. */
  async startKeeper(): Promise<void> {
    const market = await openThinMarket(this.sql, () => this.nowMs())
    const opened = stock.open(this.venue, loadValues({}))
    this.#run((context) => runKeeper(context, () => [...marketTasks(market), ...opened.tasks(market)]))
  }

  nowMs(): number {
    return Date.now() + this.offsetMs
  }

  /** Puts both clocks forward to the market's end of day, or to so long before it, as when nobody looked until then. */
  endDay(beforeMs = 0): Promise<void> {
    return this.passTime(
      Math.ceil(Math.max(0, alwaysOpen.dayOrderExpiry(this.nowMs()) - beforeMs - this.nowMs()) / 1000),
    )
  }

  /** Puts the market's clock forward, and the chain's. */
  async passTime(seconds: number): Promise<void> {
    this.offsetMs += seconds * 1000
    await this.increaseChainTime(seconds)
  }

  #run(role: (context: RoleContext) => Promise<void>): void {
    const profile = chainProfile(CHAIN_ID)
    const context = { venue: this.venue, profile, metrics: new Registry(), signal: this.#abort.signal }
    this.#running.push(role(context).catch(() => {}))
  }

  async stop(): Promise<void> {
    this.#abort.abort()
    await Promise.all(this.#running)
    await this.anvil.stop()
    await this.#drop()
  }

  user(index: number): DevelopmentAccount {
    const account = this.accounts.users[index]
    if (!account) throw new Error(`there is no user ${index}`)
    return account
  }

  contract(name: string): Hex {
    const address = this.deployment.contracts[name]
    if (!address) throw new Error(`there is no contract ${name}`)
    return address
  }

  token = (ticker: string): Hex => this.contract(`a${ticker}`)

  /** Calls a contract as an account and waits until that is mined with success. */
  async call<const A extends Abi, Name extends ContractFunctionName<A>>(
    account: DevelopmentAccount,
    to: Hex,
    abi: A,
    functionName: Name,
    args: ArgumentsOf<A, Name>,
  ): Promise<Hex> {
    const transport = http(this.anvil.rpcUrl)
    const signer = privateKeyToAccount(account.privateKey)
    const wallet = createWalletClient({ chain: foundry, transport, account: signer })
    const hash = await wallet.sendTransaction({ to, data: encodeCall<A, Name>(abi, functionName, args) })
    const { status } = await this.#node.waitForTransactionReceipt({ hash })
    if (status !== 'success') throw new Error(`${functionName} reverted in ${hash}`)
    return hash
  }

  read<const A extends Abi, Name extends ContractFunctionName<A>>(
    address: Hex,
    abi: A,
    functionName: Name,
    ...args: ArgumentsOf<A, Name>
  ): Promise<ReturnOf<A, Name>> {
    return readContract(this.venue.rpc, contractRead<A, Name>({ address, abi }, functionName, ...args))
  }

  route = <Name extends ContractFunctionName<typeof stockRouterAbi>>(
    user: DevelopmentAccount,
    functionName: Name,
    args: ArgumentsOf<typeof stockRouterAbi, Name>,
  ): Promise<Hex> =>
    this.call<typeof stockRouterAbi, Name>(user, this.contract('StockRouter'), stockRouterAbi, functionName, args)

  /** Lets the router take a user's USDC, and deposits; resolves when it is credited. */
  async fund(user: DevelopmentAccount, dollars: bigint): Promise<void> {
    const unlimited = 2n ** 255n
    await this.call(user, this.contract('USDC'), erc20Abi, 'approve', [this.contract('StockRouter'), unlimited])
    const before = await this.mUsd(user)
    await this.route(user, 'deposit', [this.contract('USDC'), dollars * USDC])
    await eventually(
      () => this.mUsd(user),
      (balance) => balance >= before + dollars * WAD,
    )
  }

  async placeMarket(user: DevelopmentAccount, ticker: string, amount: bigint): Promise<Hex> {
    return this.#orderOf(await this.route(user, 'placeMarketOrder', [this.token(ticker), amount, FAR_FUTURE]))
  }

  async placeLimit(user: DevelopmentAccount, ticker: string, quantity: bigint, price: bigint): Promise<Hex> {
    const args = [this.token(ticker), quantity, price, 0, FAR_FUTURE] as const
    return this.#orderOf(await this.route(user, 'placeLimitOrder', args))
  }

  cancel = (user: DevelopmentAccount, orderId: Hex): Promise<Hex> => this.route(user, 'cancelLimitOrder', [orderId])

  async #orderOf(txHash: Hex): Promise<Hex> {
    const found = await eventually(
      async () =>
        (await this.sql<{ order_id: Hex }[]>`select order_id from stock_orders where create_tx_hash = ${txHash}`)[0],
      (row) => row !== undefined,
    )
    return found?.order_id as Hex
  }

  async order(orderId: Hex): Promise<OrderRow> {
    const [row] = await this.sql<OrderRow[]>`
      select order_id, status, filled_quantity_wad, filled_notional_wad,
        third_party_fee_wad + protocol_fee_wad as fees_wad, reason_code
      from stock_orders where order_id = ${orderId}`
    if (!row) throw new Error(`there is no order ${orderId}`)
    return row
  }

  until = (orderId: Hex, accept: (order: OrderRow) => boolean): Promise<OrderRow> =>
    eventually(
      () => this.order(orderId).then((row) => plain(row)),
      (row) => accept(row),
    )

  ended = (orderId: Hex): Promise<OrderRow> => this.until(orderId, ({ status }) => status !== 'open')

  mUsd = ({ address }: DevelopmentAccount): Promise<bigint> =>
    this.read(this.contract('Cashier'), cashierAbi, 'balanceWad', address)

  shares = ({ address }: DevelopmentAccount, ticker: string): Promise<bigint> =>
    this.read(this.contract('Stock'), stockAbi, 'stockBalance', address, this.token(ticker))

  supply = (ticker: string): Promise<bigint> => this.read(this.token(ticker), stockTokenAbi, 'totalSupply')

  settlerHolds = (ticker: string): Promise<bigint> =>
    this.read(this.token(ticker), stockTokenAbi, 'balanceOf', this.accounts.settle.address)

  /** Of each token what the keeper's last comparison and the chain of now say is wrong; `AAPL 0 0` when nothing is. */
  async supplyDifferences(): Promise<string[]> {
    const compared = suppliesOf(await latestStockReading(this.sql, CHAIN_ID))
    return Promise.all(
      compared.map(async ({ ticker, outstandingWad, differenceWad }) => {
        const nowWad = (await this.supply(ticker)) - (await this.settlerHolds(ticker))
        return `${ticker} ${differenceWad} ${nowWad - outstandingWad}`
      }),
    )
  }

  /** Waits until the tokens outstanding are what the broker holds for them. */
  async untilSupplyMatches(): Promise<void> {
    await eventually(
      () => this.supplyDifferences(),
      (rows) => rows.length === TICKERS.length && rows.every((row) => row.endsWith(' 0 0')),
    )
  }

  /** How often the exchange has left out what was to be settled: twice, too late or out of turn. */
  async skips(): Promise<number> {
    const events = ['FillSkipped', 'RejectionSkipped', 'CancellationSkipped']
    const abi = stockAbi.filter((item) => item.type === 'event' && events.includes(item.name))
    const logs = await this.#node.getLogs({
      address: this.contract('Stock'),
      events: abi as AbiEvent[],
      fromBlock: 0n,
    })
    return logs.length
  }

  /** What an operator commands of stocks, at the market's time. */
  async command(topic: string, args: readonly string[]): Promise<void> {
    const command = stock.commands.find((one) => one.topic === topic)
    if (!command) throw new Error(`there is no command ${topic}`)
    const clock = { nowMs: () => this.nowMs() }
    const values = loadValues({}, [stock])
    await command.run(args, { sql: this.sql, chainId: CHAIN_ID, clock, actor: 'cli:test', values })
  }

  /** Puts the chain's clock forward alone: no price is fresh there until it has come back to the market's. */
  async increaseChainTime(seconds: number): Promise<void> {
    await this.venue.rpc.call('evm_increaseTime', [seconds])
    await this.venue.rpc.call('evm_mine', [])
  }
}

/** Bigints as text, so that a time-out can show the row. */
function plain(row: OrderRow): OrderRow {
  Object.defineProperty(row, 'toJSON', {
    enumerable: false,
    value: () => Object.fromEntries(Object.entries(row).map(([key, value]) => [key, String(value)])),
  })
  return row
}
