import { type Abi, erc20Abi, toHex } from 'viem'
import { cashierAbi } from '../../chain/abi/cashier.ts'
import { stockAbi } from '../../chain/abi/stock.ts'
import { stockTokenAbi } from '../../chain/abi/stock-token.ts'
import { isCanonical } from '../../chain/canonical.ts'
import { contractAddress } from '../../chain/deployment.ts'
import type { BlockRef } from '../../chain/follow/store.ts'
import { type ContractRead, readContracts } from '../../chain/read.ts'
import type { Hex } from '../../chain/types.ts'
import type { Venue } from '../../http/product.ts'
import type { DatabaseFigures } from './database-figures.ts'

const ORDERS_A_CALL = 50
const OPEN = 1

export interface TokenOnChain {
  readonly supplyWad: bigint
  readonly sharesPerTokenWad: bigint
  readonly heldByStockWad: bigint
  /** What the settle signers hold. */
  readonly settlersWad: bigint
}

export interface CashOnChain {
  readonly heldRaw: bigint
  /** Part of heldRaw not reserved by queued deposits. */
  readonly freeRaw: bigint
  readonly collectibleRaw: bigint
  readonly withdrawBufferRaw: bigint
  readonly pendingDepositRaw: bigint
  readonly pendingWithdrawalWad: bigint
}

export interface OrderOnChain {
  readonly isOpen: boolean
  readonly lockedWad: bigint
  readonly filledQuantityWad: bigint
  readonly cancelRequested: boolean
}

/** The contracts' figures at one block; stocks, mUSD and shares with 18 decimals, `Raw` amounts in the token's units. */
export interface ChainFigures {
  readonly tokens: ReadonlyMap<string, TokenOnChain>
  readonly owedWad: bigint
  readonly creditBufferWad: bigint
  /** How many cash operations, and orders, the contracts have numbered. */
  readonly cashOperations: bigint
  readonly orders: bigint
  readonly cashTokens: ReadonlyMap<string, CashOnChain>
  readonly openOrders: ReadonlyMap<string, OrderOnChain>
  /** Free mUSD by user, free stock by `stockKey`. */
  readonly userCashWad: ReadonlyMap<string, bigint>
  readonly userStockWad: ReadonlyMap<string, bigint>
}

export const stockKey = ({ user, token }: { readonly user: string; readonly token: string }): string =>
  `${user} ${token}`

/**
 * Reads the contracts at the database's block. Null when the node has another block there: it was reorganised away, and what
 * was read does not belong together; and while the indexer has not come to the block of the contracts' deployment. Throws
 * `RpcError`.
 */
export async function readChain(venue: Venue, figures: DatabaseFigures): Promise<ChainFigures | null> {
  if (!(await isDeployedAt(venue, figures.block))) return null
  const questions = new Questions(venue, figures.block)
  const read = askAll(venue, figures, questions)
  await questions.ask()
  return (await isCanonical(venue, figures.block)) ? read() : null
}

/** Whether the youngest of the contracts that are asked is on the chain at the block. */
async function isDeployedAt({ rpc, deployment }: Venue, { number }: BlockRef): Promise<boolean> {
  const contracts = ['Cashier', 'Stock'].map((name) => contractAddress(deployment, name))
  const codes = await Promise.all(contracts.map((address) => rpc.call<Hex>('eth_getCode', [address, toHex(number)])))
  return codes.every((code) => code !== '0x')
}

/** Collects view functions to call at once, and hands out what each answered. */
class Questions {
  readonly #venue: Venue
  readonly #block: BlockRef
  readonly #reads: ContractRead[] = []
  #results: readonly unknown[] = []

  constructor(venue: Venue, block: BlockRef) {
    this.#venue = venue
    this.#block = block
  }

  add<T>(address: Hex, abi: Abi, functionName: string, args: readonly unknown[] = []): () => T {
    const index = this.#reads.push({ address, abi, functionName, args }) - 1
    return () => this.#results[index] as T
  }

  async ask(): Promise<void> {
    this.#results = (await readContracts(this.#venue.rpc, this.#reads, this.#block.number)).results
  }
}

