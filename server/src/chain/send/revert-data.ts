import type { Hex } from '../types.ts'
import { classifySimulation, revertDataIn } from './classify.ts'
import type { SendContext } from './context.ts'
import type { OpenIntent } from './outcome-store.ts'

interface CallTrace {
  readonly error?: string
  readonly output?: Hex
}

/**
 * What a mined transaction reverted with, undecoded: from the node's trace where it gives one, else by the same call on
 * the state before its block, then after it. Null when no way leads to it.
 */
export async function revertDataOf(
  ctx: SendContext,
  intent: OpenIntent,
  hash: Hex,
  blockNumber: bigint,
): Promise<Hex | null> {
  const tracer = { tracer: 'callTracer', tracerConfig: { onlyTopCall: true } }
  const [trace] = await ctx.rpc.outcomes<CallTrace | null>([
    { method: 'debug_traceTransaction', params: [hash, tracer] },
  ])
  if (trace?.ok && trace.value?.error !== undefined) return revertDataIn(trace.value.output) ?? '0x'
  const gas = intent.attempts.find((attempt) => attempt.hash === hash)?.gasLimit ?? ctx.profile.gas.maxGasLimit
  const call = callOf(ctx.lane.signer, intent, gas)
  for (const block of [blockNumber - 1n, blockNumber]) {
    const [outcome] = await ctx.rpc.outcomes<Hex>([{ method: 'eth_call', params: [call, toHex(block)] }])
    if (!outcome || outcome.ok) continue
    const failure = classifySimulation(outcome.error)
    if (failure.kind === 'reverted') return failure.data
  }
  return null
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
