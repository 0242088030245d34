// What /status answers, as far as the page shows it.

export interface Status {
  readonly indexer: {
    readonly state: string
    readonly reason: string | null
    readonly headNumber: string
    readonly indexedNumber: string
    readonly finalNumber: string
    readonly lagBlocks: string
    readonly observedAt: string
    readonly silent: boolean
  } | null
  readonly relayer: {
    readonly signers: readonly {
      readonly address: string
      readonly purposes: readonly string[]
      readonly balanceWei: string | null
      readonly stoppedReason: string | null
      readonly inFlight: number
      readonly oldestPendingAgeMs: number | null
      readonly silent: boolean
    }[]
    readonly queues: readonly { readonly purpose: string; readonly queued: number; readonly oldestAgeMs: number }[]
  }
  readonly keeper: {
    readonly tasks: readonly {
      readonly task: string
      readonly rounds: number
      readonly failuresInARow: number
      readonly lastError: string | null
      readonly lastSuccessAt: string | null
    }[]
    readonly reconciliation?: Reconciliation | null
    readonly perpReconciliation?: Reconciliation | null
  }
}

/** The newest comparison of tables and chain. */
export interface Reconciliation {
  readonly blockNumber: string
  readonly readAt: string
  readonly ageSec: number
  readonly differences: number
  /** Differences that have not gone for several readings. */
  readonly lasting: number
  readonly inFlight: number
  readonly causes: readonly { readonly subject: string; readonly comparison: string; readonly cause: string }[]
}
