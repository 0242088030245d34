import { named, namedSchemas, namesByText, plain } from './named-schemas.ts'
import type { DocumentedProduct } from './openapi.ts'
import type { JsonSchema, StreamMessage } from './reference.ts'

/** A message of the document (AsyncAPI 3.0, "Message Object"). */
interface DocumentedMessage {
  readonly name: string
  readonly summary: string
  readonly contentType: string
  readonly payload: JsonSchema
  readonly examples: readonly { readonly payload: unknown }[]
}

interface Ref {
  readonly $ref: string
}

/** An AsyncAPI 3.0 document, as far as this file writes it. */
export interface AsyncApiDocument {
  readonly asyncapi: '3.0.0'
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly channels: Readonly<
    Record<string, { readonly address: string; readonly messages: Readonly<Record<string, Ref>> }>
  >
  /** The venue's own: it receives what a client sends. */
  readonly operations: Readonly<
    Record<
      string,
      {
        readonly action: 'receive' | 'send'
        readonly summary: string
        readonly channel: Ref
        readonly messages: readonly Ref[]
      }
    >
  >
  readonly components: {
    readonly messages: Readonly<Record<string, DocumentedMessage>>
    readonly schemas: Readonly<Record<string, JsonSchema>>
  }
}

const CHANNEL = '#/channels/stream'

/**
 * The AsyncAPI 3.0 document of a product's stream, made of what the product says of its messages; null where it says nothing. The WebSocket
 * is the one channel: what is followed over it is a matter of its messages.
 */
export function asyncApiDocument({ prefix, stream }: DocumentedProduct): AsyncApiDocument | null {
  if (!stream?.reference) return null
  const { title, description, requests, messages, schemas } = stream.reference()
  const all = { ...requests, ...messages }
  const names = namesByText(schemas)
  const refs = (place: string, of: object) => Object.keys(of).map((name) => ({ $ref: `${place}/messages/${name}` }))
  return {
    asyncapi: '3.0.0',
    info: { title, version: '1', description },
    channels: {
      stream: {
        address: `${prefix}${stream.path}`,
        messages: Object.fromEntries(Object.keys(all).map((name) => [name, { $ref: `#/components/messages/${name}` }])),
      },
    },
    operations: {
      request: {
        action: 'receive',
        summary: 'What a client may send.',
        channel: { $ref: CHANNEL },
        messages: refs(CHANNEL, requests),
      },
      tell: {
        action: 'send',
        summary: 'What the venue sends.',
        channel: { $ref: CHANNEL },
        messages: refs(CHANNEL, messages),
      },
    },
    components: {
      messages: Object.fromEntries(
        Object.entries(all).map(([name, { summary, schema, example }]) => [
          name,
          {
            name,
            summary,
            contentType: isText(schema) ? 'text/plain' : 'application/json',
            payload: plain(named(schema as JsonSchema, names)),
            examples: [{ payload: example }],
          },
        ]),
      ),
      schemas: namedSchemas(schemas),
    },
  }
}

/** A message that is no JSON. */
export const isText = (schema: StreamMessage['schema']): boolean => (schema as JsonSchema).type === 'string'
