import Type, { type Static } from 'typebox'
import { boundUser } from '../../auth/bound-user.ts'
import { contractAddress } from '../../chain/deployment.ts'
import { UserSends } from '../../delegation/send.ts'
import type { SendDesk } from '../../delegation/send-desk.ts'
import { refusedByChain } from '../../delegation/would-revert.ts'
import { TX_HASH } from '../../http/examples.ts'
import type { RouteRequest, Venue } from '../../http/product.ts'
import { nullable } from '../../http/schemas.ts'
import { newId } from '../../lib/ids.ts'
import type { Action } from '../actions/action.ts'
import { ACTIONS, type ActionName } from '../actions/actions.ts'
import { relayedData } from '../calldata/calls.ts'
import type { PerpContext } from '../context.ts'
import { perpReverts } from '../reverts/perp-reverts.ts'
import { perpOneClick } from './one-click.ts'
import { findSends, insertSend, type SendRow } from './send-store.ts'

/** The perpetual product's sends: what is waited for is the first hash, or that there will be none. */
export const perpSends = ({ sql }: Pick<Venue, 'sql'>, desk: SendDesk): UserSends<SendRow> =>
  new UserSends(desk, {
    look: async (ids) => new Map((await findSends(sql, ids)).map((row) => [row.sendId, row])),
    isAnswer: ({ txHash, state }) => txHash !== null || state === 'rejected' || state === 'failed',
  })

/**
 * Has the venue's relayer send an action for the wallet of the API key, which has enabled One Click: as the relay router's call
 * in the wallet's name, run against the chain first. Answers within two seconds, with the transaction's hash if there is one by
 * then. Throws what the action's `prepare` throws and as `UserSends.send`; nothing is sent then.
 */
export async function sendAction(
  context: PerpContext,
  request: Pick<RouteRequest, 'caller' | 'idempotency'>,
  name: ActionName,
  params: { readonly gasLimit?: number; readonly oids?: readonly (string | number)[] },
): Promise<SendView> {
  const { caller } = request
  const oneClick = perpOneClick(context)
  const fields = params.gasLimit ? { gasLimit: params.gasLimit } : {}
  const row = await context.sends.send(oneClick, request, fields, async () => {
    const user = boundUser(caller)
    // The params have passed the schema of this very action.
    const { to, calls, spending, orders } = await (ACTIONS[name] as Action).prepare(context, user, params)
    const sentOids = orders.flatMap(({ oid }) => (oid === null ? [] : [String(oid)]))
    const missingOids = (params.oids ?? []).map(String).filter((oid) => !sentOids.includes(oid))
    return {
      target: contractAddress(context.venue.deployment, 'RelayRouter'),
      data: relayedData(oneClick.oneClick.pool, user, to, calls),
      spending,
      async claim(tx, { intentId, user: userAddress }) {
        const send = { sendId: newId(), chainId: context.chainId, intentId, apiKeyId: caller.keyId, userAddress }
        await insertSend(tx, { ...send, action: name, sentOids, missingOids })
        return send.sendId
      },
    }
  })
  // Nothing was sent: what the request asked for could no longer be done when its turn came.
  if (row.state === 'rejected') throw refusedByChain(row.revertData ?? '0x', perpReverts.explain, 0)
  return sendView(row)
}

/** What every send answers. */
export const sendSchema = Type.Object({
  txHash: nullable(
    Type.String({ description: 'Null while no transaction is signed; the same Idempotency-Key asks again.' }),
  ),
  sendId: Type.String({ description: 'The venue’s own id of the send.' }),
  status: Type.Enum(['Pending', 'Confirmed', 'Failed'], {
    description: 'Pending until the transaction is mined; it has failed only when it reverted or can never be mined.',
  }),
  failure: nullable(Type.String({ description: 'Why it failed: the revert by name, or the reason.' })),
})

/** What a send of several orders answers beyond that. */
export const ordersSendSchema = Type.Object({
  ...sendSchema.properties,
  orders: Type.Array(
    Type.Object({
      oid: Type.String(),
      status: Type.Enum(['sent', 'not_open'], {
        description:
          'sent: the transaction is about it; not_open: it is filled or cancelled already, or of another pair.',
      }),
    }),
  ),
})

type SendView = Static<typeof ordersSendSchema>

export const sendExample: Static<typeof sendSchema> = {
  txHash: TX_HASH,
  sendId: '22222222-2222-4222-8222-222222222222',
  status: 'Pending',
  failure: null,
}

export const ordersSendExample: SendView = {
  ...sendExample,
  orders: [
    { oid: '1869451624454', status: 'sent' },
    { oid: '1869468401670', status: 'not_open' },
  ],
}

function sendView(row: SendRow): SendView {
  const hasFailed = row.outcome === 'reverted' || row.state === 'failed'
  return {
    txHash: row.txHash,
    sendId: row.sendId,
    status: hasFailed ? 'Failed' : row.outcome === 'succeeded' ? 'Confirmed' : 'Pending',
    failure: hasFailed ? (perpReverts.name(row.revertData) ?? row.problem ?? 'the transaction reverted') : null,
    orders: [
      ...row.sentOids.map((oid) => ({ oid, status: 'sent' as const })),
      ...row.missingOids.map((oid) => ({ oid, status: 'not_open' as const })),
    ],
  }
}

/** A send's answer without the orders, of which only some operations tell. */
export function withoutOrders({ orders: _, ...view }: SendView): Static<typeof sendSchema> {
  return view
}
