import type { TSchema } from 'typebox'
import { Check } from 'typebox/value'
import { isText } from './asyncapi.ts'
import type { StreamReference } from './reference.ts'
import { closed } from './validation.ts'

/** Holds what goes over a stream against what its product's reference says of it. */
export class MessageJudge {
  /** The names of the messages that came. */
  readonly seen = new Set<string>()
  /** Texts that are no message of the reference, with a field more or less than it says, too. */
  readonly unknown: string[] = []
  readonly #messages: Exact
  readonly #requests: Exact

  constructor({ messages, requests }: StreamReference) {
    this.#messages = exactly(messages)
    this.#requests = exactly(requests)
  }

  /** Notes what the venue has sent. */
  take(text: string): void {
    const names = namesOf(text, this.#messages)
    if (names.length === 0) this.unknown.push(text)
    for (const name of names) this.seen.add(name)
  }

  /** The names of the requests that a client's text is. */
  requests(text: string): readonly string[] {
    return namesOf(text, this.#requests)
  }
}

/** Messages by name, without a field that they do not have. */
type Exact = readonly (readonly [name: string, schema: TSchema])[]

const exactly = (messages: StreamReference['messages']): Exact =>
  Object.entries(messages).map(([name, { schema }]) => [name, closed(schema)])

function namesOf(text: string, messages: Exact): readonly string[] {
  const value = jsonOf(text)
  return messages.flatMap(([name, schema]) => (Check(schema, isText(schema) ? text : value) ? [name] : []))
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
