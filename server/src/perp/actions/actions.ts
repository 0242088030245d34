import type { Action } from './action.ts'
import { market } from './market.ts'

/** Every action that can be built, previewed and sent, by its name on the wire. */
export const ACTIONS = {
  market,
} as const satisfies Readonly<Record<string, Action>>

export type ActionName = keyof typeof ACTIONS
