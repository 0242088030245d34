import Type from 'typebox'
import { endSession } from '../../../auth/sessions.ts'
import type { Caller } from '../../../http/caller.ts'
import { type SessionContext, scopeOf } from './session-context.ts'
import { apiKeySchema, EXAMPLE_KEY } from './session-fields.ts'

// How a session ends, the one that asks or another of its wallet.

export const endedSchema = Type.Object({ apiKey: apiKeySchema })
export const endedExample = { apiKey: EXAMPLE_KEY }

/** Ends a session of the caller's wallet. Throws `key_not_bound`, `session_unknown`. */
export async function end(context: SessionContext, caller: Caller, apiKey: string): Promise<{ apiKey: string }> {
  const { venue, auth } = context
  await endSession(venue.sql, scopeOf(context, caller), apiKey)
  await auth.keys.learn()
  return { apiKey }
}
