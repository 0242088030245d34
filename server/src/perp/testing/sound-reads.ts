import { PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import type { SoundRequests, StatusDesk } from './status-desk.ts'

const expiry = String(PERPETUAL_EXPIRY)
const nothing = () => ({})
const ofSymbol = () => ({ query: { symbol: 'BTC/USDC' } })
const candles = () => ({ query: { symbol: 'BTC/USDC', interval: '1h' } })
const orderById = async ({ user, indexed }: StatusDesk) => {
  await indexed()
  const [open] = (await user.get('order/realtime')).data
  return { query: { orderId: String(open.orderId) } }
}
const ofAccount = ({ user }: StatusDesk) => ({ query: { userAddress: user.address } })

/** A pair as the published client's reads name it, in one way or the other. */
const ofInstrument =
  (more: Readonly<Record<string, string>> = {}) =>
  ({ btc }: StatusDesk) => ({ query: { instrument: btc, expiry, ...more } })
const ofAddress =
  (more: Readonly<Record<string, string>> = {}) =>
  ({ btc }: StatusDesk) => ({ query: { address: btc, expiry, ...more } })

/** Every read but the wallet's keys, One Click, kept orders and money (sound-sends.ts). */
export const SOUND_READS: SoundRequests = {
  'GET /v4/public/trader/market/serverTime': nothing,
  'GET /v4/public/trader/market/instruments': nothing,
  'GET /v4/public/trader/market/kline': candles,
  'GET /v4/public/trader/market/orderBook': ofSymbol,
  'GET /v4/public/trader/market/tickers': nothing,
  'GET /v4/public/trader/market/funding/history': ofSymbol,

  'GET /v4/public/trader/account/deposit-withdraw': nothing,
  'GET /v4/public/trader/account/transaction-history': nothing,
  'GET /v4/public/trader/position/list': nothing,
  'GET /v4/public/trader/order/realtime': nothing,
  'GET /v4/public/trader/order/byId': orderById,
  'GET /v4/public/trader/order/history': nothing,
  'GET /v4/public/trader/execution/list': nothing,
  'GET /v4/public/trader/liquidity/list': nothing,
  'GET /v4/public/trader/liquidity/history': nothing,

  'GET /v4/public/mm/account/transaction-history': nothing,
  'GET /v4/public/mm/position/list': nothing,
  'GET /v4/public/mm/order/realtime': nothing,
  'GET /v4/public/mm/orderById': orderById,
  'GET /v4/public/mm/order/history': nothing,
  'GET /v4/public/mm/execution/list': nothing,
  'GET /v4/public/mm/liquidity/list': nothing,
  'GET /v4/public/mm/liquidity/history': nothing,
  'GET /v4/public/mm/serverTime': nothing,
  'GET /v4/public/mm/instruments-info': nothing,
  'GET /v4/public/mm/kline': candles,
  'GET /v4/public/mm/orderBook': ofSymbol,
  'GET /v4/public/mm/tickers': ofSymbol,
  'GET /v4/public/mm/funding/history': ofSymbol,
  'GET /v4/public/mm/token/coinsWithSymbol': nothing,

  'GET /v4/public/portfolio': ofAccount,
  'GET /v4/public/history/trade': ofAccount,
  'GET /v4/public/history/order': ofAccount,
  'GET /v4/public/history/liquidity': ofAccount,
  'GET /v4/public/history/fundFlow': ofAccount,
  'GET /v4/public/history/funding': ofAccount,
  'GET /v4/public/history/transfer': ofAccount,

  'GET /v4/public/market/marketPairInfo': ofAddress(),
  'GET /v4/public/market/marketList': nothing,
  'GET /v4/public/market/instrument': ({ btc }) => ({ query: { address: btc } }),
  'GET /v4/public/market/inquire': ofInstrument({ size: '1000000000000000000' }),
  'GET /v4/public/market/inquireByTick': async (desk) => ofInstrument({ tick: String((await desk.tick()) + 40) })(desk),
  'GET /v4/public/market/inquireByNotional': ofInstrument({ notional: '90000000000000000000000', long: 'true' }),
  'GET /v4/public/market/orderBook': ofAddress(),
  'GET /v4/public/market/kline': ofInstrument({ interval: '1h' }),
  'GET /v4/public/market/depth': ofAddress({ stepRatio: '100' }),
  'GET /v4/public/market/getOnChainContext': (desk) =>
    ofInstrument({ userAddress: desk.user.address, signedSize: '1000000000000000000' })(desk),
  'GET /v4/public/market/getOnChainContext/onChainQuery': (desk) =>
    ofInstrument({ userAddress: desk.user.address })(desk),
  'GET /v4/public/market/user/gateValue': ({ user }) => ({ query: { userAddress: user.address } }),
  'GET /v4/public/market/user/volumes': ({ user }) => ({ query: { userAddress: user.address } }),
  'GET /v4/public/token/tokensWithAddress': nothing,
}
