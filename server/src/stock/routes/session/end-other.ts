import Type from 'typebox'
import { authReasons } from '../../../auth/reasons.ts'
import { defineRoute } from '../../../http/product.ts'
import { end, endedExample, endedSchema } from './ending.ts'
import type { SessionContext } from './session-context.ts'
import { apiKeySchema } from './session-fields.ts'

/** DELETE /sessions/{apiKey}: ends a session of the caller's wallet. */
export const deleteOtherSession = (context: SessionContext) =>
  defineRoute({
    method: 'DELETE',
    path: '/api/v1/sessions/:apiKey',
    summary: 'End a session of the wallet for good',
    access: 'WRITABLE',
    schema: { params: Type.Object({ apiKey: apiKeySchema }), data: endedSchema },
    reasons: [authReasons.key_not_bound, authReasons.session_unknown],
    examples: { params: endedExample, data: endedExample },
    handler: ({ caller, params: { apiKey } }) => end(context, caller, apiKey),
  })
