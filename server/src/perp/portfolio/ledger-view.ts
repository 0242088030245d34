import Type, { type Static } from 'typebox'
import { SETTLED_AT, TX_HASH } from '../../http/examples.ts'
import { formatUnits } from '../../lib/decimal.ts'
import { WAD_DECIMALS } from '../../lib/wad.ts'
import { LEDGER_KINDS } from '../indexing/ledger-store.ts'
import type { ListedInstrument } from '../listing/catalogue.ts'
import { tokenSchema } from '../market-data/token-view.ts'
import type { LedgerRow } from './record-store.ts'
import { type KnownToken, pairFieldSchemas, pairFields, TOKEN_EXAMPLES } from './tokens.ts'

/** Row 8 of perp-api 2B. */
export const movementSchema = Type.Object({
  id: Type.String(),
  tokenAddress: Type.String(),
  timestamp: Type.Integer({ description: 'Unix seconds.' }),
  value: Type.String({
    description:
      'In whole tokens; of what moves inside a pair (funding, fee, tip, loss, liquidation) negative where it was paid, else without sign.',
  }),
  valueUsd: Type.Union([Type.String(), Type.Null()], {
    description: 'Null where the venue has no price of the token.',
  }),
  txHash: Type.String(),
  type: Type.Integer({ description: `Place of typeString in: ${LEDGER_KINDS.join(', ')}; from 0.` }),
  typeString: Type.Enum(LEDGER_KINDS),
  instrumentAddress: Type.String({ description: 'Empty between wallet and Gate.' }),
  tokenInfo: tokenSchema,
})
type MovementView = Static<typeof movementSchema>

export const movementExample: MovementView = {
  id: `${TX_HASH}-1-deposit`,
  tokenAddress: TOKEN_EXAMPLES.quoteToken.address,
  timestamp: SETTLED_AT,
  value: '2500',
  valueUsd: '2500',
  txHash: TX_HASH,
  type: 0,
  typeString: 'deposit',
  instrumentAddress: '',
  tokenInfo: TOKEN_EXAMPLES.quoteToken,
}

export function movementView(row: LedgerRow, { view, isDollar }: KnownToken) {
  const value = amountOf(row, view.decimals)
  return {
    id: idOf(row),
    tokenAddress: row.token,
    timestamp: Number(row.atSec),
    value,
    valueUsd: isDollar ? value : null,
    txHash: row.txHash,
    type: LEDGER_KINDS.indexOf(row.kind),
    typeString: row.kind,
    instrumentAddress: row.instrument ?? '',
    tokenInfo: view,
  }
}

const idOf = ({ txHash, indexInTx, kind }: LedgerRow): string => `${txHash}-${indexInTx}-${kind}`

/** In whole tokens. */
const amountOf = ({ amountRaw, amountWad }: LedgerRow, decimals: number): string =>
  amountRaw === null ? formatUnits(amountWad ?? 0n, WAD_DECIMALS) : formatUnits(amountRaw, decimals)

/** Rows of a pair in the published client's histories of funding and of transfers (perp-api 8). */
export const pairMovementSchema = Type.Object({
  id: Type.String(),
  instrumentAddress: Type.String(),
  expiry: Type.Integer(),
  timestamp: Type.Integer({ description: 'Unix seconds.' }),
  txHash: Type.String(),
  typeString: Type.Enum(['receive', 'pay', 'scatter', 'gather']),
  value: Type.String({ description: 'In whole tokens, without sign.' }),
  valueUsd: Type.Union([Type.String(), Type.Null()], {
    description: 'Null where the venue has no price of the token.',
  }),
  ...pairFieldSchemas,
})

export const pairMovementExample: Static<typeof pairMovementSchema> = {
  id: `${TX_HASH}-4-funding`,
  instrumentAddress: '0x73ada1ea346cc3908f41cf67a040f0acd7808be0',
  expiry: 4_294_967_295,
  timestamp: SETTLED_AT,
  txHash: TX_HASH,
  typeString: 'pay',
  value: '0.25',
  valueUsd: '0.25',
  symbol: 'BTC/USDC',
  ...TOKEN_EXAMPLES,
}

export function pairMovementView(row: LedgerRow, { view, isDollar }: KnownToken, instrument: ListedInstrument) {
  const signed = amountOf(row, view.decimals)
  const isPaid = signed.startsWith('-')
  const value = isPaid ? signed.slice(1) : signed
  return {
    id: idOf(row),
    instrumentAddress: instrument.address,
    expiry: Number(row.expiry),
    timestamp: Number(row.atSec),
    txHash: row.txHash,
    typeString: row.kind !== 'funding' ? row.kind : isPaid ? 'pay' : 'receive',
    value,
    valueUsd: isDollar ? value : null,
    ...pairFields(instrument),
  }
}
