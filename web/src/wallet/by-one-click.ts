// A send of One Click that may have been ended elsewhere: by another page, by the wallet itself, or by its time.
import { hasReason } from '@bourse/sdk/stock'
import type { ReadonlySignal } from '@preact/signals'
import type { Resource } from '../lib/resource.ts'
import { walletWords } from '../strings.ts'

/** What this page knows of One Click of either product. */
export interface KnownOneClick {
  readonly state: Pick<Resource<unknown>, 'refresh'>
  readonly isOn: ReadonlySignal<boolean>
}

/**
 * Sends by One Click. Where the venue says that it is off, nothing was sent, and the page learns it, so that the next press asks the
 * wallet: by itself it would not be what was agreed to. `ended` says so of what no wallet can send.
 */
export async function byOneClick(
  { state, isOn }: KnownOneClick,
  send: () => Promise<void>,
  ended: string = walletWords.oneClickEnded,
): Promise<void> {
  try {
    await send()
  } catch (error) {
    if (!hasReason(error, 'delegation_not_enabled')) throw error
    await state.refresh()
    throw isOn.peek() ? error : new Error(ended)
  }
}
