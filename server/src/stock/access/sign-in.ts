import { hashMessage } from 'viem'
import { createSiweMessage, parseSiweMessage, type SiweMessage } from 'viem/siwe'
import { SESSION_STATEMENT } from '../../auth/sessions.ts'
import { DEVELOPMENT_CHAIN } from '../../chain/profiles.ts'
import type { Rpc } from '../../chain/rpc.ts'
import type { Hex } from '../../chain/types.ts'
import { accountOf, formProblem, walletAccepts } from '../../delegation/signature.ts'
import { isLoopbackHost } from '../../http/ip-list.ts'
import type { SignedRequest } from '../../http/scheme.ts'
import type { Clock } from '../../lib/clock.ts'
import { AppError } from '../../lib/errors.ts'
import { stockReasons } from '../reasons.ts'

/** How far the time at which a message was made may be from the venue's clock, to either side. */
const WINDOW_MS = 5 * 60_000

/** What a wallet sends to open a session. */
export interface SessionSignIn {
  /** EIP-4361. */
  readonly message: string
  readonly signature: string
}

export interface SessionSettings {
  readonly chainId: number
  /** For how long a session lasts at most. */
  readonly sessionMs: number
  /** Origins of the venue's pages, as configured. */
  readonly origins: readonly string[]
  readonly rpc: Rpc
  readonly clock: Clock
}

/** A message that a session may be opened by, apart from its signature. */
export type SessionMessage = SiweMessage & { readonly issuedAt: Date; readonly expirationTime: Date }

/**
 * The wallet that signed a session's message: an account by its signature (EIP-191), a contract wallet by what it accepts
 * (ERC-1271). `isHere` says whether the request comes from this machine. That the nonce was not used before is not known yet. Throws `session_message_invalid`,
 * `session_signature_invalid`, `chain_not_answering`.
 */
export async function signedInWallet(
  settings: SessionSettings,
  request: SignedRequest,
  { message, signature }: SessionSignIn,
  isHere: boolean,
): Promise<{ wallet: Hex }> {
  const { address } = sessionMessage(settings, pagesOf(settings, request, isHere), message)
  const wallet = address.toLowerCase() as Hex
  const digest = hashMessage(message)
  const problem = formProblem(signature as Hex)
  const signer = problem === null ? await accountOf(digest, signature as Hex) : null
  if (signer === wallet || (await walletAccepts(settings.rpc, wallet, digest, signature as Hex))) return { wallet }
  const why = problem ?? `over it, it would be one of ${signer ?? 'nobody'}`
  const text = `the signature is not one of ${wallet} over the message: ${why}`
  throw new AppError(stockReasons.session_signature_invalid, text, { detail: { field: 'signature' } })
}

/** Reads and judges a message; it must be what its fields print, letter by letter, so that it reads in one way only. */
function sessionMessage(settings: SessionSettings, pages: readonly string[], message: string): SessionMessage {
  const fields = readMessage(message)
  if (fields === null) throw invalid(`it must be one of EIP-4361, as viem's createSiweMessage prints it`)
  const problem = problemOf(settings, pages, fields)
  if (problem !== null) throw invalid(problem)
  return fields
}

/** A message with every field that one must have; null for any other text. Its times need no second look. */
export function readMessage(message: string): SessionMessage | null {
  const fields = parseSiweMessage(message) as SiweMessage
  const { issuedAt, expirationTime } = fields
  if (!issuedAt || !expirationTime) return null
  try {
    return createSiweMessage(fields) === message ? { ...fields, issuedAt, expirationTime } : null
  } catch {
    return null
  }
}

/**
 * The origins that a message may name: those that the operator lists, and on the development chain, and where both the request and the
 * name of its host are of this machine, that of the host. Elsewhere whoever sends the request chooses its host and its origin: a site that
 * let a user sign a message for itself, or whoever has a text that was signed for a page on another machine, would open a session here
 * by it.
 *
 * @param isHere whether the request comes from this machine
 */
function pagesOf(
  { chainId, origins }: SessionSettings,
  { headers }: SignedRequest,
  isHere: boolean,
): readonly string[] {
  const { origin, host } = headers
  const isHostKnown = chainId === DEVELOPMENT_CHAIN || (isHere && isLoopbackHost(String(host)))
  // A page in a browser may name itself alone; the server has compared it with the host.
  if (typeof origin === 'string') return isHostKnown || origins.includes(origin) ? [origin] : []
  return isHostKnown ? [`http://${host}`, `https://${host}`, ...origins] : origins
}

function problemOf(settings: SessionSettings, pages: readonly string[], fields: SessionMessage): string | null {
  const { chainId, clock } = settings
  const { domain, uri, statement, issuedAt, expirationTime } = fields
  const nowMs = clock.nowMs()
  if (pages.length === 0) return UNLISTED
  const hosts = [...new Set(pages.map((page) => page.replace(/^https?:\/\//, '')))]
  if (!hosts.includes(domain)) return `domain must be ${hosts.join(' or ')}, got ${domain}`
  if (!pages.includes(uri)) return `URI must be ${pages.join(' or ')}, got ${uri}`
  if (fields.chainId !== chainId) return `Chain ID must be ${chainId}, which this venue serves, got ${fields.chainId}`
  if (statement !== SESSION_STATEMENT) return `the statement must be ${JSON.stringify(SESSION_STATEMENT)}`
  const more = (['scheme', 'notBefore', 'requestId', 'resources'] as const).find((name) => fields[name] !== undefined)
  if (more !== undefined) return `it must not have ${more}`
  if (fields.nonce.length > 96) return 'Nonce must have 8 to 96 letters and digits'
  if (Math.abs(nowMs - issuedAt.getTime()) > WINDOW_MS) {
    return `Issued At must be within 5 minutes of the venue's clock, which is ${new Date(nowMs).toISOString()}`
  }
  return expirationTime.getTime() > nowMs ? null : 'Expiration Time must lie in the future'
}

const UNLISTED =
  'the operator lists the origins of pages that open sessions in APP_ORIGINS, and this page is none of them'

const invalid = (why: string): AppError =>
  new AppError(stockReasons.session_message_invalid, `the message opens no session: ${why}`, {
    detail: { field: 'message' },
  })
