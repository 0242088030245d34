/** The expiry of a pair without one. */
const PERPETUAL = 2 ** 32 - 1

/** What people call a pair, and its name in the page's address: the symbol, of a dated pair with the day on which it ends (UTC). */
export const pairName = ({ symbol, expiry }: { readonly symbol: string; readonly expiry: number }): string =>
  expiry === PERPETUAL ? symbol : `${symbol} ${new Date(expiry * 1000).toISOString().slice(0, 10)}`

export const pairPath = (pair: Parameters<typeof pairName>[0]): string =>
  `/perp/trade/${encodeURIComponent(pairName(pair))}`
