import type { OpenApiDocument } from './openapi.ts'

/** The operations of a document as one table a group, in Markdown. */
export function operationsMarkdown(document: OpenApiDocument): string {
  const rows = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation })),
  )
  const common = rows
    .map((row) => row['x-errors'].map(({ reason }) => reason))
    .reduce((shared, reasons) => shared.filter((reason) => reasons.includes(reason)))
  const groups = document.tags.map(({ name }) => {
    const lines = rows
      .filter(({ tags }) => tags.includes(name))
      .map((row) => {
        const own = row['x-errors'].flatMap(({ reason }) => (common.includes(reason) ? [] : [`\`${reason}\``]))
        return `| ${row.method} | \`${row.path}\` | ${row['x-access']} | ${row.summary} | ${own.join(', ')} |`
      })
    return `## ${name}\n\n| method | path | permission | purpose | errors |\n| --- | --- | --- | --- | --- |\n${lines.join('\n')}\n`
  })
  return `# ${document.info.title}: the operations

Paths follow the base URL. Fields, types and examples are in [openapi.json](openapi.json), which a running venue serves at
\`/openapi.json\`, and as a page at \`/docs\`. The [error pages](../errors/README.md) explain the errors; any operation may
also fail with ${common.map((reason) => `\`${reason}\``).join(', ')}.

${groups.join('\n')}`
}
