import { numberToHex } from 'viem'
import { type Rpc, type RpcCall, type RpcOutcome, unwrap } from './rpc.ts'
import { isTooLarge } from './rpc-error.ts'

/** Most calls that are asked ahead: rounds of more fill their requests without it. */
const MOST_AHEAD = 300

/**
 * For rounds of `eth_call`s that ask about the same block after block, many of them only once others are answered. Returns what
 * gives the client of a round at one block. What the round before asked goes to the node for this block together, as the round
 * begins; whoever asks the same then has that answer or failure, and everything else is asked as ever. So an answer is always of the
 * very call and block that were asked for, and what is asked no longer is left out the next time. Rounds may overlap.
 */
export function repeatedReads(rpc: Rpc): (block: bigint) => Rpc {
  /** What the round before asked, by its text. */
  let before: ReadonlyMap<string, unknown> = new Map()
  let most = MOST_AHEAD
  async function askAhead(tag: string): Promise<Map<string, RpcOutcome<unknown>>> {
    const asked = [...before].slice(0, most)
    const calls = asked.map(([, transaction]) => ({ method: 'eth_call', params: [transaction, tag] }))
    const outcomes = await rpc.outcomes<unknown>(calls)
    const answers = new Map(asked.map(([tx], nth) => [tx, outcomes[nth] as RpcOutcome<unknown>]))
    const refused = [...answers].filter(([, outcome]) => !outcome.ok && isTooLarge(outcome.error))
    // They are asked in parts, as if they had not been asked ahead, and fewer the next time.
    for (const [tx] of refused) answers.delete(tx)
    if (refused.length > 0) most = calls.length >> 1
    return answers
  }
  return (block) => {
    const tag = numberToHex(block)
    const ahead = askAhead(tag).catch(() => new Map<string, RpcOutcome<unknown>>())
    const asked = new Map<string, unknown>()
    before = asked
    const answersTo = async <T>(
      calls: readonly RpcCall[],
      ask: (others: readonly RpcCall[]) => Promise<readonly RpcOutcome<T>[]>,
    ): Promise<RpcOutcome<T>[]> => {
      const answers = await ahead
      const known = calls.map(({ method, params: [transaction, at] }) => {
        if (method !== 'eth_call' || at !== tag) return undefined
        const tx = JSON.stringify(transaction)
        if (asked.size < MOST_AHEAD) asked.set(tx, transaction)
        return answers.get(tx) as RpcOutcome<T> | undefined
      })
      const others = (await ask(calls.filter((_, nth) => known[nth] === undefined))).values()
      return known.map((outcome) => outcome ?? (others.next().value as RpcOutcome<T>))
    }
    return {
      call: rpc.call,
      batch: async <T>(calls: readonly RpcCall[], options?: Parameters<Rpc['batch']>[1]) => {
        const ask = async (others: readonly RpcCall[]) =>
          (await rpc.batch<T>(others, options)).map((value) => ({ ok: true, value }) as const)
        return (await answersTo(calls, ask)).map((outcome) => unwrap(outcome) as T)
      },
      outcomes: <T>(calls: readonly RpcCall[], options?: Parameters<Rpc['outcomes']>[1]) =>
        answersTo<T>(calls, (others) => rpc.outcomes<T>(others, options)),
    }
  }
}
