import type { ListedInstrument } from '../listing/catalogue.ts'
import type { Pair } from '../market-data/pair-reader.ts'
import { baseToken, quoteToken } from '../market-data/token-view.ts'
import { sqrtToPrice } from '../maths/tick.ts'
import type { PairTrade } from './trade-store.ts'

/** A trade as the stream tells it (perp-api 7.4, `trades`): amounts are texts with 18 decimals. */
export function tradeView(chainId: number, instrument: ListedInstrument, { expiry }: Pair, trade: PairTrade) {
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
