import Type from 'typebox'
import { authReasons } from '../../../auth/reasons.ts'
import { findSessions } from '../../../auth/session-store.ts'
import { CREATED_AT } from '../../../http/examples.ts'
import { defineRoute } from '../../../http/product.ts'
import { type SessionContext, scopeOf } from './session-context.ts'
import { apiKeySchema, DAY_SEC, EXAMPLE_KEY, timeProperties, timesOf } from './session-fields.ts'

const sessionSchema = Type.Object({
  apiKey: apiKeySchema,
  ...timeProperties,
  addresses: Type.Array(Type.String(), { description: 'The client addresses that it works from.' }),
  current: Type.Boolean({ description: 'True for the session that asks.' }),
})

/** GET /sessions: the open sessions of the caller's wallet. */
export const getSessions = (context: SessionContext) =>
  defineRoute({
    method: 'GET',
    path: '/api/v1/sessions',
    summary: 'The open sessions of the wallet, without secrets',
    access: 'READ_ONLY',
    schema: { data: Type.Array(sessionSchema) },
    reasons: [authReasons.key_not_bound],
    examples: {
      data: [
        {
          apiKey: EXAMPLE_KEY,
          createdAt: CREATED_AT,
          expiresAt: CREATED_AT + DAY_SEC,
          addresses: ['203.0.113.7'],
          current: true,
        },
      ],
    },
    async handler({ caller }) {
      const sessions = await findSessions(context.venue.sql, scopeOf(context, caller))
      return sessions.map((session) => ({
        apiKey: session.apiKey,
        ...timesOf(session),
        addresses: session.addresses,
        current: session.apiKey === caller.sessionKey,
      }))
    },
  })
