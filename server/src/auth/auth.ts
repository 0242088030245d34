import type { KeyDirectory } from './key-directory.ts'
import type { NonceStore } from './nonce-store.ts'
import type { MasterKeys } from './secrets.ts'
import type { Verifier } from './verifier.ts'

/** What the role api has to know callers by; one a process, for every product. */
export interface Auth {
  readonly verifier: Verifier
  readonly keys: KeyDirectory
  readonly nonces: NonceStore
  /** Encrypt secrets at rest. */
  readonly masterKeys: MasterKeys
}
