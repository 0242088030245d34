import Type, { type Static } from 'typebox'
import { SETTLED_AT, TX_HASH } from '../../http/examples.ts'
import { abs } from '../../lib/bigints.ts'
import { EXECUTION_KINDS } from '../indexing/execution-store.ts'
import type { ListedInstrument } from '../listing/catalogue.ts'
import { wad } from '../schemas.ts'
import { sideText } from './order-view.ts'
import type { ExecutionRow } from './record-store.ts'
import { pairFieldSchemas, pairFields, TOKEN_EXAMPLES } from './tokens.ts'

/** Row 13 of perp-api 2B. */
export const executionSchema = Type.Object({
  id: Type.String(),
  instrumentAddress: Type.String(),
  expiry: Type.Integer(),
  size: wad('Base, without sign'),
  balance: wad('Notional: what the size cost or brought'),
  price: wad('Notional over size'),
  tradeFee: wad('Trading fee paid; negative where a maker received it'),
  protocolFee: wad('Protocol’s fee paid'),
  timestamp: Type.Integer({ description: 'Unix seconds.' }),
  txHash: Type.String(),
  type: Type.Enum(['Market', 'Limit'], { description: 'Limit for an order that was taken.' }),
  typeString: Type.Enum(EXECUTION_KINDS),
  side: Type.Enum(['long', 'short']),
  event: Type.String({ description: 'The contract’s event.' }),
  ...pairFieldSchemas,
})
type ExecutionView = Static<typeof executionSchema>

export const executionExample: ExecutionView = {
  id: `${TX_HASH}-3-market`,
  instrumentAddress: '0x73ada1ea346cc3908f41cf67a040f0acd7808be0',
  expiry: 4_294_967_295,
  size: '10000000000000000',
  balance: '600123450000000000000',
  price: '60012345000000000000000',
  tradeFee: '300061725000000000',
  protocolFee: '120024690000000000',
  timestamp: SETTLED_AT,
  txHash: TX_HASH,
  type: 'Market',
  typeString: 'market',
  side: 'long',
  event: 'Trade',
  symbol: 'BTC/USDC',
  ...TOKEN_EXAMPLES,
}

export const executionView = (row: ExecutionRow, instrument: ListedInstrument) => ({
  id: `${row.txHash}-${row.indexInTx}-${row.kind}`,
  instrumentAddress: row.instrument,
  expiry: Number(row.expiry),
  size: String(abs(row.sizeWad)),
  balance: String(row.notionalWad),
  price: String(row.priceWad),
  tradeFee: String(row.tradeFeeWad),
  protocolFee: String(row.protocolFeeWad),
  timestamp: Number(row.atSec),
  txHash: row.txHash,
  type: row.kind === 'fill' ? 'Limit' : 'Market',
  typeString: row.kind,
  side: sideText(row.sizeWad),
  event: row.event,
  ...pairFields(instrument),
})
