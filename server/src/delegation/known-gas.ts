import type { Clock } from '../lib/clock.ts'
import type { UserCall } from './submit.ts'

/** After this an estimate is made anew: the calls of a user may have become cheaper. */
const REMEMBERED_MS = 10 * 60_000
/** Kinds of calls that are remembered; of more the oldest are forgotten. */
const MOST = 10_000

/**
 * The gas limit of a user's last call of one kind. An estimate costs a node many runs of a call; that a limit which did for
 * its like leaves it the chain's buffer too is proved by one.
 */
export class KnownGas {
  readonly #clock: Pick<Clock, 'nowMs'>
  readonly #known = new Map<string, { readonly gas: bigint; readonly untilMs: number }>()

  constructor(clock: Pick<Clock, 'nowMs'>) {
    this.#clock = clock
  }

  /** Gas that was enough for a call like this one; null when it has to be estimated. */
  of(router: string, call: UserCall): bigint | null {
    const known = this.#known.get(kindOf(router, call))
    return known && known.untilMs > this.#clock.nowMs() ? known.gas : null
  }

  remember(router: string, call: UserCall, gas: bigint): void {
    const kind = kindOf(router, call)
    this.#known.delete(kind)
    this.#known.set(kind, { gas, untilMs: this.#clock.nowMs() + REMEMBERED_MS })
    const [oldest] = this.#known.keys()
    if (this.#known.size > MOST && oldest !== undefined) this.#known.delete(oldest)
  }
}

/** Calls of one kind, with as many arguments. */
const kindOf = (router: string, { user, target, data, gasKind = data.slice(0, 10) }: UserCall): string =>
  `${router} ${user} ${target} ${gasKind} ${data.length}`
