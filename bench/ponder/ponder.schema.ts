import { onchainTable } from 'ponder'

/** One row an event; its arguments are JSON. */
export const loggedEvent = onchainTable('logged_event', (t) => ({
  id: t.text().primaryKey(),
  block: t.bigint(),
  transactionHash: t.hex(),
  address: t.hex(),
  name: t.text(),
  argumentsJson: t.text(),
}))
