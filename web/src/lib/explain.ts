import { failureWords, walletWords } from '../strings.ts'

/** EIP-1193: the user has said no. */
const USER_REJECTED = 4001

/** What was sent, and the chain may still have or not have. */
export class NotConfirmed extends Error {
  override readonly name = 'NotConfirmed'

  /** `hash` is of what a wallet has sent. */
  constructor(hash?: string) {
    super(hash === undefined ? failureWords.notConfirmed : failureWords.notMinedAs(hash))
  }
}

/** The real reason of a failure, in words for whoever reads the screen. */
export function explain(error: unknown): string {
  if (isRejection(error)) return walletWords.rejected
  const refusal = causeOf(error, ({ name }) => name === 'Refusal')
  if (refusal) return messageOf(refusal)
  const name = error instanceof Error ? error.name : ''
  if (name === 'UnknownOutcome' || name === 'SendUnconfirmed') return failureWords.unknownOutcome
  // viem waits for three minutes, and what the venue built can be mined for ten.
  if (name === 'WaitForTransactionReceiptTimeoutError') return failureWords.notMined
  if (name === 'ConnectionFailed' || (name === 'TypeError' && /fetch/i.test(messageOf(error)))) {
    return failureWords.offline
  }
  return messageOf(error) || failureWords.unknown
}

const OPEN_NAMES: readonly string[] = [
  'UnknownOutcome',
  'SendUnconfirmed',
  'NotConfirmed',
  'WaitForTransactionReceiptTimeoutError',
]

/** Whether what failed may have been done all the same, or still be. */
export const mayBeDone = (error: unknown): boolean => error instanceof Error && OPEN_NAMES.includes(error.name)

/** Whether the user rejected it in the wallet: viem wraps the wallet's error, several times even. */
export const isRejection = (error: unknown): boolean =>
  causeOf(error, ({ code, name }) => code === USER_REJECTED || name === 'UserRejectedRequestError') !== null

/** Whether the node said before anything was signed that what was to be sent would fail. */
export const isRevertOfEstimate = (error: unknown): boolean =>
  causeOf(error, ({ name }) => name === 'EstimateGasExecutionError') !== null

/**
 * The first four bytes of what a node says that a transaction would revert with, which tell the contract's error; null where it does not
 * say. Wallets hand on the node's `data`, at one depth or another, or its words alone.
 */
export function revertSelector(error: unknown): string | null {
  let selector: string | null = null
  causeOf(error, ({ data, message }) => {
    const found =
      /"(0x[0-9a-f]{8})/i.exec(JSON.stringify(data ?? null)) ?? /custom error (0x[0-9a-f]{8})/i.exec(String(message))
    selector = found?.[1]?.toLowerCase() ?? null
    return selector !== null
  })
  return selector
}

interface Cause {
  readonly code?: unknown
  readonly name?: unknown
  readonly data?: unknown
  readonly message?: unknown
  readonly cause?: unknown
}

/** The first of an error and its causes that is so: viem wraps what a wallet, or the guard before it, has thrown. */
function causeOf(error: unknown, isSo: (cause: Cause) => boolean): Cause | null {
  for (let cause = error; cause instanceof Object; cause = (cause as Cause).cause) {
    if (isSo(cause as Cause)) return cause as Cause
  }
  return null
}

function messageOf(error: unknown): string {
  if (!(error instanceof Object)) return String(error ?? '')
  // viem's long message lists the whole request; its short one is the reason.
  const { details, shortMessage, message } = error as { details?: string; shortMessage?: string; message?: string }
  if (shortMessage) return details && !shortMessage.includes(details) ? `${shortMessage} ${details}` : shortMessage
  return message ?? ''
}
