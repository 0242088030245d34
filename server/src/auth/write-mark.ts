import type { Sql } from '../db/pool.ts'

/** The mark is set this far beyond the timestamp that needs it: a busy venue sets it once a second. */
export const STRIDE_MS = 1000

/**
 * The mark that writes stay below: every signed write that was let in has a timestamp below it. It outlives whatever remembers
 * the nonces. Once these are lost, writes below the mark of that moment are refused, so that none is let in twice, whatever the clocks of
 * clients, processes and Redis say.
 */
export interface WriteMark {
  /** At once where the mark lies above the timestamp already, else when it has been stored above it. */
  cover(timestampMs: number): undefined | Promise<void>
  /** The mark as stored, by whichever process, and not below what this one has stored. */
  read(): Promise<number>
}

/** The mark of all processes of a database. */
export function storedWriteMark(sql: Sql): WriteMark {
  /** What is known to be stored; another process may have set it higher. */
  let belowMs = Number.NEGATIVE_INFINITY
  let raising: Promise<void> | null = null

  async function raise(toMs: number): Promise<void> {
    const [row] = await sql<{ belowMs: bigint }[]>`
      update write_mark set below_ms = greatest(below_ms, ${String(toMs)}::bigint) returning below_ms as "belowMs"`
    belowMs = markOf(row)
  }

  /** All that wait meanwhile wait for one statement. */
  async function raiseAbove(timestampMs: number): Promise<void> {
    while (timestampMs >= belowMs) {
      raising ??= raise(timestampMs + STRIDE_MS).finally(() => {
        raising = null
      })
      await raising
    }
  }

  return {
    cover: (timestampMs) => (timestampMs < belowMs ? undefined : raiseAbove(timestampMs)),
    async read() {
      const [row] = await sql<{ belowMs: bigint }[]>`select below_ms as "belowMs" from write_mark`
      const storedMs = markOf(row)
      if (storedMs >= belowMs) return storedMs
      // A database that took over has lost the newest mark.
      await raise(belowMs)
      return belowMs
    },
  }
}

function markOf(row: { readonly belowMs: bigint } | undefined): number {
  if (!row) throw new Error('write_mark has no row')
  return Number(row.belowMs)
}
