import { defineReasons } from '../lib/errors.ts'

/** What can go wrong with One Click, whatever the product. */
export const delegationReasons = defineReasons({
  one_click_unavailable: {
    kind: 'unavailable',
    retryable: true,
    doc: 'This venue has no One Click contracts on the chain, or no relayer that submits for users has run yet. The operator has to provide them; transactions can be sent by the wallet itself meanwhile.',
  },
  delegation_not_enabled: {
    kind: 'conflict',
    retryable: false,
    doc: 'The bound user has not delegated to this venue, or the delegation has ended or was taken back. Enable One Click first: prepare, sign the signPayload, enable.',
  },
  delegation_deadline_expired: {
    kind: 'invalid',
    retryable: false,
    doc: 'The deadline of the delegation is not in the future of the chain, or does not fit 32 bits. Prepare and sign again with a future Unix time in seconds.',
  },
  delegation_signature_invalid: {
    kind: 'invalid',
    retryable: false,
    doc: 'The signature is not one of the bound user over the prepared payload with this deadline and the current nonce. Sign the signPayload that prepare answers, unchanged, with the wallet in its message.user, and send the same deadline.',
  },
  allowance_too_low: {
    kind: 'conflict',
    retryable: false,
    doc: 'The deposit takes tokens from the wallet of the bound user, who has not approved the spender that the message names for as many. Nothing was stored or sent. The user approves it with the own wallet (ERC-20 approve); One Click cannot do that.',
  },
  would_revert: {
    kind: 'conflict',
    retryable: false,
    doc: 'The transaction was run against the chain before it was stored, and reverts. Nothing was stored or sent. The message and the detail name the revert.',
  },
  gas_limit_too_low: {
    kind: 'invalid',
    retryable: false,
    doc: 'The transaction runs out of gas within the gasLimit of the request. Send a higher one, or none: then the venue estimates it.',
  },
  out_of_gas: {
    kind: 'conflict',
    retryable: true,
    doc: 'The transaction was mined and ran out of gas, so it has changed nothing: what it does has come to cost more since the venue estimated it. Do it again, under a new Idempotency-Key. Of a send the record says it: its failure is “the transaction ran out of gas”, and a higher gasLimit than before, or none, is right.',
  },
  gas_budget_exhausted: {
    kind: 'conflict',
    retryable: true,
    doc: 'The sends for this wallet, by all its API keys together, have used, or may still use, the gas that the venue pays for a wallet within 24 hours. Wait, or send transactions by the wallet itself.',
  },
  sends_overloaded: {
    kind: 'unavailable',
    retryable: true,
    doc: 'More One Click sends arrive than the venue can check and store in time, and this one was turned away before anything was done for it. Send it again, with the same Idempotency-Key, after the seconds in Retry-After and later each time.',
  },
  send_abandoned: {
    kind: 'unavailable',
    retryable: true,
    doc: 'The connection was closed before the send was stored, so nothing was stored or sent. Operators meet it in the log and the metrics; the caller has gone.',
  },
  chain_not_answering: {
    kind: 'upstream',
    retryable: true,
    doc: 'The chain node does not answer, so neither the delegation, the transaction nor the signature of a contract wallet could be checked. Nothing was stored or sent.',
  },
})
