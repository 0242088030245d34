import { Replaced, Reverted, type Wallet, waitMined } from '@bourse/sdk/wallet'
import { NotConfirmed } from '../lib/explain.ts'

type Hash = Parameters<typeof waitMined>[1]

/**
 * Waits until the chain has what the wallet has sent, and answers the hash under which it has it. Throws Reverted or Replaced where it
 * did nothing. Whatever else goes wrong from here on is no failure of what was sent, and who took it for one would send it twice.
 */
export async function mined(wallet: Wallet, hash: Hash): Promise<Hash> {
  try {
    return await waitMined(wallet, hash)
  } catch (error) {
    if (error instanceof Reverted || error instanceof Replaced) throw error
    throw new NotConfirmed(hash)
  }
}
