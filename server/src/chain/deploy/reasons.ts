import { defineReasons } from '../../lib/errors.ts'

export const deployReasons = defineReasons({
  deployment_plan_invalid: {
    kind: 'invalid',
    retryable: false,
    doc: 'The plan of a deployment is not complete or not possible. Nothing was sent to the chain.',
  },
  deployment_wrong: {
    kind: 'conflict',
    retryable: false,
    doc: 'A role of a deployed contract is not with exactly those who shall have it.',
  },
})
