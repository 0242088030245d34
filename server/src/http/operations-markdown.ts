import type { DocumentedOperation, OpenApiDocument } from './openapi.ts'

/** Operations that fail alike for whom they meet, from the widest set to the narrowest. */
const ALIKE: readonly (readonly [words: string, isOne: (operation: DocumentedOperation) => boolean])[] = [
  ['any operation may also fail with', () => true],
  ['one that takes an API key with', ({ 'x-access': access }) => access !== 'PUBLIC' && access !== 'WALLET'],
  ['one that asks for WRITABLE with', ({ 'x-access': access }) => access === 'WRITABLE'],
]

/** What is said of each set in one place, and then left out of the lines of its operations. */
function sharedReasons(operations: readonly DocumentedOperation[]) {
  const told: string[] = []
  return ALIKE.map(([words, isOne]) => {
    const every = operations.filter(isOne).map((operation) => operation['x-errors'].map(({ reason }) => reason))
    const [first = []] = every
    const reasons = first.filter((reason) => every.every((list) => list.includes(reason)) && !told.includes(reason))
    told.push(...reasons)
    return { words, isOne, reasons }
  }).filter(({ reasons }) => reasons.length > 0)
}

const list = (reasons: readonly string[]): string => reasons.map((reason) => `\`${reason}\``).join(', ')

/** Where a document is: as a file beside the table, and at a running venue. */
export interface DocumentPlace {
  readonly file: string
  readonly url: string
}

/** The operations of a document as one table a group, in Markdown; `stream` is where the messages of the product's stream stand. */
export function operationsMarkdown(
  document: OpenApiDocument,
  { file, url }: DocumentPlace,
  stream: DocumentPlace | null,
): string {
  const messages = stream
    ? ` What the stream tells is in [${stream.file}](${stream.file}), served at\n\`${stream.url}\`.`
    : ''
  const rows = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation })),
  )
  const shared = sharedReasons(rows)
  const groups = document.tags.map(({ name }) => {
    const lines = rows
      .filter(({ tags }) => tags.includes(name))
      .map((row) => {
        const told = shared.filter(({ isOne }) => isOne(row)).flatMap(({ reasons }) => reasons)
        const own = row['x-errors'].map(({ reason }) => reason).filter((reason) => !told.includes(reason))
        return `| ${row.method} | \`${row.path}\` | ${row['x-access']} | ${row.summary} | ${list(own)} |`
      })
    return `## ${name}\n\n| method | path | permission | purpose | errors |\n| --- | --- | --- | --- | --- |\n${lines.join('\n')}\n`
  })
  return `# ${document.info.title}: the operations

Paths follow the base URL. Fields, types and examples are in [${file}](${file}), which a running venue serves at
\`${url}\`, and as a page at \`/docs\`.${messages} The [error pages](../errors/README.md) explain the errors;
${shared.map(({ words, reasons }) => `${words} ${list(reasons)}`).join(',\n')}.

${groups.join('\n')}`
}
