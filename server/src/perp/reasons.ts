import { defineReasons } from '../lib/errors.ts'

/** What can go wrong in the perpetual product, beyond the reasons of the modules it uses. */
export const perpReasons = defineReasons({
  instrument_unknown: {
    kind: 'invalid',
    retryable: false,
    doc: 'No instrument of this venue has this symbol. GET /v4/public/trader/market/instruments lists them, such as BTC/USDC.',
  },
  pair_unknown: {
    kind: 'invalid',
    retryable: false,
    doc: 'The instrument has no pair of this expiry. Leave expiry out, or send 4294967295, for the perpetual.',
  },
  permission_missing: {
    kind: 'forbidden',
    retryable: false,
    doc: 'The API key is right, and does not have the permission trade, without which it may only read.',
  },
  chain_id_differs: {
    kind: 'invalid',
    retryable: false,
    doc: 'The chain that the request names is not the one that the venue serves, which X-Chain-Id names too. Send the same, or leave it out where that is allowed.',
  },
  wallet_signature_invalid: {
    kind: 'invalid',
    retryable: false,
    doc: 'The signature is not one of the wallet over the text that makes an API key. The message of the failure shows the text, line by line: the wallet signs exactly this one as a personal message (EIP-191), a contract wallet what it accepts by ERC-1271.',
  },
  wallet_timestamp_outside_window: {
    kind: 'invalid',
    retryable: false,
    doc: 'The timestamp of the signed text is more than five minutes away from the venue’s clock. It is Unix milliseconds; GET /v4/public/trader/market/serverTime tells the time. Sign anew.',
  },
  perp_chain_unreachable: {
    kind: 'upstream',
    retryable: true,
    doc: 'The chain node does not answer, so what lives on chain cannot be given. No stale figure is shown instead.',
  },
})
