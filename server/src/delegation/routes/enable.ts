import Type from 'typebox'
import type { Hex } from '../../chain/types.ts'
import { DEADLINE, TX_HASH } from '../../http/examples.ts'
import { defineRoute } from '../../http/product.ts'
import { EXPECTED } from '../../http/validation.ts'
import { CHANGE_REASONS, enableDelegation } from '../delegation.ts'
import { delegationReasons } from '../reasons.ts'
import { changeSchema, deadlineSchema, type OneClickOperations } from './operations.ts'

/** A contract wallet's signature may be longer than an account's, but not without bounds. */
const MAX_SIGNATURE_BYTES = 4096

const enableBody = (prefix: string) =>
  Type.Object({
    signature: Type.String({
      pattern: `^0x([0-9a-fA-F]{2}){1,${MAX_SIGNATURE_BYTES}}$`,
      [EXPECTED]: 'a signature: 0x and 130 hex digits',
      description: `Over the payload of POST ${prefix}/prepare, 65 bytes; of a contract wallet what it accepts by ERC-1271.`,
    }),
    deadline: deadlineSchema,
  })

/** POST enable: enables One Click by the user's signature (seed 3A, 4A). */
export const postEnable = ({ prefix, summaries, context }: OneClickOperations) =>
  defineRoute({
    method: 'POST',
    path: `${prefix}/enable`,
    summary: summaries.enable,
    access: 'WRITABLE',
    schema: { body: enableBody(prefix), data: changeSchema('enable', prefix) },
    reasons: [
      ...CHANGE_REASONS,
      delegationReasons.delegation_deadline_expired,
      delegationReasons.delegation_signature_invalid,
      delegationReasons.out_of_gas,
    ],
    examples: {
      bodies: { request: { signature: `0x${'5a'.repeat(64)}1b`, deadline: DEADLINE } },
      data: { status: 'enable', txHash: TX_HASH },
    },
    handler(request) {
      const { signature, deadline: deadlineSec } = request.body
      return enableDelegation(context(), request, { signature: signature as Hex, deadlineSec })
    },
  })
