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

/** An order may be mined for ten minutes, and what is slow is what a wallet speeds up. */
const FOLLOWED_MS = 900_000

/** For whoever is told of something by its hash. */
export interface Follower {
  /** It was sped up: the chain has it under this hash, and never will under the one that the wallet gave first. */
  sped(hash: Hash): void
  /** The wallet cancelled it, or sent something else in its place. */
  replaced(): void
}

/** Tells what the wallet makes of what it has sent, where that is not what it said first. */
export async function follow(wallet: Wallet, hash: Hash, { sped, replaced }: Follower): Promise<void> {
  const outcome = await waitMined(wallet, hash, { timeoutMs: FOLLOWED_MS }).catch((error: unknown) => error)
  if (outcome instanceof Replaced) return replaced()
  const actual = outcome instanceof Reverted ? outcome.hash : outcome
  // Anything else is no answer of the chain: the lists go on to say that it is waited for.
  if (typeof actual === 'string' && actual !== hash) sped(actual as Hash)
}
