import { signal } from '@preact/signals'
import { shorten } from '../lib/format.ts'

/** The expiry of a pair without one. */
const PERPETUAL = 2 ** 32 - 1

interface Named {
  readonly symbol: string
  readonly expiry: number
  /** Of kept orders the venue does not tell it. */
  readonly instrumentAddr?: string
}

/** Symbols that several instruments of the venue have, which then need more of a name. */
const shared = signal<readonly string[]>([])

/** Symbols by the address of their instrument. */
const symbols = new Map<string, string>()

/** Learns from the venue's list what instruments are called, and which symbols say too little. */
export function knowSymbols(listed: readonly { readonly symbol: string; readonly instrumentAddr: string }[]): void {
  const first = new Map<string, string>()
  const found = new Set<string>()
  for (const { symbol, instrumentAddr } of listed) {
    if ((first.get(symbol) ?? instrumentAddr) !== instrumentAddr) found.add(symbol)
    first.set(symbol, first.get(symbol) ?? instrumentAddr)
    symbols.set(instrumentAddr.toLowerCase(), symbol)
  }
  if ([...found].join() !== shared.peek().join()) shared.value = [...found]
}

const dated = ({ symbol, expiry }: Named): string =>
  expiry === PERPETUAL ? symbol : `${symbol} ${new Date(expiry * 1000).toISOString().slice(0, 10)}`

/**
 * What people call a pair, and its name in the page's address: the symbol, of a dated pair with the day on which it ends (UTC), and
 * of several instruments of one symbol with the ends of the address.
 */
export const pairName = (pair: Named): string =>
  pair.instrumentAddr && shared.value.includes(pair.symbol)
    ? `${dated(pair)} ${shorten(pair.instrumentAddr.toLowerCase())}`
    : dated(pair)

export const pairPath = (pair: Named): string => `/perp/trade/${encodeURIComponent(pairName(pair))}`

/** The pair of a page's address; one from before its symbol was shared is of the instrument that had it first. */
export const pairAt = <Pair extends Named>(listed: readonly Pair[], name: string | undefined): Pair | undefined =>
  listed.find((one) => pairName(one) === name) ?? listed.find((one) => dated(one) === name)

/** The same of a pair as records of the past name it. */
export const recordedPairName = ({
  symbol,
  expiry,
  instrumentAddress,
}: {
  readonly symbol: string
  readonly expiry: number
  readonly instrumentAddress: string
}): string => pairName({ symbol, expiry, instrumentAddr: instrumentAddress })

/** What a row is called that tells its instrument alone, whichever pair it is of: by the address where the venue lists it no more. */
export function instrumentName(address: string): string {
  const symbol = symbols.get(address.toLowerCase())
  return symbol ? pairName({ symbol, expiry: PERPETUAL, instrumentAddr: address }) : shorten(address)
}
