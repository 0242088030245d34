import Type, { type Static } from 'typebox'
import { CREATED_AT, DEADLINE } from '../../http/examples.ts'
import { nullable } from '../../http/schemas.ts'
import { unixSeconds } from '../../lib/clock.ts'
import { PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import { perpReverts } from '../reverts/perp-reverts.ts'
import { wad } from '../schemas.ts'
import { KINDS, STATES } from './kept-order.ts'
import type { KeptRow } from './kept-store.ts'

const seconds = (description: string) => Type.Integer({ description: `${description}, Unix seconds.` })

export const KEPT_ID = '33333333-3333-4333-8333-333333333333'
const OTHER_ID = '44444444-4444-4444-8444-444444444444'

export const statusSchema = (description: string) => Type.Enum([...STATES], { description })

export const keptOrderSchema = Type.Object({
  keptOrderId: Type.String(),
  linkedOrderIds: Type.Array(Type.String(), {
    description: 'Cancelled when this one is sent, and open again when that comes to nothing.',
  }),
  symbol: Type.String(),
  expiry: Type.Integer(),
  kind: Type.Enum([...KINDS]),
  side: Type.Enum([1, 2], {
    description: 'Side of the trade: 1 sells and reduces a long, 2 buys and reduces a short.',
  }),
  triggerPrice: wad('Mark price that it waits for'),
  size: nullable(wad('Base that it takes off the position at most; null for all of it')),
  slippageBps: Type.Integer(),
  expiresAt: nullable(seconds('When it ends unsent')),
  status: statusSchema(
    'open: waits for the mark; sent: its trade is on its way; done: it traded; failed: its trade reverted, or none could be sent; cancelled; expired.',
  ),
  createdAt: seconds('When it was made'),
  endedAt: nullable(seconds('When its transaction was seen in a block, or when it ended without one')),
  triggeredPrice: nullable(wad('The mark that it was sent at')),
  tradedSize: nullable(wad('What was sent of it, positive buys')),
  txHash: nullable(Type.String({ description: 'Hash of its last transaction; null while none is signed.' })),
  reason: nullable(
    Type.String({
      description: 'Why it ended without a trade, or why its last try came to nothing: a reason or a revert by name.',
    }),
  ),
  message: nullable(Type.String({ description: 'The same in words.' })),
})
export type KeptOrderView = Static<typeof keptOrderSchema>

export const keptOrderExample: KeptOrderView = {
  keptOrderId: KEPT_ID,
  linkedOrderIds: [OTHER_ID],
  symbol: 'BTC/USDC',
  expiry: PERPETUAL_EXPIRY,
  kind: 'takeProfit',
  side: 1,
  triggerPrice: '66000000000000000000000',
  size: null,
  slippageBps: 100,
  expiresAt: DEADLINE,
  status: 'open',
  createdAt: CREATED_AT,
  endedAt: null,
  triggeredPrice: null,
  tradedSize: null,
  txHash: null,
  reason: null,
  message: null,
}

export const linkedExample: KeptOrderView = {
  ...keptOrderExample,
  keptOrderId: OTHER_ID,
  linkedOrderIds: [KEPT_ID],
  kind: 'stopLoss',
  triggerPrice: '57000000000000000000000',
}

const text = (value: bigint | null): string | null => (value === null ? null : String(value))

export function keptOrderView(row: KeptRow): KeptOrderView {
  const { keptId, linked, symbol, expiry, kind, side, slippageBps, txHash } = row
  return {
    keptOrderId: keptId,
    linkedOrderIds: [...linked],
    symbol,
    expiry,
    kind,
    side,
    slippageBps,
    txHash,
    triggerPrice: String(row.triggerWad),
    size: text(row.sizeWad),
    expiresAt: row.expiresAtSec,
    status: row.state,
    createdAt: unixSeconds(row.createdAt),
    endedAt: row.endedAt && unixSeconds(row.endedAt),
    triggeredPrice: text(row.markWad),
    tradedSize: text(row.tradesWad),
    ...whyOf(row),
  }
}

/** A revert is told as soon as it is mined. */
function whyOf({ state, outcome, reason, message, revertData }: KeptRow): Pick<KeptOrderView, 'reason' | 'message'> {
  if (state === 'done') return { reason: null, message: null }
  if (outcome !== 'reverted') return { reason, message }
  return revertedWith(revertData)
}

export function revertedWith(data: KeptRow['revertData']): { readonly reason: string; readonly message: string } {
  const called = perpReverts.name(data)
  const message = `the transaction reverted${called === null ? '' : `: ${called}`}`
  return { reason: perpReverts.decode(data)?.name ?? 'reverted', message }
}
