import type { ComponentChildren } from 'preact'
import { common } from '../strings.ts'

export interface Column<Row> {
  readonly key: string
  /** Empty over the buttons of a row, which then have a name for screen readers alone. */
  readonly title: ComponentChildren
  /** Numbers stand to the right. */
  readonly number?: boolean
  readonly cell: (row: Row) => ComponentChildren
}

export interface TableProps<Row> {
  /** What the table lists, for screen readers. */
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly rowKey: (row: Row) => string
  readonly empty: ComponentChildren
}

export function Table<Row>({ caption, columns, rows, rowKey, empty }: TableProps<Row>) {
  if (rows.length === 0) return <div class="empty">{empty}</div>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard
    <section class="table-box" aria-label={caption} tabIndex={0}>
      <table class="table">
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ key, title, number }) => (
              <th key={key} scope="col" class={number ? 'number' : ''}>
                {title === '' ? <span class="visually-hidden">{common.actions}</span> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)}>
              {columns.map(({ key, number, cell }) => (
                <td key={key} class={number ? 'number' : ''}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
