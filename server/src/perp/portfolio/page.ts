import type { PendingQuery, Row } from 'postgres'
import Type, { type Static } from 'typebox'
import type { Tx } from '../../db/pool.ts'
import { requireTimeRange, timeSchema } from '../schemas.ts'

/** The query of a list that is read in pages, newest first. */
export const pageQuery = (largest: number) => ({
  page: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1_000_000_000, description: 'From 1, which is the default.' }),
  ),
  size: Type.Optional(Type.Integer({ minimum: 1, maximum: largest, description: `Rows a page; 50 by default.` })),
  startTime: Type.Optional(timeSchema('Rows of this time or later')),
  endTime: Type.Optional(timeSchema('Rows of this time or earlier')),
})

const query = Type.Object(pageQuery(1))
export type PageQuery = Static<typeof query>

/** Refuses what no page can be of. Throws `perp_range_invalid`. */
export const checkPage = ({ startTime, endTime }: PageQuery): void =>
  requireTimeRange([startTime, endTime], ['startTime', 'endTime'])

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

export interface Page<Item> {
  readonly list: readonly Item[]
  readonly totalCount: number
}

/** The rows of a page, newest first, at a cost that depends neither on the list's length nor on how deep the page is. */
export async function readPage<Item extends object>(
  tx: Tx,
  list: NumberedList,
  columns: PendingQuery<Row[]>,
  asked: PageQuery,
): Promise<Page<Item>> {
  const { first, last } = await endsOf(tx, list, asked)
  const [size, offset] = extentOf(asked)
  const to = last - offset
  const from = to - size + 1n
  const rows = await tx<Item[]>`
    select ${columns} from (${numbersBetween(tx, list, from < first ? first : from, to)}) r
    order by ${tx(list.nth)} desc`
  return { list: rows, totalCount: Number(last - first + 1n) }
}

/**
 * The same of several lists of one table as if they were one, in the order of the column `order`. Of each as many rows are read as lie
 * before the page's end, if it has them.
 */
export async function readPageAcross<Item extends object>(
  tx: Tx,
  lists: readonly NumberedList[],
  order: string,
  columns: PendingQuery<Row[]>,
  asked: PageQuery,
): Promise<Page<Item>> {
  const ends = await Promise.all(lists.map((list) => endsOf(tx, list, asked)))
  const total = ends.reduce((sum, { first, last }) => sum + last - first + 1n, 0n)
  const [size, offset] = extentOf(asked)
  if (offset >= total) return { list: [], totalCount: Number(total) }
  const parts = lists.map((list, nth) => {
    const { first, last } = ends[nth] as Ends
    const from = last - offset - size + 1n
    return tx`(${numbersBetween(tx, list, from < first ? first : from, last)})`
  })
  const rows = await tx<Item[]>`
    select ${columns} from (${parts.reduce((all, part) => tx`${all} union all ${part}`)}) r
    order by ${tx(order)} desc limit ${size} offset ${offset}`
  return { list: rows, totalCount: Number(total) }
}

/** How many rows a page has at most, and how many lie before it. */
const extentOf = ({ page = 1, size = DEFAULT_SIZE }: PageQuery): readonly [size: bigint, offset: bigint] => [
  BigInt(size),
  BigInt(size) * BigInt(page - 1),
]

const numbersBetween = (tx: Tx, { table, nth, rows }: NumberedList, from: bigint, to: bigint): PendingQuery<Row[]> =>
  tx`select * from ${tx(table)} where ${rows} and ${tx(nth)} between ${from} and ${to}`

/** The first and the last number of a time, both included; `first` is one more where there is none. */
interface Ends {
  readonly first: bigint
  readonly last: bigint
}

async function endsOf(tx: Tx, list: NumberedList, { startTime = 0, endTime = LAST_SECOND }: PageQuery): Promise<Ends> {
  const [table, nth, time] = [tx(list.table), tx(list.nth), tx(list.time)]
  const [row] = await tx<{ first: bigint | null; last: bigint | null }[]>`
    select
      (select ${nth} from ${table} where ${list.rows} and ${time} >= ${startTime} and ${nth} is not null
       order by ${time}, ${nth} limit 1) as first,
      (select ${nth} from ${table} where ${list.rows} and ${time} <= ${endTime} and ${nth} is not null
       order by ${time} desc, ${nth} desc limit 1) as last`
  const [first, last] = [row?.first ?? null, row?.last ?? null]
  return first === null || last === null || first > last ? { first: 1n, last: 0n } : { first, last }
}
