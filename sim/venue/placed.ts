import type { Hex } from 'viem'
import type { OwnWallet } from './own-wallet.ts'
import { until } from './patience.ts'

/** What a customer knows of something that it placed. */
export interface Placed {
  /** USD of an order, base units of a trade; no two of a run have the same. */
  readonly amount: string
  readonly how: 'one click' | 'own wallet'
  /** The transaction that the venue or the chain told, once it was final; null where it failed. */
  txHash: Hex | null
  /** Why it failed, as it was told. */
  failure: string | null
}

export const newlyPlaced = (how: Placed['how'], amount: string): Placed => ({
  how,
  amount,
  txHash: null,
  failure: null,
})

/** How a send by One Click stands, as both APIs tell it. */
export interface Standing {
  readonly status: 'Pending' | 'Confirmed' | 'Failed'
  readonly txHash: Hex | null
  readonly failure: string | null
}

/** Asks how a send stands until the venue names its transaction, which no reorganisation reaches any more, or its failure. */
export async function followSend(placed: Placed, wallet: OwnWallet, ask: () => Promise<Standing>): Promise<void> {
  const ended = await until(
    `the send of ${placed.amount}`,
    ask,
    async ({ status, txHash }) =>
      status === 'Failed' || (status === 'Confirmed' && txHash !== null && (await wallet.settled(txHash)) !== null),
  )
  if (ended.status === 'Failed') placed.failure = ended.failure
  else placed.txHash = ended.txHash
}
