// Whether what an action takes is there: the reserve at Gate first, then of the wallet what Gate may take.
import type { PreviewActionResult } from '@bourse/sdk/perp'
import { isZero, sumOf } from './units.ts'

interface Purse {
  readonly balance: string
  readonly walletBalance: string
  readonly allowance: string
}

export interface Shortage {
  readonly needed: string
  readonly free: string
}

/**
 * Null where it is there, and where it is not known what is. The venue has run the action: what it could pay for is no shortage, though
 * what was last heard of the purse be older.
 */
export function shortageOf(
  result: Pick<PreviewActionResult, 'amount' | 'needsApproval'> | null,
  purse: Purse | undefined,
): Shortage | null {
  if (!result?.needsApproval || !purse || isZero(result.amount)) return null
  const { balance, walletBalance, allowance } = purse
  const [needed, free] = [result.amount ?? '0', sumOf(balance, lesser(walletBalance, allowance))]
  return BigInt(needed) > BigInt(free) ? { needed, free } : null
}

const lesser = (a: string, b: string): string => (BigInt(a) < BigInt(b) ? a : b)
