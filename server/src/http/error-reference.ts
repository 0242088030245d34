import type { Reason } from '../lib/errors.ts'
import { type Html, html, page } from './html.ts'
import type { ProductReference, ReasonTable } from './reference.ts'

/** A product's failures as clients receive them. */
type Wire = Pick<ProductReference, 'title' | 'failures' | 'ownFailures'>

/** A reason with the table it stands in. */
export interface ListedReason extends Reason {
  readonly table: ReasonTable
}

/** Every reason by name. Throws when two have the same, since the name is all that a client sees. */
export function reasonsByName(tables: readonly ReasonTable[]): ReadonlyMap<string, ListedReason> {
  const byName = new Map<string, ListedReason>()
  for (const table of tables) {
    for (const reason of table.reasons) {
      if (byName.has(reason.name)) throw new Error(`two reasons have the name ${reason.name}`)
      byName.set(reason.name, { ...reason, table })
    }
  }
  return byName
}

/** How a failure arrives, for each product: `HTTP 400, code 10000`. */
function arrival({ name, kind }: Reason, products: readonly Wire[]): string {
  const wires = products.map(({ title, failures, ownFailures }) => ({
    title,
    ...(ownFailures?.[name] ?? failures[kind]),
  }))
  return wires.map(({ title, httpStatus, code }) => `${title}: HTTP ${httpStatus}, code ${code}`).join('; ')
}

const again = ({ retryable }: Reason): string =>
  retryable ? 'The same request may succeed later.' : 'The same request fails again: change something first.'

/** The page of one table, as Markdown. */
export function errorMarkdown(table: ReasonTable, products: readonly Wire[]): string {
  const sections = table.reasons.map((reason) => {
    const wire = table.onWire ? `${arrival(reason, products)}. ` : ''
    return `## ${reason.name}\n\n${reason.doc}\n\n${wire}${again(reason)}\n`
  })
  return `# ${table.title}\n\n${table.about}\n\n${sections.join('\n')}`
}

/** The table of contents of the error pages, as Markdown. */
export function errorIndexMarkdown(tables: readonly ReasonTable[]): string {
  const sections = tables.map(({ name, title, reasons }) => {
    const rows = reasons.map((reason) => `- [\`${reason.name}\`](${name}.md#${reason.name}): ${reason.kind}`)
    return `## ${title}\n\n${rows.join('\n')}\n`
  })
  return `# Errors\n\n${INTRODUCTION}\n\n${sections.join('\n')}`
}

const INTRODUCTION =
  'A failed request says why in two ways: `errMsg` tells people what is wrong and what would be right, and the header `x-error-reason` names one of the reasons below for programs. A failed authentication has no such header. The venue serves each page at `/docs/errors/{reason}`.'

const navigation = (tables: readonly ReasonTable[]): Html => html`<p><a href="/docs">Reference</a></p>
${tables.map(({ title, reasons }) => html`<b>${title}</b><ul>${reasons.map(({ name }) => html`<li><a href="/docs/errors/${name}">${name}</a></li>`)}</ul>`)}`

/** The page of one reason, as HTML. */
export function errorPage(reason: ListedReason, tables: readonly ReasonTable[], products: readonly Wire[]): string {
  const { name, doc, table } = reason
  const main = html`<p class="dim">${table.title}</p><h1><code>${name}</code></h1><p>${doc}</p>
${table.onWire ? html`<p>${arrival(reason, products)}.</p>` : ''}<p>${again(reason)}</p>
<p class="dim">${table.about}</p>`
  return page(name, navigation(tables), main)
}

/** The table of contents of the error pages, as HTML. */
export function errorIndexPage(tables: readonly ReasonTable[]): string {
  const main = html`<h1>Errors</h1><p>${INTRODUCTION.replaceAll('`', '')}</p>
${tables.map(
  ({ title, about, reasons }) => html`<h2>${title}</h2><p>${about}</p>
<table>${reasons.map(({ name, doc }) => html`<tr><td><a href="/docs/errors/${name}"><code>${name}</code></a></td><td>${doc}</td></tr>`)}</table>`,
)}`
  return page('Errors', navigation(tables), main)
}
