import { authReasons } from '../../../auth/reasons.ts'
import { defineRoute } from '../../../http/product.ts'
import { AppError } from '../../../lib/errors.ts'
import { end, endedExample, endedSchema } from './ending.ts'
import type { SessionContext } from './session-context.ts'

/** DELETE /session: ends the session that asks. */
export const deleteSession = (context: SessionContext) =>
  defineRoute({
    method: 'DELETE',
    path: '/api/v1/session',
    summary: 'End the session that asks',
    description: 'This answer is its last. A key that is no session is ended by whoever made it.',
    access: 'WRITABLE',
    schema: { data: endedSchema },
    reasons: [authReasons.session_unknown],
    examples: { data: endedExample },
    async handler({ caller }) {
      if (caller.sessionKey === undefined) {
        throw new AppError(authReasons.session_unknown, 'this API key is no session: whoever made it ends it')
      }
      return await end(context, caller, caller.sessionKey)
    },
  })
