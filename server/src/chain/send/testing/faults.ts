import type { Random } from '../../../lib/testing-random.ts'
import type { Hex } from '../../types.ts'
import type { ProxyAct } from './rpc-proxy.ts'

/** What happens to a request, with its share in percent; the rest passes. */
const OF_SENDS: readonly (readonly [act: ProxyAct & string, percent: number])[] = [
  ['lose_answer', 12],
  ['refuse', 6],
  ['break', 4],
  ['reset', 4],
  ['answer_broken', 4],
  ['slow', 3],
  ['hang', 2],
]
const OF_READS: readonly (readonly [act: ProxyAct & string, percent: number])[] = [
  ['refuse', 1],
  ['break', 1],
  ['reset', 1],
  ['slow', 1],
]
/**
 * Every so many broadcasts one goes wrong in a way that has not happened yet, and so many looks at the nonce without a wrong one are
 * followed by one: a short campaign meets each, however few broadcasts a quick machine needs for it.
 */
const NEW_FAULT_EVERY = 2
const RIGHT_COUNTS_AT_FIRST = 9
const WRONG_COUNTS = [1n, 3n, -1n, -2n]
const WRONG_COUNT_PERCENT = 15

export interface Faults {
  /** The `decide` of `startRpcProxy`. */
  decide(methods: readonly string[]): ProxyAct
  /** How often each fault happened to a broadcast, and `wrong_count` to a look at the nonce. */
  readonly counts: ReadonlyMap<string, number>
}

/**
 * A node that cannot be relied on: time-outs and lost answers after acceptance, 429s, 5xx, broken connections, slow
 * answers, and a transaction count that is too high or too low.
 */
export function seededFaults({ below, pick }: Random): Faults {
  const counts = new Map<string, number>()
  const draw = (table: typeof OF_SENDS): ProxyAct & string => {
    let at = below(100)
    for (const [act, percent] of table) {
      at -= percent
      if (at < 0) return act
    }
    return 'pass'
  }
  let [sends, looks] = [0, 0]
  const drawOfSend = (): ProxyAct & string => {
    const [unmet] = OF_SENDS.find(([act]) => !counts.has(act)) ?? []
    return sends++ % NEW_FAULT_EVERY === 0 && unmet !== undefined ? unmet : draw(OF_SENDS)
  }
  const decide = (methods: readonly string[]): ProxyAct => {
    if (methods[0] === 'eth_sendRawTransaction') return noted(counts, drawOfSend())
    const act = draw(OF_READS)
    if (act !== 'pass' || !methods.includes('eth_getTransactionCount')) return act
    const isDue = looks++ >= RIGHT_COUNTS_AT_FIRST && !counts.has('wrong_count')
    if (!isDue && below(100) >= WRONG_COUNT_PERCENT) return act
    noted(counts, 'wrong_count')
    return wrongCount(pick(WRONG_COUNTS))
  }
  return { decide, counts }
}

/** A node of which every third broadcast goes wrong, each way in its turn, and every fifth look at the nonce. */
export function regularFaults(): Faults {
  const counts = new Map<string, number>()
  const turns = { send: 0, look: 0 }
  const decide = (methods: readonly string[]): ProxyAct => {
    if (methods[0] === 'eth_sendRawTransaction') {
      const turn = turns.send++
      const [act] = OF_SENDS[Math.floor(turn / 3) % OF_SENDS.length] as (typeof OF_SENDS)[number]
      return turn % 3 === 0 ? noted(counts, act) : 'pass'
    }
    if (!methods.includes('eth_getTransactionCount') || turns.look++ % 5 !== 3) return 'pass'
    noted(counts, 'wrong_count')
    return wrongCount(WRONG_COUNTS[(turns.look >> 2) % WRONG_COUNTS.length] as bigint)
  }
  return { decide, counts }
}

const noted = <T extends string>(counts: Map<string, number>, fault: T): T => {
  counts.set(fault, (counts.get(fault) ?? 0) + 1)
  return fault
}

const wrongCount =
  (by: bigint): ProxyAct =>
  (method, result) =>
    method === 'eth_getTransactionCount' ? shifted(result as Hex, by) : result

/** Every fault that happens to broadcasts or to a look at the nonce. */
export const FAULTS: readonly string[] = [...OF_SENDS.map(([act]) => act), 'wrong_count']

function shifted(count: Hex, by: bigint): Hex {
  const wrong = BigInt(count) + by
  return `0x${(wrong < 0n ? 0n : wrong).toString(16)}`
}
