import type { PendingQuery, Row } from 'postgres'
import Type, { type Static } from 'typebox'
import type { Tx } from '../../db/pool.ts'

/** The query of a list that is read in pages, newest first. */
export const pageQuery = (largest: number) => ({
  page: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1_000_000_000, description: 'From 1, which is the default.' }),
  ),
  size: Type.Optional(Type.Integer({ minimum: 1, maximum: largest, description: `Rows a page; 50 by default.` })),
  startTime: Type.Optional(Type.Integer({ minimum: 0, description: 'Unix seconds; rows of this time or later.' })),
  endTime: Type.Optional(Type.Integer({ minimum: 0, description: 'Unix seconds; rows of this time or earlier.' })),
})

const query = Type.Object(pageQuery(1))
export type PageQuery = Static<typeof query>

const DEFAULT_SIZE = 50
const LAST_SECOND = Number.MAX_SAFE_INTEGER

/** `{list, totalCount}` (perp-api 1.2). */
export const pageSchema = <Item extends Parameters<typeof Type.Array>[0]>(item: Item) =>
  Type.Object({ list: Type.Array(item), totalCount: Type.Integer({ description: 'Rows of all pages together.' }) })

/** A list that is numbered without gaps (migration 131): its rows, its numbers and its times. */
export interface NumberedList {
  readonly table: string
  /** The column of the numbers. */
  readonly nth: string
  /** The column of the times, which never fall as the numbers rise. */
  readonly time: string
  /** The condition for its rows. */
  readonly rows: PendingQuery<Row[]>
}

/** Which numbers a page has, `from` to `to`, both included; none where `from` is greater. */
export interface PageBounds {
  readonly total: number
  readonly from: bigint
  readonly to: bigint
}

/** Finds a page by the list's indexes, at a cost that depends neither on its length nor on how deep the page is. */
export async function findPage(tx: Tx, list: NumberedList, asked: PageQuery): Promise<PageBounds> {
  const { page = 1, size = DEFAULT_SIZE, startTime = 0, endTime = LAST_SECOND } = asked
  const [table, nth, time] = [tx(list.table), tx(list.nth), tx(list.time)]
  const [row] = await tx<{ first: bigint | null; last: bigint | null }[]>`
    select
      (select ${nth} from ${table} where ${list.rows} and ${time} >= ${startTime} and ${nth} is not null
       order by ${time}, ${nth} limit 1) as first,
      (select ${nth} from ${table} where ${list.rows} and ${time} <= ${endTime} and ${nth} is not null
       order by ${time} desc, ${nth} desc limit 1) as last`
  const [first, last] = [row?.first ?? null, row?.last ?? null]
  if (first === null || last === null || first > last) return { total: 0, from: 1n, to: 0n }
  const to = last - BigInt(size) * BigInt(page - 1)
  const from = to - BigInt(size) + 1n
  return { total: Number(last - first) + 1, from: from < first ? first : from, to }
}
