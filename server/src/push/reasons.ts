import { defineReasons } from '../lib/errors.ts'

/** What can go wrong when clients follow channels, and when an operator sets up webhooks. */
export const pushReasons = defineReasons({
  channel_unknown: {
    kind: 'not_found',
    retryable: false,
    doc: 'The stream has no channel of this name. The message lists the channels that there are.',
  },
  channel_private: {
    kind: 'forbidden',
    retryable: false,
    doc: 'The channel is private, and nobody signed the connection: open one with the headers of an API key.',
  },
  webhook_invalid: {
    kind: 'invalid',
    retryable: false,
    doc: 'A value given for a webhook does not have the right form, or its address may not be delivered to; the message says which.',
  },
  webhook_unknown: {
    kind: 'not_found',
    retryable: false,
    doc: 'No webhook has this id.',
  },
  streams_command_invalid: {
    kind: 'invalid',
    retryable: false,
    doc: 'The command line `bourse streams` was used wrongly; the message says how it is meant.',
  },
})
