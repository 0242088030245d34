import { defineReasons } from '../lib/errors.ts'

export const marketReasons = defineReasons({
  recorded_file_invalid: {
    kind: 'invalid',
    retryable: false,
    doc: 'A file of recorded bars cannot be loaded: the message names the file and each bad line with what is wrong. Nothing of it was stored. Correct the file and start again.',
  },
  recorded_symbol_unknown: {
    kind: 'invalid',
    retryable: false,
    doc: 'Recorded bars are configured for a symbol that is not in the table of instruments. Add the instrument or remove the file.',
  },
  corporate_actions_file_invalid: {
    kind: 'invalid',
    retryable: false,
    doc: 'The file of corporate actions cannot be loaded: the message names the file and each bad line with what is wrong. Nothing of it was stored. Correct the file and start again.',
  },
  client_order_id_reused: {
    kind: 'conflict',
    retryable: false,
    doc: 'A client order id names one broker order for ever, and it was used before for an order with other terms. Use a fresh id.',
  },
  client_order_id_invalid: {
    kind: 'invalid',
    retryable: false,
    doc: 'A client order id has 1 to 128 characters.',
  },
  broker_answer_invalid: {
    kind: 'upstream',
    retryable: false,
    doc: 'The broker answered something that contradicts what was sent, such as another order under the same client order id. Compare the books before going on.',
  },
  broker_unavailable: {
    kind: 'unavailable',
    retryable: true,
    doc: 'The broker or its market data cannot be asked at the moment: no answer, a rate limit, a refused key, or a stream that is being connected. What was asked for is asked for again.',
  },
  market_origin_changed: {
    kind: 'conflict',
    retryable: false,
    doc: 'A database belongs to one market for ever: to the simulator, or to one account at a broker. Its orders and holdings are not in the books of another. Give the venue a database of its own, or the account that it had.',
  },
  broker_reference_differs: {
    kind: 'conflict',
    retryable: false,
    doc: 'What the broker says of its calendar, of a configured symbol or of a split contradicts what the venue works with; the message says what. The venue goes on with its own until an operator has decided.',
  },
  split_invalid: {
    kind: 'invalid',
    retryable: false,
    doc: 'A split cannot be applied as it was given: the message says what is wrong and what would be right. Nothing was recorded.',
  },
  execution_not_open: {
    kind: 'conflict',
    retryable: false,
    doc: 'A settlement names an execution that does not exist or is already part of another settlement.',
  },
})
