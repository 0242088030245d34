import { failureWords } from '../strings.ts'

export interface PageOf<Row> {
  readonly rows: readonly Row[]
  /** Of all pages together. */
  readonly total: number
}

/** A page, from 1; only of rows of this time or earlier, Unix seconds. */
type Ask<Row> = (page: number, time: { readonly endTime?: number }) => Promise<PageOf<Row>>

const MOST_TRIES = 5

/**
 * Every row of a list that comes in pages, newest first. What comes in meanwhile, or is taken back, moves rows from page to page, to be
 * read twice or not at all: of a list that tells its rows' times what is newer is left out, and one whose length changed is read again.
 */
export async function allRows<Row>(ask: Ask<Row>, timeOf?: (row: Row) => number): Promise<readonly Row[]> {
  for (let nth = 0; nth < MOST_TRIES; nth++) {
    const newest = timeOf && (await ask(1, {})).rows[0]
    const rows = await readThrough(ask, timeOf && newest ? { endTime: timeOf(newest) } : {})
    if (rows) return rows
  }
  throw new Error(failureWords.listChanges)
}

/** Null where the list changed meanwhile. */
async function readThrough<Row>(ask: Ask<Row>, time: { readonly endTime?: number }): Promise<readonly Row[] | null> {
  const first = await ask(1, time)
  const rows = [...first.rows]
  for (let page = 2; rows.length < first.total; page += 1) {
    const next = await ask(page, time)
    if (next.total !== first.total || next.rows.length === 0) return null
    rows.push(...next.rows)
  }
  return rows.length === first.total ? rows : null
}
