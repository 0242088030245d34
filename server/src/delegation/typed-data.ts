import { hashTypedData } from 'viem'
import type { Hex } from '../chain/types.ts'
import type { OneClick } from './one-click.ts'

/** What a user signs to let `delegatee` act as itself (stock-api 6). */
export interface Delegate {
  readonly user: Hex
  readonly delegatee: Hex
  /** The user's next nonce at the router. */
  readonly nonce: bigint
  /** Unix seconds, inclusive, 32 bits. */
  readonly deadlineSec: number
}

const TYPES = {
  Delegate: [
    { name: 'user', type: 'address' },
    { name: 'delegatee', type: 'address' },
    { name: 'nonce', type: 'uint64' },
    { name: 'deadline', type: 'uint32' },
  ],
} as const

/** The EIP-712 payload as the wire has it, for any wallet's signTypedData (stock-api 6). */
export function signPayload({ chainId, router }: Pick<OneClick, 'chainId' | 'router'>, delegate: Delegate) {
  const { user, delegatee, nonce, deadlineSec } = delegate
  return {
    domain: { name: 'OneClickRouter', version: '1', chainId, verifyingContract: router },
    types: TYPES,
    primaryType: 'Delegate' as const,
    message: { user, delegatee, nonce: Number(nonce), deadline: deadlineSec },
  }
}

/** The digest that is signed. */
export function delegateDigest(oneClick: Pick<OneClick, 'chainId' | 'router'>, delegate: Delegate): Hex {
  const payload = signPayload(oneClick, delegate)
  return hashTypedData({ ...payload, message: { ...payload.message, nonce: delegate.nonce } })
}
