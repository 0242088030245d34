// The types of a stream's messages, out of its AsyncAPI document.
import type { AsyncApiDocument } from '../server/src/http/asyncapi.ts'
import type { JsonSchema } from '../server/src/http/reference.ts'
import { docOf, pascal, resolved, type TypeNames } from './sdk-types.ts'

const HEAD = '// Made of the AsyncAPI document by scripts/generate-sdk.ts; a change belongs there.\n'
export const UNION = 'ToldMessage'

export interface Message {
  readonly name: string
  readonly summary: string
  readonly schema: JsonSchema
}

/** What the venue sends as JSON; a bare text has no fields to tell of. */
export function messagesOf({ operations, components }: AsyncApiDocument): Message[] {
  const told = operations.tell?.messages.map(({ $ref }) => $ref.split('/').at(-1) ?? '') ?? []
  return told.flatMap((name) => {
    const message = components.messages[name]
    if (!message) throw new Error(`${name}: no such message`)
    const { summary, contentType, payload } = message
    if (contentType !== 'application/json') return []
    return [{ name: `${pascal(name)}Message`, summary, schema: resolved(payload, components.schemas) }]
  })
}

export function messagesSource(types: TypeNames, messages: readonly Message[]): string {
  const body = [
    types.declarations('messages'),
    ...messages.map(({ name, summary, schema }) => `${docOf(summary)}${types.declaration(name, schema)}`),
    `/** Whatever the venue sends. */\nexport type ${UNION} = ${messages.map(({ name }) => name).join(' | ')}\n`,
  ].join('\n')
  const used = types.usedIn(body)
  const imported = used.length === 0 ? '' : `import type { ${used.join(', ')} } from './operations.ts'\n`
  return [HEAD + imported, body].join('\n')
}
