/** A revert of the contracts: the custom error's name and its arguments in ABI order. */
export class Revert extends Error {
  readonly error: string
  readonly args: readonly (bigint | boolean | string)[]

  constructor(error: string, ...args: (bigint | boolean | string)[]) {
    super(args.length > 0 ? `${error}(${args.join(', ')})` : error)
    this.error = error
    this.args = args
  }
}

/** Reverts with `error` unless `condition` holds. */
export function require(condition: boolean, error: string, ...args: (bigint | boolean | string)[]): asserts condition {
  if (!condition) throw new Revert(error, ...args)
}
