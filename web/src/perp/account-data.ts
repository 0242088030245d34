// What the session's wallet has: each list asked again when the stream says that what is in it changed, and positions every few seconds.
import { getKeptOrders, getLiquidity, getOpenOrders, getPositions, getWalletBalance } from '@bourse/sdk/perp'
import { createResource, ofSession } from '../lib/resource.ts'
import { changes, changesOf, keptHere } from './account-changes.ts'
import type { Unit } from './figures.tsx'
import { type Market, markets, trader, trading } from './venue.ts'

/** Profit moves with every price, which no signal tells. A key has 120 requests a minute for everything. */
const EVERY_MS = 8000
/** Programs make some, and they end without a signal. */
const WAITING_EVERY_MS = 30_000

export const positions = createResource((abort) => getPositions(trader().client, {}, { signal: abort }))
export const openOrders = createResource((abort) => getOpenOrders(trader().client, {}, { signal: abort }))
export const ranges = createResource((abort) => getLiquidity(trader().client, {}, { signal: abort }))
/** Take-profits and stop-losses that wait for the mark: a wallet has half as many at most. */
export const waiting = createResource(async (abort) => {
  const { list } = await getKeptOrders(trader().client, { status: 'open', size: 200 }, { signal: abort })
  return list
})
export const wallet = createResource((abort) => getWalletBalance(trader().client, {}, { signal: abort }))

ofSession(trading, [positions], changesOf('position'))
ofSession(trading, [waiting], keptHere)
ofSession(trading, [openOrders], changesOf('order'))
ofSession(trading, [ranges], changesOf('range'))
ofSession(trading, [wallet], changes)
// One that is sent changes the position. Who has none is not asked for it: traders without any need their requests for trades.
changesOf('position').subscribe(() => {
  if (trading.peek() && waiting.data.peek()?.length) void waiting.refresh()
})
const isDue = () => trading.peek() !== null && !document.hidden
setInterval(() => isDue() && void positions.refresh(), EVERY_MS)
setInterval(() => isDue() && positions.data.peek()?.length && void waiting.refresh(), WAITING_EVERY_MS)

export type Held = NonNullable<typeof positions.data.value>[number]
export type Resting = NonNullable<typeof openOrders.data.value>[number]
export type Waiting = NonNullable<typeof waiting.data.value>[number]
export type Range = NonNullable<typeof ranges.data.value>[number]

const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

/** The row of a market's quote token. */
export const balanceOf = (market: Market) =>
  wallet.data.value?.portfolios.find(({ quote }) => isSame(quote, market.quoteToken.address))

interface OfInstrument {
  readonly instrumentAddr: string
  readonly symbol: string
}

/** The token that a row's amounts are in: that of its own market, whichever one is open. */
export const unitOf = ({ instrumentAddr, symbol }: OfInstrument): Unit =>
  markets.data.value?.find((market) => isSame(market.instrumentAddr, instrumentAddr))?.quoteToken ?? {
    symbol: symbol.split('/')[1] ?? '',
    price: '0',
  }

/** The token of a row of the wallet's balances. */
export const unitAt = ({ quote, symbol }: { readonly quote: string; readonly symbol: string }): Unit =>
  markets.data.value?.find(({ quoteToken }) => isSame(quoteToken.address, quote))?.quoteToken ?? { symbol, price: '0' }

export const isOf =
  ({ instrumentAddr, expiry }: Pick<Market, 'instrumentAddr' | 'expiry'>) =>
  (one: { readonly instrumentAddr: string; readonly expiry: number }): boolean =>
    isSame(one.instrumentAddr, instrumentAddr) && one.expiry === expiry
