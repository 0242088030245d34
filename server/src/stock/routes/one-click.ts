import Type from 'typebox'
import type { Hex } from '../../chain/types.ts'
import {
  delegationStatus,
  disableDelegation,
  enableDelegation,
  prepareDelegation,
} from '../../delegation/delegation.ts'
import { defineRoute } from '../../http/product.ts'
import { EXPECTED } from '../../http/validation.ts'
import type { StockContext } from '../context.ts'
import { nullable } from '../schemas.ts'
import { stockOneClick } from '../sending/one-click.ts'

/** A contract wallet's signature may be longer than an account's, but not without bounds. */
const MAX_SIGNATURE_BYTES = 4096

const deadline = Type.Integer({
  minimum: 0,
  [EXPECTED]: 'a Unix time in seconds',
  description: 'Unix seconds, in the future, at most 4294967295: until then the signature can be used.',
})

const statusSchema = Type.Object({
  status: Type.Enum(['enable', 'disabled'], { description: 'enable is what the send operations need.' }),
  delegatee: Type.String({ description: 'The contract that acts for users who have enabled One Click.' }),
  delegatedTo: nullable(Type.String({ description: 'Who may act for the bound user now, whoever that is.' })),
  nonce: Type.Integer({ description: 'The nonce that the next signature must carry.' }),
  updatedAt: nullable(Type.Integer({ description: 'Unix seconds of the last change on chain that is indexed.' })),
  txHash: nullable(Type.String({ description: 'The transaction of that change.' })),
})

/** GET /1ct/status: the bound user's delegation, read from the router (seed 4A). Errors: as `delegationStatus`. */
export const getOneClickStatus = (context: StockContext) =>
  defineRoute({
    method: 'GET',
    path: '/api/v1/1ct/status',
    summary: 'One Click status of the bound user',
    access: 'READ_ONLY',
    schema: { data: statusSchema },
    handler: (request) => delegationStatus(stockOneClick(context), request),
  })

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

/** POST /1ct/prepare: what the bound user signs; nothing changes (seed 4A). Errors: as `prepareDelegation`. */
export const postOneClickPrepare = (context: StockContext) =>
  defineRoute({
    method: 'POST',
    path: '/api/v1/1ct/prepare',
    summary: 'One Click payload for the bound user to sign',
    access: 'WRITABLE',
    schema: { body: Type.Object({ deadline }), data: prepareSchema },
    handler: (request) => prepareDelegation(stockOneClick(context), request, request.body.deadline),
  })

const changeSchema = (done: 'enable' | 'disabled') =>
  Type.Object({
    status: Type.Enum([done, 'pending'], {
      description: 'pending: sent and not mined within two seconds; GET /1ct/status tells when it is.',
    }),
    txHash: nullable(Type.String()),
  })

const enableBody = Type.Object({
  signature: Type.String({
    pattern: `^0x([0-9a-fA-F]{2}){1,${MAX_SIGNATURE_BYTES}}$`,
    [EXPECTED]: 'a signature: 0x and 130 hex digits',
    description: 'Over the payload of POST /1ct/prepare, 65 bytes; of a contract wallet what it accepts by ERC-1271.',
  }),
  deadline,
})

/** POST /1ct/enable: enables One Click by the user's signature (seed 3A, 4A). Errors: as `enableDelegation`. */
export const postOneClickEnable = (context: StockContext) =>
  defineRoute({
    method: 'POST',
    path: '/api/v1/1ct/enable',
    summary: 'Enable One Click with the signature of the bound user',
    access: 'WRITABLE',
    schema: { body: enableBody, data: changeSchema('enable') },
    handler(request) {
      const { signature, deadline: deadlineSec } = request.body
      return enableDelegation(stockOneClick(context), request, { signature: signature as Hex, deadlineSec })
    },
  })

/** POST /1ct/disable: ends One Click; later sends fail (seed 3A, 4A). Errors: as `disableDelegation`. */
export const postOneClickDisable = (context: StockContext) =>
  defineRoute({
    method: 'POST',
    path: '/api/v1/1ct/disable',
    summary: 'Disable One Click of the bound user',
    access: 'WRITABLE',
    schema: { data: changeSchema('disabled') },
    handler: (request) => disableDelegation(stockOneClick(context), request),
  })
