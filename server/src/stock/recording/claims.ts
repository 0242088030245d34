import { toFunctionSelector } from 'viem'
import { stockRouterAbi } from '../../chain/abi/stock-router.ts'
import type { Rpc } from '../../chain/rpc.ts'
import type { Hex } from '../../chain/types.ts'
import type { Db, Sql } from '../../db/pool.ts'
import type { Caller } from '../../http/caller.ts'
import { type Idempotency, idempotent } from '../../http/idempotency.ts'
import { AppError } from '../../lib/errors.ts'
import type { RouterMethod } from '../calldata/calldata.ts'
import { calldataHash } from '../calldata-hash.ts'
import { stockReasons } from '../reasons.ts'
import {
  builtEarlier,
  type CarriedCalldata,
  type ClaimHolder,
  findBuild,
  findIndexedTransaction,
  type IndexedTransaction,
  indexedHeadNumber,
  insertClaim,
  listClaimHolders,
  lockClaims,
} from './claim-store.ts'
import { type ClaimType, type OperationType, STEP_DEPOSITS } from './claim-types.ts'

/** What a transaction that calls each router function is claimed as. */
export const CLAIMS_OF_METHOD: Readonly<Record<RouterMethod, readonly ClaimType[]>> = {
  deposit: ['deposit'],
  withdraw: ['withdraw'],
  depositStock: ['stock_deposit'],
  withdrawStock: ['stock_withdraw'],
  placeMarketOrder: ['trade'],
  placeLimitOrder: ['trade'],
  cancelLimitOrder: ['cancel'],
  depositAndMarketBuy: ['trade', 'trade_deposit'],
  depositAndLimitBuy: ['trade', 'trade_deposit'],
  depositStockAndMarketSell: ['trade', 'trade_stock_deposit'],
  depositStockAndLimitSell: ['trade', 'trade_stock_deposit'],
}

const CLAIMS_OF_SELECTOR = new Map(
  stockRouterAbi.flatMap((item) => {
    const types = item.type === 'function' ? CLAIMS_OF_METHOD[item.name as RouterMethod] : undefined
    return item.type === 'function' && types ? [[toFunctionSelector(item), types] as const] : []
  }),
)

/** What an endpoint takes, the better first: a transaction that cancels an order is recorded where orders are. */
const acceptedBy = (operationType: OperationType): readonly ClaimType[] =>
  operationType === 'trade' ? ['trade', 'cancel'] : [operationType]

/** What is claimed of a transaction of which nothing is known: it may turn out to make a deposit in the same step. */
const claimsOfUnknown = (operationType: OperationType): readonly ClaimType[] =>
  operationType === 'trade' ? ['trade', ...STEP_DEPOSITS] : [operationType]

export interface Recording {
  readonly chainId: number
  readonly router: Hex
  readonly caller: Caller
  readonly txHash: Hex
  readonly operationType: OperationType
  /** The client's own name for an order. */
  readonly clientOrderId?: string
  readonly idempotency?: Idempotency | undefined
}

/**
 * Records a self-submitted transaction for the caller's key: its on-chain user must be the key's
 * bound user; an unbound key must have built its calldata before its block; it must be of the endpoint's kind. An order with a deposit is a
 * trade, and its key has the deposit with it. What the chain does not know yet is taken as it is and proves itself when
 * it is indexed. Recording again changes nothing. Throws
 * `transaction_of_other_kind`, `transaction_of_other_user`, `transaction_of_other_key`, `chain_unreachable`.
 */
export async function recordTransaction(sql: Sql, rpc: Rpc, recording: Recording): Promise<void> {
  const { chainId, txHash, caller } = recording
  await idempotent(sql, chainId, recording, {
    prepare: () => checkRecording(sql, rpc, recording),
    async store(tx, known) {
      if (known === null) return { txHash }
      requireNameable(recording, known)
      await lockClaims(tx, chainId, txHash)
      await refuseWhenOutranked(tx, recording, known)
      const { cancelOrderId = null } = known
      const named = { clientOrderId: recording.clientOrderId ?? null, cancelOrderId }
      const claim = { chainId, apiKeyId: caller.keyId, txHash, userAddress: caller.userAddress, ...named }
      for (const claimType of known.claims) await insertClaim(tx, { ...claim, claimType })
      return { txHash }
    },
  })
}

