import { AppError } from '../../lib/errors.ts'
import type { Catalogue } from '../listing/catalogue.ts'
import { stockReasons } from '../reasons.ts'

const UINT32_MAX = 4_294_967_295

/**
 * Refuses a deadline that cannot be met: it must lie in the future of the chain's clock, and of ours where the chain has
 * been quiet for a while, and fit 32 bits (stock-api 1.9). Throws `deadline_expired`.
 */
export function requireFutureDeadline({ headTimestampSec }: Catalogue, nowMs: number, deadlineSec: number): void {
  if (deadlineSec > UINT32_MAX) throw expired(deadlineSec, `must be at most ${UINT32_MAX}`)
  const nowSec = Math.max(headTimestampSec, Math.floor(nowMs / 1000))
  if (deadlineSec <= nowSec) throw expired(deadlineSec, `must be in the future, after ${nowSec}`)
}

function expired(deadlineSec: number, problem: string): AppError {
  const message = `deadline ${problem} (Unix seconds), got ${deadlineSec}`
  return new AppError(stockReasons.deadline_expired, message, { detail: { field: 'deadline' } })
}
