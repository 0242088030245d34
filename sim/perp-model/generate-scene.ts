import type { Context } from './instrument.ts'
import type { Random } from './random.ts'
import type { World } from './world.ts'

/** What an action is made from: the state, one instrument of it, an account, the block's time. */
export type Scene = {
  readonly random: Random
  readonly world: World
  readonly context: Context
  readonly accounts: readonly string[]
  readonly base: {
    readonly timeSec: number
    readonly instrument: number
    readonly account: string
    readonly expiry?: number
  }
}
