import Type from 'typebox'
import { OPERATOR_ACCOUNTS } from '../chain/embedded/accounts.ts'
import type { SignerNeed } from '../chain/send/signer.ts'
import { defineVariables } from '../lib/variables.ts'
import { SUBMIT_PURPOSE } from './submission.ts'
import { DEFAULT_GAS_PER_DAY } from './submit.ts'

/** What an operator sets of One Click, for every product. */
export const delegationVariables = defineVariables({
  properties: {
    SUBMIT_GAS_PER_DAY: Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      default: Number(DEFAULT_GAS_PER_DAY),
      description: 'gas that the One Click sends for one wallet may use within 24 hours, by whichever of its API keys',
    }),
  },
})

/** The signers that submit for users of every product. */
export const delegationSigners: readonly SignerNeed[] = [
  {
    purpose: SUBMIT_PURPOSE,
    variable: 'SIGNER_SUBMIT_KEYS',
    many: true,
    does: 'submit for users with One Click',
    required: false,
    apart: true,
    embeddedAccounts: OPERATOR_ACCOUNTS.submit,
  },
]
