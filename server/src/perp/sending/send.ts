import { setTimeout } from 'node:timers/promises'
import Type, { type Static } from 'typebox'
import { boundUser } from '../../auth/bound-user.ts'
import { contractAddress } from '../../chain/deployment.ts'
import type { Hex } from '../../chain/types.ts'
import type { Tx } from '../../db/pool.ts'
import { delegationReasons } from '../../delegation/reasons.ts'
import { failureMessageSchema, UserSends } from '../../delegation/send.ts'
import type { SendDesk } from '../../delegation/send-desk.ts'
import type { Guard } from '../../delegation/send-group.ts'
import { refusedByChain } from '../../delegation/would-revert.ts'
import { TX_HASH } from '../../http/examples.ts'
import type { RouteRequest, Venue } from '../../http/product.ts'
import { nullable } from '../../http/schemas.ts'
import { abs } from '../../lib/bigints.ts'
import { formatUnits } from '../../lib/decimal.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { WAD_DECIMALS } from '../../lib/wad.ts'
import type { Action, Prepared } from '../actions/action.ts'
import { ACTIONS, type ActionName } from '../actions/actions.ts'
import { relayedData } from '../calldata/calls.ts'
import type { PerpContext } from '../context.ts'
import { ORDER_ID } from '../examples.ts'
import type { PairState } from '../listing/pair.ts'
import { perpReasons } from '../reasons.ts'
import { perpReverts } from '../reverts/perp-reverts.ts'
import { failureOf } from './failed-send.ts'
import { perpOneClick } from './one-click.ts'
import {
  findSends,
  insertSends,
  lockTrades,
  type SendRow,
  type SentAction,
  type SentTrade,
  sentBeyond,
} from './send-store.ts'

