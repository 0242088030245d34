import type { Rpc, RpcCall, RpcOutcome } from './rpc.ts'

/** Requests to the node at the same time; what comes meanwhile goes together in the next one. */
const REQUESTS_AT_ONCE = 4
/** Calls in one request: a slow one holds up those that go with it. */
const CALLS_AT_ONCE = 60

interface Waiting {
  readonly calls: readonly RpcCall[]
  readonly resolve: (outcomes: RpcOutcome<unknown>[]) => void
  readonly reject: (error: unknown) => void
}

/**
 * The same client for checks that many requests make at once: calls that have to wait go to the node together, since what
 * a node does for a request as such costs more than a call. Alone, a check goes at once and by itself. Each caller gets
 * its own outcomes; a request that fails is the outcome of each of its calls, as with `outcomes`. Who shares the calls shares
 * the client that this answers.
 */
export const sharedRpc = (rpc: Rpc): Rpc => ({ ...rpc, outcomes: sharing(rpc) })

function sharing(rpc: Rpc): Rpc['outcomes'] {
  const waiting: Waiting[] = []
  let active = 0
  const next = () => {
    while (active < REQUESTS_AT_ONCE && waiting.length > 0) {
      active++
      void send(rpc, takeGroup(waiting)).finally(() => {
        active--
        next()
      })
    }
  }
  return async <T>(calls: readonly RpcCall[], options?: Parameters<Rpc['outcomes']>[1]) => {
    if (options) return rpc.outcomes<T>(calls, options)
    const outcomes = new Promise<RpcOutcome<unknown>[]>((resolve, reject) => waiting.push({ calls, resolve, reject }))
    next()
    return (await outcomes) as RpcOutcome<T>[]
  }
}

/** The callers that waited longest, at least one, whose calls fit one request. */
function takeGroup(waiting: Waiting[]): Waiting[] {
  let calls = waiting[0]?.calls.length ?? 0
  let end = 1
  for (; end < waiting.length; end++) {
    calls += waiting[end]?.calls.length ?? 0
    if (calls > CALLS_AT_ONCE) break
  }
  return waiting.splice(0, end)
}

async function send(rpc: Rpc, group: readonly Waiting[]): Promise<void> {
  try {
    const outcomes = await rpc.outcomes(group.flatMap(({ calls }) => calls))
    let at = 0
    for (const { calls, resolve } of group) {
      resolve(outcomes.slice(at, at + calls.length))
      at += calls.length
    }
  } catch (error) {
    for (const { reject } of group) reject(error)
  }
}
