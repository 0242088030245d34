/** Why the follower stops for good; the data stays as it is, readable. */
export type HaltCause = 'wrong_chain' | 'reorg_too_deep' | 'module_failed'

/** The follower cannot go on without an operator. */
export class HaltError extends Error {
  override readonly name = 'HaltError'
  readonly haltCause: HaltCause

  constructor(haltCause: HaltCause, message: string, options?: ErrorOptions) {
    super(message, options)
    this.haltCause = haltCause
  }
}

/** A module failed on a block, by its own fault and not the database's. */
export class ModuleError extends Error {
  override readonly name = 'ModuleError'
  readonly blockHash: string

  constructor(moduleName: string, blockNumber: bigint, blockHash: string, cause: unknown) {
    super(`module ${moduleName} failed on block ${blockNumber}: ${messageOf(cause)}`, { cause })
    this.blockHash = blockHash
  }
}

/** The node contradicted itself between two answers: a reorganisation in between, or several nodes behind one address. */
export class InconsistentNodeError extends Error {
  override readonly name = 'InconsistentNodeError'
}

/** A module names a table that is missing or has no primary key. */
export class UndoTableError extends Error {
  override readonly name = 'UndoTableError'
}

/** Another process moved the checkpoint: this one is no longer the leader, or a commit went through unnoticed. */
export class StaleCheckpointError extends Error {
  override readonly name = 'StaleCheckpointError'
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
