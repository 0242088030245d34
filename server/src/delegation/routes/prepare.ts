import Type from 'typebox'
import { DEADLINE, WALLET } from '../../http/examples.ts'
import { AtBlock, defineRoute } from '../../http/product.ts'
import { ONE_CLICK_REASONS, prepareDelegation } from '../delegation.ts'
import { delegationReasons } from '../reasons.ts'
import { signPayload } from '../typed-data.ts'
import { deadlineSchema, EXAMPLE_DELEGATEE, type OneClickOperations } from './operations.ts'

const prepareSchema = Type.Object({
  delegatee: Type.String(),
  signPayload: Type.Object(
    {
      domain: Type.Object({
        name: Type.String(),
        version: Type.String(),
        chainId: Type.Integer(),
        verifyingContract: Type.String({ description: 'The OneClickRouter.' }),
      }),
      types: Type.Object({ Delegate: Type.Array(Type.Object({ name: Type.String(), type: Type.String() })) }),
      primaryType: Type.String(),
      message: Type.Object({
        user: Type.String({ description: 'The wallet that must sign: the bound one.' }),
        delegatee: Type.String(),
        nonce: Type.Integer(),
        deadline: Type.Integer(),
      }),
    },
    { description: 'EIP-712, for signTypedData of any wallet.' },
  ),
  nonce: Type.Integer(),
  deadline: Type.Integer(),
})

const EXAMPLE_ROUTER = '0xa51c1fc2f0d1a1b8494ed1fe312d7c3a78ed91c0'
const exampleDelegate = { user: WALLET, delegatee: EXAMPLE_DELEGATEE, nonce: 0n, deadlineSec: DEADLINE } as const

function example(chainId: number) {
  const payload = signPayload({ chainId, router: EXAMPLE_ROUTER }, exampleDelegate)
  return {
    delegatee: EXAMPLE_DELEGATEE,
    signPayload: { ...payload, types: { Delegate: [...payload.types.Delegate] } },
    nonce: 0,
    deadline: DEADLINE,
  }
}

/** POST prepare: what the bound user signs; nothing changes (seed 4A). */
export const postPrepare = ({ prefix, chainId, summaries, context }: OneClickOperations) =>
  defineRoute({
    method: 'POST',
    path: `${prefix}/prepare`,
    summary: summaries.prepare,
    access: 'WRITABLE',
    schema: { body: Type.Object({ deadline: deadlineSchema }), data: prepareSchema },
    reasons: [...ONE_CLICK_REASONS, delegationReasons.delegation_deadline_expired],
    examples: { bodies: { request: { deadline: DEADLINE } }, data: example(chainId) },
    async handler(request) {
      const { block, terms } = await prepareDelegation(context(), request, request.body.deadline)
      return new AtBlock(block, terms)
    },
  })
