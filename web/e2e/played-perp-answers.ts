// What a venue of perpetuals answers the screens of the played tests.
import type { GetKeptOrdersResult, Pair, Position, PreviewActionResult } from '@bourse/sdk/perp'
import { ALICE, type Answers } from './played-venue.ts'

export const PERPETUAL = 4_294_967_295
export const TRADER = '/v4/public/trader'
export const PREVIEW = `POST ${TRADER}/order/preview`
export const INSTRUMENTS = `GET ${TRADER}/market/instruments`
export const [FIRST, SECOND, OTHER] = ['11', '22', '33'].map((byte) => `0x${byte.repeat(20)}`) as [
  string,
  string,
  string,
]
export const [USDC, NEW_USDC, EURC] = ['c1', 'c2', 'c3'].map((byte) => `0x${byte.repeat(20)}`) as [
  string,
  string,
  string,
]
const WAD = 10n ** 18n
export const wad = (whole: number) => String(BigInt(whole) * WAD)

export function market(instrumentAddr: string, symbol: string, quote: string): Pair {
  const [base = '', unit = ''] = symbol.split('/')
  const none = { long: '0', short: '0' }
  return {
    instrumentAddr,
    expiry: PERPETUAL,
    symbol,
    fullSymbol: symbol,
    baseToken: { address: `0x${'0'.repeat(40)}`, symbol: base, decimals: 18, image: '', price: '0' },
    quoteToken: { address: quote, symbol: unit, decimals: 6, image: '', price: '1' },
    fairPrice: wad(100),
    markPrice: wad(100),
    spotPrice: wad(100),
    priceStatus: 'LIVE',
    fairPriceChange24h: '0',
    baseVolume24h: '0',
    quoteVolume24h: '0',
    volume24hUsd: null,
    openInterests: '0',
    openInterestsUsd: null,
    longOi: '0',
    shortOi: '0',
    tvl: '0',
    tvlUsd: null,
    periods1hFunding: none,
    last1hFunding: none,
    fundingRatePerHour: '0',
    updateTime: 1_760_000_000,
    marketType: 'perp',
    poolFee24h: '0',
    maxLeverage: '20',
    condition: 0,
    ammStatus: 1,
  }
}

export const held = (instrumentAddr: string, symbol: string, size: number): Partial<Position> & { symbol: string } => ({
  instrumentAddr,
  expiry: PERPETUAL,
  symbol,
  size: wad(size),
  side: 2,
  entryPrice: wad(100),
  markPrice: wad(100),
  unrealizedPnl: wad(3),
  unrealizedFunding: '0',
  unrealizedSocialLoss: '0',
  equity: wad(12),
  leverage: wad(2),
  liquidationPrice: wad(50),
})

export const purse = (quote: string) => ({
  quote,
  symbol: 'USDC',
  decimals: 6,
  balance: '0',
  pendingBalance: { amount: '0', timestamp: 0 },
  reservedBalance: '0',
  thresholdBalance: wad(1000),
  maxWithdrawable: '0',
  walletBalance: wad(10),
  allowance: wad(10),
})

export const NOTHING = { address: ALICE, portfolios: [], isBlacklisted: false, pendingDuration: '0' }

export const preview = (price: number): Partial<PreviewActionResult> => ({
  price: wad(price),
  priceImpact: null,
  notional: null,
  fee: null,
  amount: null,
  orders: [],
  range: null,
  before: null,
  after: null,
  needsApproval: false,
})

type Kept = GetKeptOrdersResult['list'][number]

export const kept = (nth: number, status: Kept['status']): Partial<Kept> => ({
  keptOrderId: String(nth),
  linkedOrderIds: [],
  symbol: 'ETH/EURC',
  expiry: PERPETUAL,
  side: 1,
  kind: 'stopLoss',
  triggerPrice: wad(80),
  size: null,
  slippageBps: 50,
  status,
  message: null,
  txHash: null,
  createdAt: 1_760_000_000 + nth,
})

export function perpAnswers(): Answers {
  return {
    'GET /v4/public/market/marketList': () => [market(FIRST, 'BTC/USDC', USDC), market(OTHER, 'ETH/EURC', EURC)],
    'GET /v4/public/market/orderBook': () => ({}),
    [`GET ${TRADER}/position/list`]: () => [],
    [`GET ${TRADER}/order/realtime`]: () => [],
    [`GET ${TRADER}/liquidity/list`]: () => [],
    [`GET ${TRADER}/order/kept`]: () => ({ list: [], totalCount: 0 }),
    [`GET ${TRADER}/account/wallet-balance`]: () => NOTHING,
    [`GET ${TRADER}/1ct/status`]: () => ({ status: 'disabled', delegatee: ALICE }),
    [`GET ${TRADER}/api-key/list`]: () => [],
    [PREVIEW]: () => preview(1111),
  }
}
