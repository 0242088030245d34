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

/** Which rows of a list are read. */
export interface Wanted {
  /** None that is later, Unix seconds. */
  readonly endTime?: number | undefined
  /** All unless given. */
  readonly fits?: ((row: Raw) => boolean) | undefined
  /** As many at least, where there are: all unless given. */
  readonly count?: number | undefined
}

/**
 * The newest rows of a list that fit, each once and as it was read last. It goes on by time: a row that leaves the list between two
 * questions moves the older ones forward, and the next page would begin behind some that nobody has read.
 */
export async function rowsOf({ ask, size, keyOf, secondOf }: PagedList, wanted: Wanted = {}): Promise<Raw[]> {
  const { endTime, fits = () => true, count = Number.POSITIVE_INFINITY } = wanted
  const rows = new Map<string, Raw>()
  let [page, end] = [1, endTime]
  for (;;) {
    const read = await ask(end === undefined ? { page } : { page, endTime: end })
    for (const row of read) rows.set(keyOf(row), row)
    const fitting = [...rows.values()].filter(fits)
    const last = read.at(-1)
    if (last === undefined || read.length < size || fitting.length >= count) return fitting
    const oldest = secondOf(last)
    // A second may have more rows than a page.
    ;[page, end] = [oldest === end ? page + 1 : 1, oldest]
  }
}

/** What a bot asks of a list: Unix milliseconds from which, and how many at most. */
export interface Asked {
  readonly since: number | undefined
  readonly limit: number | undefined
  /** Unix milliseconds from which on the venue may not know all yet: with `since` these are left to the next call. */
  readonly before?: number
}

/** Of records in the order of a time of theirs the newest; with `since`, before which there are none, the oldest. */
export function within<One>(all: readonly One[], { since, limit, before }: Asked, time = 'timestamp'): One[] {
  const timeOf = (one: One) => Number((one as Raw)[time])
  const isKnown = (one: One) => since === undefined || before === undefined || timeOf(one) < before
  const records = all.filter(isKnown)
  if (limit === undefined || records.length <= limit) return records
  return since === undefined ? records.slice(-limit) : wholeSeconds(records, { since, limit }, timeOf)
}

/**
 * The first records in whole seconds, which times are of: whether a loop goes on from the last one's second or from the next, it finds the
 * rest. One from the last one's has been told its second already, so that one later second comes, however many both have.
 */
function wholeSeconds<One>(
  records: readonly One[],
  { since, limit }: { readonly since: number; readonly limit: number },
  timeOf: (one: One) => number,
): One[] {
  const cut = timeOf(records[limit] as One)
  const later = records.find((one) => timeOf(one) > since)
  const least = later === undefined ? cut : timeOf(later)
  return records.filter((one) => timeOf(one) < cut || timeOf(one) <= least)
}