/** An order alone has a name of the client's. */
function requireNameable({ txHash, clientOrderId }: Recording, { claims }: Known): void {
  if (clientOrderId === undefined || claims.includes('trade')) return
  const message = `clientOrderId names an order, and transaction ${txHash} places none`
  throw new AppError(stockReasons.field_not_applicable, message, { detail: { field: 'clientOrderId' } })
}

/** What is to be claimed; null when the caller's key has recorded the transaction before. */
async function checkRecording(sql: Sql, rpc: Rpc, recording: Recording): Promise<Known | null> {
  const { chainId, txHash, caller, operationType } = recording
  const holders = await listClaimHolders(sql, chainId, txHash, acceptedBy(operationType))
  if (holders.some(({ apiKeyId }) => apiKeyId === caller.keyId)) return null
  const indexed = await findIndexedTransaction(sql, chainId, txHash)
  return indexed?.succeeded ? checkIndexed(sql, recording, indexed) : checkSubmitted(sql, rpc, recording)
}

/** Whose operation the transaction holds and what it carries, null while that cannot be said; and what is claimed of it. */
interface Known {
  readonly user: Hex | null
  readonly carried: CarriedCalldata | null
  readonly claims: readonly ClaimType[]
  /** The order that the transaction cancels. */
  readonly cancelOrderId?: Hex
}

const unknown = ({ operationType }: Recording): Known => ({
  user: null,
  carried: null,
  claims: claimsOfUnknown(operationType),
})

async function checkIndexed(db: Db, recording: Recording, indexed: IndexedTransaction): Promise<Known> {
  const { caller } = recording
  const { calldataHash, blockNumber, operations } = indexed
  const accepted = acceptedBy(recording.operationType)
  if (!operations.some(({ type }) => accepted.includes(type))) throw otherKind(recording)
  const carried = { chainId: recording.chainId, calldataHash, blockNumber }
  if (caller.userAddress === null) await requireBuilt(db, recording, carried)
  const own = operations.filter(({ userAddress }) => (caller.userAddress ?? userAddress) === userAddress)
  const claimed = accepted.find((wanted) => own.some(({ type }) => type === wanted))
  if (claimed === undefined) throw otherUser(recording)
  const user = own.find(({ type }) => type === claimed)?.userAddress ?? null
  const inStep = claimed === 'trade' ? STEP_DEPOSITS.filter((wanted) => own.some(({ type }) => type === wanted)) : []
  return { user, carried, claims: [claimed, ...inStep] }
}

interface RpcTransaction {
  readonly from: Hex
  readonly to: Hex | null
  readonly input: Hex
  readonly value: Hex
  /** Null while it is pending. */
  readonly blockNumber: Hex | null
}

async function checkSubmitted(db: Db, rpc: Rpc, recording: Recording): Promise<Known> {
  const transaction = await rpc
    .call<RpcTransaction | null>('eth_getTransactionByHash', [recording.txHash])
    .catch((cause) => {
      const message = 'the chain node does not answer, so the transaction cannot be checked; nothing was recorded'
      throw new AppError(stockReasons.chain_unreachable, message, { cause })
    })
  if (transaction === null) return unknown(recording)
  // Made through another contract (a wallet): only its events tell whose it is.
  if (transaction.to?.toLowerCase() !== recording.router) return checkByEvents(db, recording, transaction)
  const { caller } = recording
  const claims = CLAIMS_OF_SELECTOR.get(transaction.input.slice(0, 10).toLowerCase() as Hex)
  if (!claims?.some((type) => acceptedBy(recording.operationType).includes(type))) throw otherKind(recording)
  const user = transaction.from.toLowerCase() as Hex
  const carried = {
    chainId: recording.chainId,
    calldataHash: calldataHash(recording.router, BigInt(transaction.value), transaction.input),
    blockNumber: transaction.blockNumber === null ? null : BigInt(transaction.blockNumber),
  }
  if (caller.userAddress === null) await requireBuilt(db, recording, carried)
  else if (user !== caller.userAddress) throw otherUser(recording)
  return { user, carried, claims, ...cancelled(claims, transaction.input) }
}

