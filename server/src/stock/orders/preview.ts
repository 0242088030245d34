import { stockAbi } from '../../chain/abi/stock.ts'
import { contractAddress } from '../../chain/deployment.ts'
import { type ContractRead, contractRead } from '../../chain/read.ts'
import type { NamedRevert } from '../../chain/reverts.ts'
import type { RpcCall, RpcOutcome } from '../../chain/rpc.ts'
import { classifySimulation } from '../../chain/send/classify.ts'
import type { Hex } from '../../chain/types.ts'
import { AppError } from '../../lib/errors.ts'
import { type Calldata, depositAndOrderCalldata, type OrderDeposit, orderCalldata } from '../calldata/calldata.ts'
import type { StockContext } from '../context.ts'
import { stockReasons } from '../reasons.ts'
import { explainRevert } from '../reverts/stock-reverts.ts'
import type { FeeRates } from './expected-fill.ts'
import { depositReads, lockRead } from './order-deposit.ts'
import type { OrderRequest } from './order-request.ts'

/** An order in the hands of the wallet that would send it. */
export interface PreviewRequest {
  readonly user: Hex
  readonly order: OrderRequest
  /** Null for an order without deposit. */
  readonly deposit: OrderDeposit | null
}

/** What the contracts say of an order, all at one block. */
export interface ChainPreview {
  readonly block: PreviewBlock
  readonly method: Calldata['method']
  /** Null when the transaction would succeed. */
  readonly reverts: NamedRevert | null
  /** mUSD of a buy, fees included; stock tokens of a sell. */
  readonly lockedWad: bigint
  readonly feeRates: FeeRates
  /** Credit of a buy's deposit; null when there is none, or when the cashier does not take the token now. */
  readonly credit: { readonly isInstant: boolean; readonly creditWad: bigint } | null
}

export interface PreviewBlock {
  readonly number: bigint
  readonly hash: Hex
  readonly timestampSec: number
}

const TIMEOUT_MS = 5_000

/**
 * Runs the order's transaction from its user's wallet on the real contracts, without sending it, and asks the contracts for
 * what it would lock. Everything is read at the node's newest block, named by hash, so that a reorganisation between two
 * answers is an error and no wrong figure; so is a node that stands behind what is indexed. Throws `chain_unreachable`.
 */
export async function previewOnChain(context: StockContext, request: PreviewRequest): Promise<ChainPreview> {
  const { rpc } = context.venue
  const calldata = calldataOf(context, request)
  const block = await newestBlock(context)
  const { lock, feeRates, credit } = readsOf(context, request)
  const reads: readonly ContractRead<unknown>[] = [lock, feeRates, ...(credit ?? [])]
  const at = { blockHash: block.hash }
  const simulation = { from: request.user, to: calldata.to, data: calldata.data }
  const calls: RpcCall[] = [
    { method: 'eth_call', params: [simulation, at] },
    ...reads.map(({ address, data }) => ({ method: 'eth_call', params: [{ to: address, data }, at] })),
  ]
  const [simulated, ...outcomes] = await rpc.outcomes<Hex>(calls, { timeoutMs: TIMEOUT_MS })
  const answered = <Result>(read: ContractRead<Result>) => decoded(outcomes[reads.indexOf(read)], read)
  return {
    block,
    method: calldata.method,
    reverts: revertOf(simulated),
    lockedWad: required(answered(lock)),
    feeRates: required(answered(feeRates)),
    credit: credit && creditOf(answered(credit[0]), answered(credit[1])),
  }
}

function calldataOf({ router }: StockContext, { order, deposit }: PreviewRequest): Calldata {
  const { stock, terms, deadlineSec } = order
  const { token } = stock.token
  return deposit
    ? depositAndOrderCalldata(router, token, terms, deposit, deadlineSec)
    : orderCalldata(router, token, terms, deadlineSec)
}

function readsOf(context: StockContext, { order, deposit }: PreviewRequest) {
  const stock = { address: contractAddress(context.venue.deployment, 'Stock'), abi: stockAbi }
  const { terms } = order
  return {
    lock: lockRead(context, terms),
    feeRates: contractRead(stock, 'feeRates'),
    credit: deposit && terms.side === 'Buy' ? depositReads(context, deposit) : null,
  }
}

const creditOf = (isInstant: boolean | null, creditWad: bigint | null): ChainPreview['credit'] =>
  isInstant === null || creditWad === null ? null : { isInstant, creditWad }

interface RpcBlock {
  readonly number: Hex
  readonly hash: Hex
  readonly timestamp: Hex
}

async function newestBlock({ venue, catalogue }: StockContext): Promise<PreviewBlock> {
  const { headTimestampSec } = await catalogue()
  const block = await venue.rpc
    .call<RpcBlock | null>('eth_getBlockByNumber', ['latest', false], { timeoutMs: TIMEOUT_MS })
    .catch((cause) => {
      throw unreachable(cause)
    })
  try {
    const { number, hash, timestamp } = block as RpcBlock
    if (!/^0x[0-9a-f]{64}$/i.test(hash)) throw new RangeError(`${hash} is no block hash`)
    const timestampSec = Number(BigInt(timestamp))
    if (timestampSec < headTimestampSec) throw new RangeError(`block ${number} lies before what is indexed`)
    return { number: BigInt(number), hash, timestampSec }
  } catch (cause) {
    throw unreachable(cause)
  }
}

/** Every function that places an order returns something; nothing is what an address without the contract returns. */
const NOTHING = '0x'

function revertOf(simulated: RpcOutcome<Hex> | undefined): NamedRevert | null {
  if (!simulated) throw unreachable(new Error('the simulation has no outcome'))
  if (simulated.ok) {
    if (simulated.value === NOTHING) throw unreachable(new Error('there is no router at its address'))
    return null
  }
  const failure = classifySimulation(simulated.error)
  if (failure.kind !== 'reverted') throw unreachable(simulated.error)
  return explainRevert(failure.data)
}

/** The result of a read; null when the contract reverted. */
function decoded<Result>(outcome: RpcOutcome<Hex> | undefined, read: ContractRead<Result>): Result | null {
  if (!outcome) throw unreachable(new Error('a view of the contracts has no outcome'))
  if (!outcome.ok) {
    if (classifySimulation(outcome.error).kind === 'reverted') return null
    throw unreachable(outcome.error)
  }
  try {
    return read.decode(outcome.value)
  } catch (cause) {
    throw unreachable(cause)
  }
}

function required<Value>(value: Value | null): Value {
  if (value === null) throw unreachable(new Error('a view of the contracts reverted'))
  return value
}

function unreachable(cause: unknown): AppError {
  const message =
    'the chain node gives no sound answer, so the order cannot be previewed; nothing older is shown instead'
  return new AppError(stockReasons.chain_unreachable, message, { cause })
}
