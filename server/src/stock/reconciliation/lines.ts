// What a reading says, line by line: one comparison of one subject, and whether its sides agree.

export type Section = 'stock' | 'cash' | 'orders' | 'users'

/**
 * Why sides are not equal and yet nothing is wrong: amounts on their way. Names, in the order of an order's life:
 *
 * - `not_collected`: executed at the broker, not in the database yet.
 * - `split_rounding`: fractions that the broker cut off at a split.
 * - `moving`: the broker's figure changed while it was read.
 * - `unsettled`: executed, and not settled on chain yet.
 * - `hedge`: executed for an order that cannot take it any more; the venue's own (keeper/hedges.ts).
 * - `settler`: with the settle signer: minted for a settlement, or left by one and to be burned.
 * - `surplus`: held beyond what is owed: sent without a deposit, or the venue's own.
 * - `split_under_way`: a split is in effect and the chain is being told.
 * - `queued`: cash operations that wait for their settlement.
 * - `requested`, `answered`: orders that the broker is to get, or that it has got and answered for since.
 * - `ended`: orders that the broker has finished with and the database has not heard of yet.
 * - `not_taken`: open on chain and not given to the broker yet.
 * - `cancel_requested`: open on chain, and their users have asked for their end.
 * - `to_be_closed`: open on chain though the broker has finished with them: their end is being settled.
 */
export interface InFlight {
  readonly name: string
  readonly amount: bigint
}

/** What a difference is. docs/operations.md says of each what to do. */
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

/** One comparison. Amounts are integers with `decimals` of `unit`; null where a side has no word on it. */
export interface Line {
  readonly section: Section
  readonly subject: string
  readonly comparison: string
  readonly unit: string
  readonly decimals: number
  readonly broker: bigint | null
  readonly database: bigint | null
  readonly chain: bigint | null
  readonly inFlight: readonly InFlight[]
  /** What nothing explains; 0 when all is well. */
  readonly difference: bigint
  /** What the difference is; null when it is 0. */
  readonly cause: Cause | null
  /** Ids and addresses it is about, the first few. */
  readonly details: readonly string[]
}

/** In-flight amounts that stay as long as nobody does anything about them: nothing is on its way for their sake. */
const AT_REST = new Set(['hedge', 'surplus', 'split_rounding'])
const MAX_DETAILS = 10

type LineParts = Pick<Line, 'section' | 'subject' | 'comparison' | 'unit' | 'decimals'> & {
  readonly broker?: bigint
  readonly database?: bigint
  readonly chain?: bigint
  readonly inFlight?: readonly (readonly [name: string, amount: bigint])[]
  readonly difference: bigint
  readonly cause: Cause
  readonly details?: readonly string[]
}

/** A line of these parts; its cause stands only where there is a difference. */
export function line({ inFlight = [], difference, cause, details = [], ...parts }: LineParts): Line {
  return {
    ...{ section: parts.section, subject: parts.subject, comparison: parts.comparison },
    ...{ unit: parts.unit, decimals: parts.decimals },
    ...{ broker: parts.broker ?? null, database: parts.database ?? null, chain: parts.chain ?? null },
    inFlight: inFlight.filter(([, amount]) => amount !== 0n).map(([name, amount]) => ({ name, amount })),
    difference,
    cause: difference === 0n ? null : cause,
    details: difference === 0n ? [] : details.slice(0, MAX_DETAILS),
  }
}

/** True while something is on its way to make the sides of a line equal. */
export const isMoving = ({ inFlight }: Pick<Line, 'inFlight'>): boolean =>
  inFlight.some(({ name }) => !AT_REST.has(name))

export const sum = (amounts: Iterable<bigint>): bigint => {
  let total = 0n
  for (const amount of amounts) total += amount
  return total
}
