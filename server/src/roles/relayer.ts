import { runSigners } from '../chain/send/relayer.ts'
import type { SignerKey } from '../chain/send/signer.ts'
import type { RoleContext } from './role.ts'

/** The role relayer: signs and sends the intents. Each signer works in one process at a time. */
export async function runRelayer(
  { venue, profile, signal }: RoleContext,
  signers: readonly SignerKey[],
): Promise<void> {
  const { sql, rpc, log } = venue
  await runSigners({ sql, rpc, profile, signers, signal, log })
}
