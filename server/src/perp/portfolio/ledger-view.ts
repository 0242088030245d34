import Type, { type Static } from 'typebox'
import { SETTLED_AT, TX_HASH } from '../../http/examples.ts'
import { formatUnits } from '../../lib/decimal.ts'
import { WAD_DECIMALS } from '../../lib/wad.ts'
import { LEDGER_KINDS, type LedgerRow } from './record-store.ts'
import { TOKEN_EXAMPLES, type TokenView, tokenSchema } from './tokens.ts'

/** Row 8 of perp-api 2B. */
export const movementSchema = Type.Object({
  id: Type.String(),
  tokenAddress: Type.String(),
  timestamp: Type.Integer({ description: 'Unix seconds.' }),
  value: Type.String({
    description: 'In whole tokens; of funding, fee and tip negative where it was paid, else without sign.',
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

export function movementView(row: LedgerRow, token: TokenView): MovementView {
  const value =
    row.amountRaw === null ? formatUnits(row.amountWad ?? 0n, WAD_DECIMALS) : formatUnits(row.amountRaw, token.decimals)
  return {
    id: `${row.txHash}-${row.indexInTx}-${row.kind}`,
    tokenAddress: row.token,
    timestamp: Number(row.atSec),
    value,
    // A quote that counts as stable is a dollar by definition.
    valueUsd: token.price === 1 ? value : null,
    txHash: row.txHash,
    type: LEDGER_KINDS.indexOf(row.kind),
    typeString: row.kind,
    instrumentAddress: row.instrument ?? '',
    tokenInfo: token,
  }
}
