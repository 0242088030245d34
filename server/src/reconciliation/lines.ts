// What a reading says, line by line: one comparison of one subject, and whether its sides agree.

/** Why sides are not equal and yet nothing is wrong: an amount with a name. */
export interface InFlight {
  readonly name: string
  readonly amount: bigint
  /** It stays as long as nobody does anything about it: nothing is on its way for its sake. */
  readonly isAtRest: boolean
}

/** One comparison. Amounts are integers with `decimals` of `unit`; null where a side has no word on it. */
export interface Line {
  /** One of the product's sections. */
  readonly section: string
  readonly subject: string
  readonly comparison: string
  readonly unit: string
  readonly decimals: number
  readonly broker: bigint | null
  readonly database: bigint | null
  readonly chain: bigint | null
  readonly inFlight: readonly InFlight[]
  /** The unexplained remainder; 0 when all is well. */
  readonly difference: bigint
  /** What the difference is; null when it is 0. */
  readonly cause: string | null
  /** Ids and addresses it is about, the first few. */
  readonly details: readonly string[]
}

const MAX_DETAILS = 10

export type LineParts = Pick<Line, 'section' | 'subject' | 'comparison' | 'unit' | 'decimals'> & {
  readonly broker?: bigint
  readonly database?: bigint
  readonly chain?: bigint
  readonly inFlight?: readonly InFlight[]
  readonly difference: bigint
  /** What a difference would be. */
  readonly cause: string
  readonly details?: readonly string[]
}

/** A line of these parts; its cause stands only where there is a difference, and amounts of 0 are left out. */
export function line({ inFlight = [], difference, cause, details = [], ...parts }: LineParts): Line {
  return {
    section: parts.section,
    subject: parts.subject,
    comparison: parts.comparison,
    unit: parts.unit,
    decimals: parts.decimals,
    broker: parts.broker ?? null,
    database: parts.database ?? null,
    chain: parts.chain ?? null,
    inFlight: inFlight.filter(({ amount }) => amount !== 0n),
    difference,
    cause: difference === 0n ? null : cause,
    details: difference === 0n ? [] : details.slice(0, MAX_DETAILS),
  }
}

/** True while something is on its way to make the sides of a line equal. */
export const isMoving = ({ inFlight }: Pick<Line, 'inFlight'>): boolean => inFlight.some(({ isAtRest }) => !isAtRest)
