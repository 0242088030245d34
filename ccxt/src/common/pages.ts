import type { Params, Raw } from '../venue.ts'

/** A list that the venue gives in pages, newest first. */
export interface PagedList {
  /** Asks for a page, which `at` names: `page`, and `endTime` in Unix seconds. */
  readonly ask: (at: Params) => Promise<readonly Raw[]>
  /** Rows of a page that is not the last one. */
  readonly size: number
  /** What tells rows apart. */
  readonly keyOf: (row: Raw) => string
  /** The Unix second by which the venue has put a row in its place. */
  readonly secondOf: (row: Raw) => number
}

/**
 * Every row of a list up to `endTime` (Unix seconds), each once and as it was read last. It goes on by time: a row that leaves the list
 * between two questions moves the older ones forward, and the next page would begin behind some that nobody has read.
 */
export async function everyRow({ ask, size, keyOf, secondOf }: PagedList, endTime?: number): Promise<Raw[]> {
  const rows = new Map<string, Raw>()
  let [page, end] = [1, endTime]
  for (;;) {
    const read = await ask(end === undefined ? { page } : { page, endTime: end })
    for (const row of read) rows.set(keyOf(row), row)
    const last = read.at(-1)
    if (last === undefined || read.length < size) return [...rows.values()]
    const oldest = secondOf(last)
    // A second may have more rows than a page.
    ;[page, end] = [oldest === end ? page + 1 : 1, oldest]
  }
}
