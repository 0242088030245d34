import type { RpcCall, RpcOutcome } from './rpc.ts'
import { RpcError } from './rpc-error.ts'

/** What runs a call without sending it. */
const RUNS = new Set(['eth_call', 'eth_estimateGas'])
/** The code of "execution reverted". */
const EXECUTION_REVERTED = 3

/**
 * Asks again, once and together, for the calls that a node says would revert, and takes its second word. While a block is
 * being mined, anvil runs a call on the state after that block with the time of the block before it: for that moment
 * time runs backwards, and a contract that asks how long ago something was fails though the call is good. Where `ask` rejects, as its caller
 * waits no longer, the doubted calls alone have failed by time: what has passed stands.
 */
export async function sureOfReverts(
  calls: readonly RpcCall[],
  outcomes: readonly RpcOutcome<unknown>[],
  ask: (calls: readonly RpcCall[]) => Promise<RpcOutcome<unknown>[]>,
): Promise<RpcOutcome<unknown>[]> {
  const doubted = [...outcomes.keys()].filter((index) => isRevert(calls[index], outcomes[index]))
  if (doubted.length === 0) return [...outcomes]
  const asked = doubted.map((index) => calls[index] as RpcCall)
  const second = await ask(asked).catch((cause: unknown) => asked.map(({ method }) => unsure(method, cause)))
  const again = new Map(doubted.map((index, place) => [index, second[place]]))
  return outcomes.map((outcome, index) => again.get(index) ?? outcome)
}

const unsure = (method: string, cause: unknown): RpcOutcome<unknown> => {
  return {
    ok: false,
    error: new RpcError('rpc_timeout', method, 'it may revert, which is not certain in time', { cause }),
  }
}

function isRevert(call: RpcCall | undefined, outcome: RpcOutcome<unknown> | undefined): boolean {
  return RUNS.has(call?.method ?? '') && outcome?.ok === false && outcome.error.rpc?.code === EXECUTION_REVERTED
}
