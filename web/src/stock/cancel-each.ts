import { explain, isRejection } from '../lib/explain.ts'
import { walletWords } from '../strings.ts'
import { words } from './strings.ts'

/**
 * One after the other. What one refuses keeps no other one; who says no in the wallet ends it. Throws when some are left, and tells how
 * many are not.
 */
export async function cancelEach(
  orderIds: readonly string[],
  cancel: (orderId: string) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = []
  let begun = 0
  for (const orderId of orderIds) {
    try {
      await cancel(orderId)
      begun += 1
    } catch (error) {
      failures.push(error)
      if (isRejection(error)) break
    }
  }
  const [first] = failures
  if (failures.length === 0) return
  const isNothingSent = begun === 0 && failures.length === 1
  if (isNothingSent && isRejection(first)) throw first
  throw new Error(
    words.cancelledSome(begun, orderIds.length, isRejection(first) ? walletWords.rejectedThis : explain(first)),
  )
}
