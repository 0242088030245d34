import { defineReasons } from '../lib/errors.ts'

export const authReasons = defineReasons({
  unauthenticated: {
    kind: 'unauthenticated',
    retryable: false,
    doc: 'The request could not be authenticated. For safety the answer is the same for every cause: key unknown, inactive or expired; address not on the whitelist; timestamp outside the window; nonce used before; scope, chain or product not matching; signature not matching the bytes received.',
  },
  authentication_unavailable: {
    kind: 'unavailable',
    retryable: true,
    doc: 'The venue could not check the request, because its database or nonce store does not answer, or because the nonce store has lost its memory since the request was signed, or since a write with a later timestamp was let in. Nothing was done. Send the request again later, signed anew.',
  },
  key_input_invalid: {
    kind: 'invalid',
    retryable: false,
    doc: 'A value given for an API key does not have the right form; the message names it.',
  },
  key_unknown: {
    kind: 'not_found',
    retryable: false,
    doc: 'No API key has this id.',
  },
  key_ended: {
    kind: 'conflict',
    retryable: false,
    doc: 'The API key is disabled or has expired, which is for good, so it gets no new secret. Make a new key.',
  },
  key_not_bound: {
    kind: 'forbidden',
    retryable: false,
    doc: 'The operation acts for the wallet that the API key is bound to, and this key is bound to none. Ask the operator for a bound key, or where the API lets wallets make keys, make one.',
  },
  session_unknown: {
    kind: 'not_found',
    retryable: false,
    doc: 'The wallet has no open session with this key: it has ended, it is of another wallet, or the key is no session. Keys that an operator made are ended by the operator.',
  },
  wallet_nonce_used: {
    kind: 'conflict',
    retryable: false,
    doc: 'This wallet has made an API key with this nonce before, and a signed message makes one key only. Choose another nonce, such as a random UUID, sign anew, and send that. A key whose secret was lost is deleted by another key of the wallet.',
  },
  wallet_keys_exhausted: {
    kind: 'conflict',
    retryable: false,
    doc: 'The wallet has as many API keys as one may have. Delete one that is not used any more.',
  },
  user_not_bound: {
    kind: 'forbidden',
    retryable: false,
    doc: 'The request names another wallet than the one this API key is bound to.',
  },
})
