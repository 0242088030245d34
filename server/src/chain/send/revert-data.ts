import type { Hex } from '../types.ts'
import { classifySimulation, revertDataIn } from './classify.ts'
import type { SendContext } from './context.ts'
import { mayBeSpent, OUT_OF_GAS } from './out-of-gas.ts'
import type { OpenIntent } from './outcome-store.ts'

interface CallTrace {
  readonly error?: string
  readonly output?: Hex
  readonly calls?: readonly CallTrace[]
}

/** A transaction that is mined and has reverted. */
export interface MinedRevert {
  readonly hash: Hex
  readonly blockNumber: bigint
  readonly gasUsed: bigint
}

/** Why it did, as an intent has it. */
export interface RevertCause {
  /** Null where no way leads to it. */
  readonly revertData: Hex | null
  readonly problem: string | null
}

const causeOf = (revertData: Hex | null, ranOutOfGas: boolean): RevertCause => ({
  revertData,
  problem: ranOutOfGas ? OUT_OF_GAS : null,
})

/** Why a mined transaction reverted: from the node's trace where it gives one, else by running the same call again. */
export async function revertCause(ctx: SendContext, intent: OpenIntent, mined: MinedRevert): Promise<RevertCause> {
  const [trace] = await ctx.rpc.outcomes<CallTrace | null>([
    { method: 'debug_traceTransaction', params: [mined.hash, { tracer: 'callTracer' }] },
  ])
  if (!trace?.ok || trace.value?.error === undefined) return causeByCalls(ctx, intent, mined)
  const data = revertDataIn(trace.value.output) ?? '0x'
  return causeOf(data, data === '0x' && isOutOfGas(trace.value))
}

/** A call fails by the last one that it makes, or by itself; nodes have their own words for it, all with "gas" in them. */
function isOutOfGas({ error, calls = [] }: CallTrace): boolean {
  if (error === undefined) return false
  const last = calls.at(-1)
  return /gas/i.test(error) || (last !== undefined && isOutOfGas(last))
}

/**
 * By the call on the state before its block, then after it. Neither is the state that it met: where its gas may have been spent, what
 * comes with far less gas than was used is not what it reverted with. Where the limit is charged, what was used is not known.
 */
async function causeByCalls(
  ctx: SendContext,
  intent: OpenIntent,
  { hash, blockNumber, gasUsed }: MinedRevert,
): Promise<RevertCause> {
  const { chargesLimit, maxGasLimit } = ctx.profile.gas
  const gasLimit = intent.attempts.find((attempt) => attempt.hash === hash)?.gasLimit || maxGasLimit
  const spent = !chargesLimit && mayBeSpent(gasUsed, gasLimit)
  for (const block of [blockNumber - 1n, blockNumber]) {
    const data = await revertOfCall(ctx, intent, gasLimit, block)
    if (data === null) continue
    const isOther = spent && data !== '0x' && (await revertOfCall(ctx, intent, (gasUsed * 3n) / 4n, block)) === data
    if (!isOther) return causeOf(data, spent && data === '0x')
  }
  return causeOf(spent ? '0x' : null, spent)
}

/** What the intent's call reverts with on the state after a block; null where it does not, or the node does not say. */
async function revertOfCall(ctx: SendContext, intent: OpenIntent, gas: bigint, block: bigint): Promise<Hex | null> {
  const params = [callOf(ctx.lane.signer, intent, gas), toHex(block)]
  const [outcome] = await ctx.rpc.outcomes<Hex>([{ method: 'eth_call', params }])
  if (!outcome || outcome.ok) return null
  const failure = classifySimulation(outcome.error)
  return failure.kind === 'reverted' ? failure.data : null
}

/** The transaction object of `eth_call` and `eth_estimateGas`. */
export function callOf(
  from: Hex,
  fields: { readonly to: Hex; readonly data: Hex; readonly valueWei: bigint },
  gas: bigint,
): Record<string, Hex> {
  return { from, to: fields.to, data: fields.data, value: toHex(fields.valueWei), gas: toHex(gas) }
}

/** A JSON-RPC quantity. */
export const toHex = (value: bigint): Hex => `0x${value.toString(16)}`
