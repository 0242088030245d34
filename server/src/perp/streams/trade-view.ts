import Type, { type Static } from 'typebox'
import { SETTLED_AT, TX_HASH } from '../../http/examples.ts'
import type { Printed } from '../../lib/decimal.ts'
import type { ListedInstrument } from '../listing/catalogue.ts'
import type { Pair } from '../market-data/pair-reader.ts'
import { expirySchema } from '../market-data/pair-state-schemas.ts'
import { pairExample } from '../market-data/pair-view.ts'
import { baseToken, quoteToken, tokenSchema } from '../market-data/token-view.ts'
import { sqrtToPrice } from '../maths/tick.ts'
import { wad } from '../schemas.ts'
import type { PairTrade } from './trade-store.ts'

/** A trade as the stream tells it (perp-api 7.4, `trades`). */
export const tradeSchema = Type.Object({
  id: Type.String({ description: 'The transaction’s hash and the trade’s place in it.' }),
  chainId: Type.Integer(),
  instrument: Type.String(),
  instrumentAddress: Type.String({ description: 'The same as instrument.' }),
  expiry: expirySchema,
  symbol: Type.String(),
  size: wad('Base, without sign'),
  balance: wad('What it cost or brought in the quote'),
  price: wad('Average price'),
  tradeFee: wad('Fee of the taker for liquidity'),
  protocolFee: wad('Fee of the taker for the protocol'),
  timestamp: Type.Integer({ description: 'Unix seconds.' }),
  txHash: Type.String(),
  type: Type.Literal('Market'),
  baseToken: tokenSchema,
  quoteToken: tokenSchema,
  typeString: Type.Enum(['market', 'liquidation']),
  side: Type.Enum(['long', 'short'], { description: 'Of the taker.' }),
  event: Type.String({ description: 'The contract’s event: Trade, or Sweep of a liquidation.' }),
  markPrice: wad('What positions were judged by'),
  fairPrice: wad('The curve’s price afterwards'),
})

export const tradeExample = (chainId: number): Static<typeof tradeSchema> => ({
  id: `${TX_HASH}-4`,
  chainId,
  instrument: pairExample.instrumentAddr,
  instrumentAddress: pairExample.instrumentAddr,
  expiry: pairExample.expiry,
  symbol: pairExample.symbol,
  size: '10000000000000000',
  balance: '601205000000000000000',
  price: '60120500000000000000000',
  tradeFee: '300602500000000000',
  protocolFee: '120241000000000000',
  timestamp: SETTLED_AT,
  txHash: TX_HASH,
  type: 'Market',
  baseToken: pairExample.baseToken,
  quoteToken: pairExample.quoteToken,
  typeString: 'market',
  side: 'long',
  event: 'Trade',
  markPrice: pairExample.markPrice,
  fairPrice: pairExample.fairPrice,
})

export function tradeView(
  chainId: number,
  instrument: ListedInstrument,
  { expiry }: Pair,
  trade: PairTrade,
): Printed<Static<typeof tradeSchema>> {
  const { sizeWad, notionalWad, kind, event } = trade
  return {
    id: `${trade.txHash}-${trade.indexInTx}`,
    chainId,
    instrument: instrument.address,
    instrumentAddress: instrument.address,
    expiry,
    symbol: instrument.symbol,
    size: String(sizeWad < 0n ? -sizeWad : sizeWad),
    balance: String(notionalWad),
    price: String(trade.priceWad),
    tradeFee: String(trade.tradeFeeWad),
    protocolFee: String(trade.protocolFeeWad),
    timestamp: trade.atSec,
    txHash: trade.txHash,
    type: 'Market',
    baseToken: baseToken(instrument, trade.markWad),
    quoteToken: quoteToken(instrument),
    typeString: kind,
    side: sizeWad > 0n ? 'long' : 'short',
    event,
    markPrice: String(trade.markWad),
    fairPrice: String(sqrtToPrice(trade.sqrtPX96)),
  }
}
