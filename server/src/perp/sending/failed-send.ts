import Type, { type Static } from 'typebox'
import { failureMessageSchema } from '../../delegation/send.ts'
import { TX_HASH } from '../../http/examples.ts'
import { nullable } from '../../http/schemas.ts'
import { perpReverts } from '../reverts/perp-reverts.ts'
import { REVERT_EXPLANATIONS } from '../reverts/revert-explanations.ts'
import type { FailedSend, SendRow } from './send-store.ts'

/** Why a send came to nothing: the revert by name, or the reason. */
export const failureOf = ({ revertData, problem }: Pick<SendRow, 'revertData' | 'problem'>): string =>
  perpReverts.name(revertData) ?? problem ?? 'the transaction reverted'

/** A send that came to nothing, as its wallet's stream tells it. */
export const failedSendSchema = Type.Object({
  sendId: Type.String({ description: 'As the request was answered.' }),
  action: Type.String({ description: 'What was asked for, such as market.' }),
  txHash: nullable(Type.String({ description: 'Null where nothing was mined.' })),
  status: Type.Literal('Failed'),
  failure: Type.String({ description: 'The revert by name, or the reason.' }),
  failureMessage: failureMessageSchema,
})

export const failedSendExample: Static<typeof failedSendSchema> = {
  sendId: '22222222-2222-4222-8222-222222222222',
  action: 'market',
  txHash: TX_HASH,
  status: 'Failed',
  failure: 'TradeSlippage()',
  failureMessage: REVERT_EXPLANATIONS.TradeSlippage ?? null,
}

export const failedSendView = (send: FailedSend): Static<typeof failedSendSchema> => ({
  sendId: send.sendId,
  action: send.action,
  txHash: send.txHash,
  status: 'Failed',
  failure: failureOf(send),
  failureMessage: perpReverts.meaning(send.revertData),
})
