import { hasReason, type PrepareApprovalResult } from '@bourse/sdk/perp'
import { walletWords } from '../strings.ts'
import { afterStep } from '../wallet/after-step.ts'

/**
 * Has an approval sent that the venue prepares. A token such as USDT takes no other amount over one that stands, which the venue finds
 * out when it runs it: that one is taken back first.
 */
export async function sendApproval(
  amount: string,
  prepare: (amount: string) => Promise<PrepareApprovalResult>,
  send: (built: PrepareApprovalResult) => Promise<void>,
): Promise<void> {
  const built = await prepare(amount).catch(async (error: unknown) => {
    const back = hasReason(error, 'would_revert') ? await prepare('0') : null
    if (back === null || back.allowance === '0') throw error
    await send(back)
    return null
  })
  if (built) return send(built)
  await afterStep(walletWords.approvalCleared, async () => send(await prepare(amount)))
}