/** Asks for all of it; the answers are there once the questions were asked. */
function askAll(venue: Venue, figures: DatabaseFigures, questions: Questions): () => ChainFigures {
  const cashier = contractAddress(venue.deployment, 'Cashier')
  const stock = contractAddress(venue.deployment, 'Stock')
  const ofCashier = <T>(name: string, args?: readonly unknown[]) =>
    questions.add<T>(cashier, cashierAbi as Abi, name, args)
  const ofStock = <T>(name: string, args?: readonly unknown[]) => questions.add<T>(stock, stockAbi as Abi, name, args)
  const tokens = figures.tokens.map(
    ({ token }) => [token, askToken(questions, token, stock, figures.settlers)] as const,
  )
  const cashTokens = figures.cashTokens.map(
    ({ token }) => [token, askCash(questions, ofCashier, token, cashier)] as const,
  )
  const orders = askOrders(ofStock, figures)
  const userCash = figures.userCash.map(({ user }) => [user, ofCashier<bigint>('balanceWad', [user])] as const)
  const userStocks = figures.userStocks.map(
    ({ user, token }) => [stockKey({ user, token }), ofStock<bigint>('stockBalance', [user, token])] as const,
  )
  const owedWad = ofCashier<bigint>('totalOwedWad')
  const creditBufferWad = ofCashier<bigint>('creditBufferWad')
  const cashOperations = ofCashier<bigint>('operationCounter')
  const orderCount = ofStock<bigint>('operationCounter')
  return () => ({
    owedWad: owedWad(),
    creditBufferWad: creditBufferWad(),
    cashOperations: cashOperations(),
    orders: orderCount(),
    tokens: answered(tokens),
    cashTokens: answered(cashTokens),
    openOrders: orders(),
    userCashWad: answered(userCash),
    userStockWad: answered(userStocks),
  })
}

const answered = <T>(asked: readonly (readonly [string, () => T])[]): ReadonlyMap<string, T> =>
  new Map(asked.map(([key, answer]) => [key, answer()]))

function askToken(questions: Questions, token: Hex, stock: Hex, settlers: readonly Hex[]): () => TokenOnChain {
  const ask = (name: string, args?: readonly unknown[]) =>
    questions.add<bigint>(token, stockTokenAbi as Abi, name, args)
  const [supply, ratio, held] = [ask('totalSupply'), ask('sharesPerToken'), ask('balanceOf', [stock])]
  const settlersHold = settlers.map((settler) => ask('balanceOf', [settler]))
  return () => ({
    supplyWad: supply(),
    sharesPerTokenWad: ratio(),
    heldByStockWad: held(),
    settlersWad: settlersHold.reduce((total, answer) => total + answer(), 0n),
  })
}

function askCash(
  questions: Questions,
  ofCashier: <T>(name: string, args?: readonly unknown[]) => () => T,
  token: Hex,
  cashier: Hex,
): () => CashOnChain {
  const held = questions.add<bigint>(token, erc20Abi as Abi, 'balanceOf', [cashier])
  const free = ofCashier<bigint>('freeCash', [token])
  const collectible = ofCashier<bigint>('collectible', [token])
  const config = ofCashier<{ withdrawBuffer: bigint }>('tokenConfig', [token])
  const pending = ofCashier<readonly [bigint, bigint]>('totalPending', [token])
  return () => ({
    heldRaw: held(),
    freeRaw: free(),
    collectibleRaw: collectible(),
    withdrawBufferRaw: config().withdrawBuffer,
    pendingDepositRaw: pending()[0],
    pendingWithdrawalWad: pending()[1],
  })
}

interface OrderAnswer {
  readonly status: number
  readonly lockedAmount: bigint
  readonly filledQuantity: bigint
  readonly cancelRequested: boolean
}

function askOrders(
  ofStock: <T>(name: string, args?: readonly unknown[]) => () => T,
  { orders }: DatabaseFigures,
): () => ReadonlyMap<string, OrderOnChain> {
  const ids = orders.map(({ orderId }) => orderId)
  const parts: (() => readonly OrderAnswer[])[] = []
  for (let start = 0; start < ids.length; start += ORDERS_A_CALL) {
    parts.push(ofStock('getOrders', [ids.slice(start, start + ORDERS_A_CALL)]))
  }
  return () => {
    const answers = parts.flatMap((part) => part())
    return new Map(
      answers.map((answer, index) => [
        ids[index] as string,
        {
          isOpen: answer.status === OPEN,
          lockedWad: answer.lockedAmount,
          filledQuantityWad: answer.filledQuantity,
          cancelRequested: answer.cancelRequested,
        },
      ]),
    )
  }
}