/** The perpetual product's sends: what is waited for is the first hash, or that there will be none. */
export const perpSends = (
  { sql }: Pick<Venue, 'sql'>,
  desk: SendDesk,
  limits: { readonly chainId: number; readonly budget: bigint },
): UserSends<SendRow, SentAction> =>
  new UserSends(sql, desk, {
    source: {
      look: async (ids) => new Map((await findSends(sql, ids)).map((row) => [row.sendId, row])),
      isAnswer: ({ txHash, state }) => txHash !== null || state === 'rejected' || state === 'failed',
    },
    settings: { ...limits, keep: (tx, sends) => insertSends(tx, limits.chainId, sends) },
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
  params: { readonly gasLimit?: number },
): Promise<SendView> {
  const { caller } = request
  const oneClick = perpOneClick(context)
  const fields = params.gasLimit ? { gasLimit: params.gasLimit } : {}
  const build = async () => {
    const user = boundUser(caller)
    // The params have passed the schema of this very action.
    const prepared = await (ACTIONS[name] as Action).prepare(context, user, params)
    const kept = sentAction(name, prepared)
    return {
      ...relayedCall(context, user, prepared),
      spending: prepared.spending,
      kept,
      guard: roomFor(context.chainId, user, kept, prepared),
    }
  }
  const row = await afterOthers(() => context.sends.send(oneClick, request, fields, build))
  if (row.state === 'rejected') throw notSent(row)
  return sendView(row)
}

/** What is under way is mined, and known to be, in a moment mostly; the action is then worked out anew. */
const OTHERS_WITHIN_MS = 3000
const LOOK_EVERY_MS = 150

/** Sends; a reduction that others of the wallet leave no room for waits for them. */
async function afterOthers<Sent>(send: () => Promise<Sent>): Promise<Sent> {
  for (const untilMs = Date.now() + OTHERS_WITHIN_MS; ; ) {
    try {
      return await send()
    } catch (error) {
      const waits = error instanceof AppError && error.reason === perpReasons.reduction_under_way
      if (!waits || Date.now() > untilMs) throw error
      await setTimeout(LOOK_EVERY_MS)
    }
  }
}

/** `0x` and four bytes. */
const SELECTOR_CHARACTERS = 10

/** An action as the relay router's call in the wallet's name. */
export function relayedCall(
  context: Pick<PerpContext, 'venue' | 'submitGasPerDay'>,
  user: Hex,
  { to, calls }: Pick<Prepared, 'to' | 'calls'>,
): { readonly target: Hex; readonly data: Hex; readonly gasKind: string } {
  const { pool } = perpOneClick(context).oneClick
  const target = contractAddress(context.venue.deployment, 'RelayRouter')
  // Every action is the same function of the relay router.
  const gasKind = [to, ...calls.map(({ relayed }) => relayed.slice(0, SELECTOR_CHARACTERS))].join(' ')
  return { target, data: relayedData(pool, user, to, calls), gasKind }
}

/** What is kept of an action that is sent under this name. */
export function sentAction(name: string, { pair, trades = 0n, absorbs = false, named = [] }: Prepared): SentAction {
  const trade =
    pair !== null && (trades !== 0n || absorbs)
      ? { instrument: pair.instrument.address, expiry: pair.expiry, sizeWad: trades }
      : null
  return { id: newId(), action: name, orders: named, trade }
}

/**
 * Each trade of a wallet sees the ones before, so that one that may only reduce the position finds room beside those that are
 * under way. Its check throws `reduction_under_way`. Null for what does not trade: it is never refused, and a reduction that does
 * not see it was asked for at the same time.
 */
export function roomFor(
  chainId: number,
  user: Hex,
  { trade }: SentAction,
  { pair, reduces = false }: Prepared,
): Guard | null {
  if (trade === null || trade.sizeWad === 0n || pair === null) return null
  return {
    key: `perp.trades:${user}`,
    async check(tx) {
      await lockTrades(tx, chainId, user)
      if (reduces) await requireRoom(tx, chainId, user, pair, trade)
    },
  }
}

/** The contract knows no reduce-only: what is under way already may leave less to reduce than the pair shows. */
async function requireRoom(tx: Tx, chainId: number, user: Hex, pair: PairState, trade: SentTrade): Promise<void> {
  const { traded, endsOrders, removesRange } = await sentBeyond(tx, chainId, user, trade, pair.block.height)
  const { position, ranges } = pair.portfolio
  // What a range leaves may be of either side.
  if (removesRange && ranges.length > 0) {
    throw underWay('a range of the wallet in this pair is being removed, which may leave a position')
  }
  const under = traded + (endsOrders ? takenOf(pair, trade) : 0n)
  if (under === 0n || abs(trade.sizeWad) + under <= abs(position.size)) return
  const base = formatUnits(under, WAD_DECIMALS)
  throw underWay(
    `trades of the wallet in this pair over ${base}, or ends of orders that were taken, are under way in the same direction`,
  )
}

/**
 * What of the wallet's open orders was taken in the direction of a trade, and becomes a position when they end. An order that nobody
 * has taken leaves none, so that who quotes all the time, and has some cancel under way at any moment, can still close.
 */
const takenOf = ({ portfolio }: PairState, { sizeWad }: SentTrade): bigint =>
  portfolio.ordersTaken.reduce((sum, taken) => (taken < 0n === sizeWad < 0n ? sum + abs(taken) : sum), 0n)

function underWay(what: string): AppError {
  const message = `${what}, and with that this one would turn the position round: send it when that is mined`
  return new AppError(perpReasons.reduction_under_way, message, { retryAfterSec: 1 })
}

/**
 * Nothing was sent: what the request asked for could no longer be done when its turn came. The same for every repeat under the
 * `Idempotency-Key`, unlike a refusal before anything is stored, after which a repeat is tried anew.
 */
function notSent({ revertData, problem }: SendRow): AppError {
  const said = 'not sent, and not tried again under its Idempotency-Key: '
  if (revertData !== null) return refusedByChain(revertData, perpReverts.explain, 0, said)
  return new AppError(delegationReasons.would_revert, `${said}${problem ?? 'it was refused'}`)
}

/** What every send answers. */
export const sendSchema = Type.Object({
  txHash: nullable(
    Type.String({ description: 'Null while no transaction is signed; the same Idempotency-Key asks again.' }),
  ),
  sendId: Type.String({ description: 'The venue’s own id of the send.' }),
  status: Type.Enum(['Pending', 'Confirmed', 'Failed'], {
    description:
      'Pending until the transaction is mined; it has failed only when it reverted or can never be mined. It is Pending again should the block vanish in which it reverted.',
  }),
  failure: nullable(
    Type.String({ description: 'Why it failed: the revert by name, “the transaction ran out of gas”, or the reason.' }),
  ),
  failureMessage: failureMessageSchema,
})

/** What a send of several orders answers beyond that. */
export const ordersSendSchema = Type.Object({
  ...sendSchema.properties,
  orders: Type.Array(
    Type.Object({
      oid: nullable(Type.String({ description: 'Null where no order of the wallet in the pair has the orderId.' })),
      orderId: nullable(Type.String({ description: 'As the request names it.' })),
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
  failureMessage: null,
}

export const ordersSendExample: SendView = {
  ...sendExample,
  orders: [
    { oid: '1869451624454', orderId: ORDER_ID, status: 'sent' },
    { oid: null, orderId: '1030049889949000027', status: 'not_open' },
  ],
}

/** A send as its answers show it. */
export function sendView(row: SendRow): SendView {
  const hasFailed = row.outcome === 'reverted' || row.state === 'failed' || row.state === 'rejected'
  return {
    txHash: row.txHash,
    sendId: row.sendId,
    status: hasFailed ? 'Failed' : row.outcome === 'succeeded' ? 'Confirmed' : 'Pending',
    failure: hasFailed ? failureOf(row) : null,
    failureMessage: hasFailed ? perpReverts.meaning(row.revertData) : null,
    orders: [...row.orders],
  }
}

/** A send's answer without the orders, of which only some operations tell. */
export function withoutOrders({ orders: _, ...view }: SendView): Static<typeof sendSchema> {
  return view
}
