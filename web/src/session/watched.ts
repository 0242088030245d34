import { type Client, VenueError } from '@bourse/sdk/stock'

/** The same client, which tells when the venue does not accept its key; by then the library has corrected the clock and asked again. */
export function watched<Name extends string>(client: Client<Name>, onRefused: () => void): Client<Name> {
  return {
    product: client.product,
    options: client.options,
    clock: client.clock,
    state: client.state,
    now: client.now,
    with: client.with,
    async call(spec, params, options) {
      try {
        return await client.call(spec, params, options)
      } catch (error) {
        if (error instanceof VenueError && error.name === 'Unauthenticated') onRefused()
        throw error
      }
    },
  }
}
