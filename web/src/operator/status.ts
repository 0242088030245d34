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
  } | null
  readonly relayer: {
    readonly signers: readonly {
      readonly address: string
      readonly purposes: readonly string[]
      readonly balanceWei: string | null
      readonly stoppedReason: string | null
      readonly inFlight: number
      readonly oldestPendingAgeMs: number | null
      readonly seenAgeMs: number
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
    readonly reconciliation?: unknown
    readonly perpReconciliation?: unknown
  }
}

/** Flat facts of what a product says of itself: `{a: {b: 1}}` is `a.b: 1`; lists by their length. */
export function factsOf(value: unknown, name = ''): readonly (readonly [string, string])[] {
  if (value === null || value === undefined) return []
  if (Array.isArray(value)) return [[name, String(value.length)]]
  if (typeof value !== 'object') return [[name, String(value)]]
  return Object.entries(value).flatMap(([key, inner]) => factsOf(inner, name === '' ? key : `${name}.${key}`))
}
