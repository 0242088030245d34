/**
 * The named points of a send at which a process may die. The relayer tells each as it passes; tests kill the process
 * there and prove that nothing is lost or repeated.
 *
 * - `locked`: the signer's lock is held, nothing read yet.
 * - `resend_counted`: a repeated broadcast is counted, the node has not seen it yet.
 * - `resent`: the node has the repeated bytes, its answer is not recorded.
 * - `receipts_read`: receipts are known, their intents still stand as before.
 * - `confirmed`: outcomes are committed.
 * - `selected`: queued intents are locked by the open transaction.
 * - `simulated`: the simulation is done, nothing is signed.
 * - `signed`: bytes are signed and not stored.
 * - `stored`: bytes are committed and not broadcast.
 * - `answered`: the node has the bytes, its answer is not recorded.
 * - `recorded`: the answer is committed.
 * - `bump_stored`: bytes with a higher fee are committed and not broadcast.
 */
export const SEND_STEPS = [
  'locked',
  'resend_counted',
  'resent',
  'receipts_read',
  'confirmed',
  'selected',
  'simulated',
  'signed',
  'stored',
  'answered',
  'recorded',
  'bump_stored',
] as const

export type SendStep = (typeof SEND_STEPS)[number]
