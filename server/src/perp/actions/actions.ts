import type { Action } from './action.ts'
import { addLiquidity } from './add-liquidity.ts'
import { adjust } from './adjust.ts'
import { batchCancel } from './batch-cancel.ts'
import { cancel } from './cancel.ts'
import { close } from './close.ts'
import { deposit } from './deposit.ts'
import { fill } from './fill.ts'
import { limit } from './limit.ts'
import { margin } from './margin.ts'
import { market } from './market.ts'
import { removeLiquidity } from './remove-liquidity.ts'
import { scaled } from './scaled.ts'
import { withdraw } from './withdraw.ts'

/** Every action that can be built, previewed and sent, by its name on the wire (perp-api 2A.0). */
export const ACTIONS = {
  market,
  limit,
  scaled,
  cancel,
  'batch-cancel': batchCancel,
  fill,
  close,
  adjust,
  margin,
  'add-liquidity': addLiquidity,
  'remove-liquidity': removeLiquidity,
  deposit,
  withdraw,
} as const satisfies Readonly<Record<string, Action>>

export type ActionName = keyof typeof ACTIONS
