import { type Client, VenueError } from '@bourse/sdk/stock'

/**
 * The same client, which tells of each request whether the venue has accepted its key; by then the library has corrected the clock
 * and asked again.
 */
export function watched<Name extends string>(
  client: Client<Name>,
  noteAnswer: (isAccepted: boolean) => void,
): Client<Name> {
  return {
    product: client.product,
    options: client.options,
    clock: client.clock,
    state: client.state,
    now: client.now,
    with: (options) => watched(client.with(options), noteAnswer),
    async call(spec, params, options) {
      const isSigned = spec[5] !== 'none'
      try {
        const data = await client.call<never>(spec, params, options)
        if (isSigned) noteAnswer(true)
        return data
      } catch (error) {
        if (isSigned && isUnauthenticated(error)) noteAnswer(false)
        throw error
      }
    },
  }
}

/** Whether a request was refused for its key, or for the time at which it was signed. */
export const isUnauthenticated = (error: unknown): boolean =>
  error instanceof VenueError && error.name === 'Unauthenticated'
