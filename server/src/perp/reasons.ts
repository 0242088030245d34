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
  perp_range_invalid: {
    kind: 'invalid',
    retryable: false,
    doc: 'The range of time ends before it begins.',
  },
  permission_missing: {
    kind: 'forbidden',
    retryable: false,
    doc: 'The API key is right, and does not have the permission trade, without which it may only read.',
  },
  chain_id_differs: {
    kind: 'invalid',
    retryable: false,
    doc: 'The chainId of the request is not the one that X-Chain-Id names. Leave it out, or send the same.',
  },
  perp_not_indexed: {
    kind: 'unavailable',
    retryable: true,
    doc: 'The venue has not indexed the chain yet. Try again when /readyz answers 200.',
  },
  perp_chain_unreachable: {
    kind: 'upstream',
    retryable: true,
    doc: 'The chain node does not answer, so what lives on chain cannot be given. No stale figure is shown instead.',
  },
})