/** The order that calldata cancels: its only argument. */
export const cancelled = (claims: readonly ClaimType[], data: Hex): { readonly cancelOrderId?: Hex } =>
  claims.includes('cancel') && data.length === 74 ? { cancelOrderId: `0x${data.slice(10).toLowerCase()}` } : {}

/** A transaction to another contract: when its block is indexed and none of its events are the venue's, it is no operation. */
async function checkByEvents(db: Db, recording: Recording, { blockNumber }: RpcTransaction): Promise<Known> {
  const { chainId, txHash } = recording
  if (blockNumber === null || BigInt(blockNumber) > (await indexedHeadNumber(db, chainId))) return unknown(recording)
  const indexed = await findIndexedTransaction(db, chainId, txHash)
  if (!indexed?.succeeded) throw otherKind(recording)
  return checkIndexed(db, recording, indexed)
}

async function requireBuilt(db: Db, { txHash, caller }: Recording, carried: CarriedCalldata): Promise<void> {
  const build = await findBuild(db, caller.keyId, carried)
  if (build === 'built') return
  const why =
    build === 'late'
      ? `built the calldata of transaction ${txHash} only after the block that holds it`
      : 'did not build the calldata of this transaction'
  const message = `this API key is not bound to a wallet and ${why}, so it cannot record it`
  throw new AppError(stockReasons.transaction_of_other_user, message)
}

/**
 * A claim by a key bound to the transaction's user outranks an unbound key's; of two bound keys the first stays, of two
 * unbound ones that which built the calldata earlier. A claim that has not proved itself yet never keeps out one that has,
 * so that nobody can reserve the hash of a stranger.
 */
async function refuseWhenOutranked(db: Db, recording: Recording, known: Known): Promise<void> {
  const { chainId, txHash, operationType, caller } = recording
  const holders = await listClaimHolders(db, chainId, txHash, acceptedBy(operationType))
  if (holders.some(({ apiKeyId }) => apiKeyId === caller.keyId)) return
  for (const holder of holders) {
    if (!(await holds(db, recording, known, holder))) continue
    const right = rightOf(recording, holder)
    const message = `transaction ${txHash} has been recorded by another API key${right}`
    throw new AppError(stockReasons.transaction_of_other_key, message)
  }
}

/** Why the other key's claim is the better one. */
function rightOf({ caller }: Recording, holder: ClaimHolder): string {
  if (holder.userAddress === null) return ', which built its calldata earlier than this one'
  if (caller.userAddress === null) return ', which is bound to its wallet'
  return ' of the same wallet, which was first'
}

/** Whether another key's claim stands against the caller's. */
async function holds(db: Db, { caller }: Recording, known: Known, holder: ClaimHolder): Promise<boolean> {
  if (holder.userAddress !== null) {
    const user = caller.userAddress ?? known.user
    return user === null || holder.userAddress === user
  }
  if (caller.userAddress !== null || known.carried === null) return false
  return builtEarlier(db, known.carried, { apiKeyId: holder.apiKeyId, than: caller.keyId })
}

const KIND_NAME: Readonly<Record<OperationType, string>> = {
  trade: 'trade',
  deposit: 'cash deposit',
  withdraw: 'cash withdrawal',
  stock_deposit: 'stock deposit',
  stock_withdraw: 'stock withdrawal',
}

function otherKind({ txHash, operationType }: Recording): AppError {
  const message = `transaction ${txHash} is no ${KIND_NAME[operationType]} of this venue: use the tx endpoint of its operation`
  return new AppError(stockReasons.transaction_of_other_kind, message)
}

function otherUser({ txHash, caller }: Recording): AppError {
  const message = `transaction ${txHash} was made by another wallet than ${caller.userAddress}, to which this API key is bound`
  return new AppError(stockReasons.transaction_of_other_user, message)
}
