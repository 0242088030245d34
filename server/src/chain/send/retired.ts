import { rebroadcast, rebroadcastDue } from './broadcast.ts'
import { confirm } from './confirm.ts'
import type { SendContext } from './context.ts'
import { readView } from './view.ts'

/**
 * Brings what retired signers had under way to its end; whoever works on the chain does it, and several at once do no harm. Their bytes
 * are signed and the venue's own, so they are broadcast until each nonce is used: by them, or by another transaction of the key. What no
 * node has ever taken goes back into the queue for another signer, by the rule for any refusal. Nothing is signed, so no fee is raised.
 * Throws `RpcError`.
 *
 * @param recheck as of `confirm`
 */
export async function followRetired(ctx: SendContext, recheck: boolean): Promise<void> {
  const { chainId } = ctx.lane
  for (const address of await ctx.retiredAtWork()) {
    const sign = () => Promise.reject(new Error(`the signer ${address} is retired`))
    const lane = { chainId, signer: address }
    const theirs: SendContext = { ...ctx, signer: { address, purposes: [], sign }, lane, passed: () => {} }
    const view = await readView(ctx.rpc, ctx.profile, address, Date.now())
    await rebroadcast(theirs, await confirm(theirs, view, recheck))
    await rebroadcastDue(theirs, view)
  }
}
