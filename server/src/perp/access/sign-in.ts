import { hashMessage } from 'viem'
import type { Rpc } from '../../chain/rpc.ts'
import type { Hex } from '../../chain/types.ts'
import { accountOf, formProblem, walletAccepts } from '../../delegation/signature.ts'
import type { Clock } from '../../lib/clock.ts'
import { AppError } from '../../lib/errors.ts'
import { perpReasons } from '../reasons.ts'

/** How far a message's timestamp may be from the venue's clock, to either side (perp-api 3). */
const WINDOW_MS = 5 * 60_000

/** What a wallet sends to make an API key; the fields of the message that it signed. */
export interface SignInRequest {
  readonly chainID: number
  readonly address: string
  readonly nonce: string | number
  /** Unix milliseconds. */
  readonly timestamp: string | number
  readonly signature: string
}

export interface SignInSettings {
  readonly chainId: number
  /** Names that may stand in the message's last line; the first is the venue's own. */
  readonly brands: readonly string[]
  readonly rpc: Rpc
  readonly clock: Clock
}

/** The text that a wallet signs, exactly (perp-api 3). */
export const signInMessage = ({ chainID, address, nonce, timestamp }: SignInRequest, brand: string): string =>
  [
    `Chain ID: ${chainID}`,
    `Wallet Address: ${address.toLowerCase()}`,
    `Nonce: ${nonce}`,
    `Timestamp: ${timestamp}`,
    `Sign this message to authenticate with ${brand} API.`,
  ].join('\n')

/**
 * The wallet that signed: an account by its signature over the text (EIP-191), a contract wallet by what it accepts (ERC-1271).
 * That the nonce was not used before is not known yet. Throws `chain_id_differs`, `wallet_timestamp_outside_window`,
 * `wallet_signature_invalid`, `chain_not_answering`.
 */
export async function signedInWallet(settings: SignInSettings, request: SignInRequest): Promise<{ wallet: Hex }> {
  const { chainId, brands, clock } = settings
  if (request.chainID !== chainId) {
    const message = `chainID must be ${chainId}, which this venue serves; it was ${request.chainID}`
    throw new AppError(perpReasons.chain_id_differs, message, { detail: { field: 'chainID' } })
  }
  requireTimestamp(clock.nowMs(), Number(request.timestamp))
  const wallet = request.address.toLowerCase() as Hex
  const signature = request.signature as Hex
  const problem = formProblem(signature)
  const digests = brands.map((brand) => hashMessage(signInMessage(request, brand)))
  const signers = problem === null ? await Promise.all(digests.map((digest) => accountOf(digest, signature))) : []
  if (signers.includes(wallet)) return { wallet }
  for (const digest of digests) {
    if (await walletAccepts(settings.rpc, wallet, digest, signature)) return { wallet }
  }
  throw notSigned(settings, request, problem ?? `over it, it would be one of ${signers[0] ?? 'nobody'}`)
}

function requireTimestamp(nowMs: number, timestampMs: number): void {
  if (Math.abs(nowMs - timestampMs) <= WINDOW_MS) return
  const message = `timestamp must be Unix milliseconds within 5 minutes of the venue's clock, which is ${nowMs}; it was ${timestampMs}`
  throw new AppError(perpReasons.wallet_timestamp_outside_window, message, { detail: { field: 'timestamp' } })
}

function notSigned({ brands }: SignInSettings, request: SignInRequest, why: string): AppError {
  const [own = ''] = brands
  const text = JSON.stringify(signInMessage(request, own))
  const message = `the signature is not one of ${request.address.toLowerCase()} over the text ${text}, which has no newline at its end: ${why}`
  return new AppError(perpReasons.wallet_signature_invalid, message, { detail: { field: 'signature' } })
}
