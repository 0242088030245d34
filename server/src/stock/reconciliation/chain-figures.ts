import { erc20Abi, toHex } from 'viem'
import { cashierAbi } from '../../chain/abi/cashier.ts'
import { stockAbi } from '../../chain/abi/stock.ts'
import { stockTokenAbi } from '../../chain/abi/stock-token.ts'
import type { Contract } from '../../chain/calls.ts'
import { isCanonical } from '../../chain/canonical.ts'
import { contractAddress } from '../../chain/deployment.ts'
import type { BlockRef } from '../../chain/follow/store.ts'
import { type ContractRead, contractRead, type ReturnOf, readContracts } from '../../chain/read.ts'
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
  /** The administrator's rate, which no event tells from the rate manager's. */
  readonly referenceRateE6: bigint
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
  /** How many operations the Cashier and the exchange have numbered. */
  readonly cashOperations: bigint
  readonly numbered: bigint
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
  readonly #reads: ContractRead<unknown>[] = []
  #results: readonly unknown[] = []

  constructor(venue: Venue, block: BlockRef) {
    this.#venue = venue
    this.#block = block
  }

  add<Result>(read: ContractRead<Result>): () => Result {
    const place = this.#reads.push(read) - 1
    // Each answer stands in the place of its question.
    return () => this.#results[place] as Result
  }

  async ask(): Promise<void> {
    this.#results = await readContracts(this.#venue.rpc, this.#reads, this.#block.number)
  }
}

/** Asks for all of it; the answers are there once the questions were asked. */
function askAll(venue: Venue, figures: DatabaseFigures, questions: Questions): () => ChainFigures {
  const cashier = { address: contractAddress(venue.deployment, 'Cashier'), abi: cashierAbi }
  const stock = { address: contractAddress(venue.deployment, 'Stock'), abi: stockAbi }
  const tokens = figures.tokens.map(
    ({ token }) => [token, askToken(questions, token, stock.address, figures.settlers)] as const,
  )
  const cashTokens = figures.cashTokens.map(({ token }) => [token, askCash(questions, token, cashier)] as const)
  const orders = askOrders(questions, stock, figures)
  const userCash = figures.userCash.map(
    ({ user }) => [user, questions.add(contractRead(cashier, 'balanceWad', user))] as const,
  )
  const userStocks = figures.userStocks.map(({ user, token }) => {
    const balance = contractRead(stock, 'stockBalance', user, token)
    return [stockKey({ user, token }), questions.add(balance)] as const
  })
  const owedWad = questions.add(contractRead(cashier, 'totalOwedWad'))
  const creditBufferWad = questions.add(contractRead(cashier, 'creditBufferWad'))
  const cashOperations = questions.add(contractRead(cashier, 'operationCounter'))
  const numbered = questions.add(contractRead(stock, 'operationCounter'))
  return () => ({
    owedWad: owedWad(),
    creditBufferWad: creditBufferWad(),
    cashOperations: cashOperations(),
    numbered: numbered(),
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
  const contract = { address: token, abi: stockTokenAbi }
  const supply = questions.add(contractRead(contract, 'totalSupply'))
  const ratio = questions.add(contractRead(contract, 'sharesPerToken'))
  const balance = (holder: Hex) => questions.add(contractRead(contract, 'balanceOf', holder))
  const held = balance(stock)
  const settlersHold = settlers.map(balance)
  return () => ({
    supplyWad: supply(),
    sharesPerTokenWad: ratio(),
    heldByStockWad: held(),
    settlersWad: settlersHold.reduce((total, answer) => total + answer(), 0n),
  })
}

function askCash(questions: Questions, token: Hex, cashier: Contract<typeof cashierAbi>): () => CashOnChain {
  const held = questions.add(contractRead({ address: token, abi: erc20Abi }, 'balanceOf', cashier.address))
  const free = questions.add(contractRead(cashier, 'freeCash', token))
  const collectible = questions.add(contractRead(cashier, 'collectible', token))
  const referenceRate = questions.add(contractRead(cashier, 'referenceRate', token))
  const config = questions.add(contractRead(cashier, 'tokenConfig', token))
  const pending = questions.add(contractRead(cashier, 'totalPending', token))
  return () => ({
    heldRaw: held(),
    freeRaw: free(),
    collectibleRaw: collectible(),
    referenceRateE6: BigInt(referenceRate()),
    withdrawBufferRaw: config().withdrawBuffer,
    pendingDepositRaw: pending()[0],
    pendingWithdrawalWad: pending()[1],
  })
}

function askOrders(
  questions: Questions,
  stock: Contract<typeof stockAbi>,
  { orders }: DatabaseFigures,
): () => ReadonlyMap<string, OrderOnChain> {
  const ids = orders.map(({ orderId }) => orderId)
  const parts: (() => ReturnOf<typeof stockAbi, 'getOrders'>)[] = []
  for (let start = 0; start < ids.length; start += ORDERS_A_CALL) {
    parts.push(questions.add(contractRead(stock, 'getOrders', ids.slice(start, start + ORDERS_A_CALL))))
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
