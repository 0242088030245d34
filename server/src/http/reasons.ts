import { defineReasons } from '../lib/errors.ts'

/** Failures that the server itself finds, before or around a handler. */
export const httpReasons = defineReasons({
  request_invalid: {
    kind: 'invalid',
    retryable: false,
    doc: 'The path, query or body does not have the documented form. The message names the field and says what would be right. Unknown fields and repeated names are refused, never dropped.',
  },
  request_unreadable: {
    kind: 'invalid',
    retryable: false,
    doc: 'What was sent is no HTTP request that the server can read, so nothing of it was looked at: the HTTP status is 400, 408 when it did not arrive in time, 431 when its headers are too long. The connection is closed. While an earlier request of the connection is in work, it is closed without any answer.',
  },
  request_aborted: {
    kind: 'invalid',
    retryable: true,
    doc: 'The client closed the connection before its request had arrived whole. Nothing was done; the answer is for the log alone.',
  },
  body_too_large: {
    kind: 'invalid',
    retryable: false,
    doc: 'The body is longer than the server accepts. It was not read, so neither the signature nor the content was checked.',
  },
  idempotency_key_reused: {
    kind: 'key_reused',
    retryable: false,
    doc: 'The Idempotency-Key of this request was used before, by the same API key, for a request with another method, path or body. Nothing was done. Send the first request again unchanged to get its answer, or choose a new key.',
  },
  https_required: {
    kind: 'forbidden',
    retryable: false,
    doc: 'This API is served by HTTPS only, and the request came by plain HTTP from elsewhere than this machine. Use https. An operator sets TLS_CERT and TLS_KEY, or a proxy that is named in TRUSTED_PROXIES and says by X-Forwarded-Proto how the client came.',
  },
  origin_refused: {
    kind: 'forbidden',
    retryable: false,
    doc: 'A browser sent the request for a page of another site than the venue’s own, as its Origin header says. Sessions, keys by a wallet’s signature and WebSockets are for the venue’s own pages, and for programs, which send no Origin. An operator lists further origins in APP_ORIGINS.',
  },
  path_unknown: {
    kind: 'not_found',
    retryable: false,
    doc: 'No operation has this method and path. The answer is given only after the request has been authenticated.',
  },
  rate_limited: {
    kind: 'rate_limited',
    retryable: true,
    doc: 'The client address, or in an API that limits keys the API key, has sent more requests than one window allows. Wait for the seconds in Retry-After; every answer says in RateLimit-Remaining how many are left.',
  },
  upgrade_required: {
    kind: 'invalid',
    retryable: false,
    doc: 'The path is a WebSocket, and the request did not ask for one. Send it with Connection: Upgrade and Upgrade: websocket, as every WebSocket client does.',
  },
  too_many_connections: {
    kind: 'rate_limited',
    retryable: true,
    doc: 'The API key has as many WebSocket connections as one process of the venue gives it. Close one, or follow more channels on each.',
  },
  stopping: {
    kind: 'unavailable',
    retryable: true,
    doc: 'This process of the venue is stopping and takes no new WebSocket. Connect again.',
  },
  first_answer_unknown: {
    kind: 'conflict',
    retryable: false,
    doc: 'A request with the same signature came before, and it was cut off before its answer was kept: what it did may stand. It is not carried out again. Look at what it did, and sign a new request where it did nothing.',
  },
  signature_used: {
    kind: 'conflict',
    retryable: false,
    doc: 'A request with the same signature came before under another Idempotency-Key, or without one, so this one was meant as another. It was not carried out: equal requests need different timestamps. Sign it anew.',
  },
  internal_error: {
    kind: 'internal',
    retryable: true,
    doc: 'The venue failed in a way it did not foresee. The cause is in its log under the request id; a write may have happened, so look it up before sending it again.',
  },
})
