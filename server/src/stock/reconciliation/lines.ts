import { type Line, type LineParts, line as lineOf } from '../../reconciliation/lines.ts'

/** The product whose readings these are. */
export const RECONCILED = 'stock'

/** The sections of the report with their headings, in its order. */
export const SECTIONS = {
  stock: 'Stocks',
  cash: 'Cash',
  orders: 'Orders',
  users: 'Users, a part of them at each reading',
}

/**
 * Why sides are not equal and yet nothing is wrong, in the order of an order's life:
 *
 * - `not_collected`: executed at the broker, not in the database yet.
 * - `split_rounding`: fractions that the broker cut off at a split.
 * - `split_at_broker`: a split is in effect and the broker has not changed its position yet.
 * - `moving`: the broker's figure changed while it was read.
 * - `unsettled`: executed, and not settled on chain yet.
 * - `hedge`: executed for an order that cannot take it any more; the venue's own (keeper/hedges.ts).
 * - `settler`: with the settle signer: nothing, since the exchange mints and burns for itself.
 * - `surplus`: held beyond what is owed: sent without a deposit, or the venue's own.
 * - `split_under_way`: a split is in effect and the chain is being told.
 * - `queued`: cash operations that wait for their settlement.
 * - `requested`, `answered`: orders that the broker is to get, or that it has got and answered for since.
 * - `ended`: orders that the broker has finished with and the database has not heard of yet.
 * - `not_taken`: open on chain and not given to the broker yet.
 * - `cancel_requested`: open on chain, and their users have asked for their end.
 * - `to_be_closed`: open on chain though the broker has finished with them: their end is being settled.
 */
type InFlightName =
  | 'not_collected'
  | 'split_rounding'
  | 'split_at_broker'
  | 'moving'
  | 'unsettled'
  | 'hedge'
  | 'settler'
  | 'surplus'
  | 'split_under_way'
  | 'queued'
  | 'requested'
  | 'answered'
  | 'ended'
  | 'not_taken'
  | 'cancel_requested'
  | 'to_be_closed'

/** Causes of differences; docs/operations.md says what to do about each. */
export type Cause =
  | 'foreign_position'
  | 'lost_execution'
  | 'lost_fill'
  | 'foreign_settlement'
  | 'foreign_mint'
  | 'foreign_burn'
  | 'missing_stock'
  | 'lost_position'
  | 'split_not_on_chain'
  | 'foreign_shares_per_token'
  | 'cash_books'
  | 'missing_cash'
  | 'lost_cash_operation'
  | 'buffer_books'
  | 'foreign_order'
  | 'lost_order'
  | 'order_books'
  | 'user_books'

/** In-flight amounts that stay as long as nobody does anything about them: nothing is on its way for their sake. */
const AT_REST = new Set<string>(['hedge', 'surplus', 'split_rounding'])

/** What the lines are of. */
export type Section = keyof typeof SECTIONS

type StockLineParts = Omit<LineParts, 'section' | 'cause' | 'inFlight'> & {
  readonly section: Section
  readonly cause: Cause
  readonly inFlight?: readonly (readonly [name: InFlightName, amount: bigint])[]
}

/** A line of these parts. */
export function line({ inFlight = [], ...parts }: StockLineParts): Line {
  return lineOf({
    ...parts,
    inFlight: inFlight.map(([name, amount]) => ({ name, amount, isAtRest: AT_REST.has(name) })),
  })
}

export const sum = (amounts: Iterable<bigint>): bigint => {
  let total = 0n
  for (const amount of amounts) total += amount
  return total
}
