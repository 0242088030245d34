import Type from 'typebox'
import type { Rpc } from '../../chain/rpc.ts'
import type { Hex } from '../../chain/types.ts'
import { jsonNumber } from '../../lib/decimal.ts'
import { AppError } from '../../lib/errors.ts'
import { WAD_DECIMALS } from '../../lib/wad.ts'
import type { Instruments, ListedInstrument } from '../listing/catalogue.ts'
import type { NamedBlock } from '../listing/pair.ts'
import { isDollarQuoted } from '../listing/quote.ts'
import { baseToken, quoteToken, tokenExample, tokenSchema } from '../market-data/token-view.ts'
import { perpReasons } from '../reasons.ts'
import { readForeignTokens } from './foreign-tokens.ts'

export type TokenView = ReturnType<typeof quoteToken>

/** Tokens of a row, by the names they have in it. */
export const TOKEN_EXAMPLES = {
  baseToken: {
    ...tokenExample,
    address: '0x0000000000000000000000000000000000000000',
    symbol: 'BTC',
    decimals: 18,
    price: 0,
  },
  quoteToken: tokenExample,
}

/** The instrument of recorded rows. Throws `perp_chain_unreachable` where it is younger than the list, which is a second old at most. */
export function listedAt({ list }: Instruments, address: Hex): ListedInstrument {
  const found = list.find((instrument) => instrument.address === address)
  if (found) return found
  throw new AppError(perpReasons.perp_chain_unreachable, `instrument ${address} is being read; try again`)
}

/** Symbol and tokens of an instrument, as histories carry them: what the base costs now says nothing of them. */
export const pairFields = (instrument: ListedInstrument) => ({
  symbol: instrument.symbol,
  baseToken: baseToken(instrument, 0n),
  quoteToken: quoteToken(instrument),
})

/** Their schemas. */
export const pairFieldSchemas = { symbol: Type.String(), baseToken: tokenSchema, quoteToken: tokenSchema }

/** A token of movements, and whether one of it is one dollar. */
export interface KnownToken {
  readonly view: TokenView
  readonly isDollar: boolean
}

/** How Gate's events name the chain's own coin (perp-protocol 1.2). */
const NATIVE: Hex = '0x1d6b1d2ad091bec4aae6a131c92008701531fdaf'

const other = (address: Hex, symbol: string, decimals: number): KnownToken => ({
  view: { address, symbol, decimals, image: '', price: jsonNumber(0n, 0) },
  isDollar: false,
})

/** A token whose contract says nothing: amounts are shown in its least units. */
export const silentToken = (address: Hex): KnownToken => other(address, '', 0)

/** Tokens by their addresses. */
export interface KnownTokens {
  readonly known: ReadonlyMap<Hex, KnownToken>
  /** Why the node has not told what others are. The turn of those that are not here either has not come. */
  readonly failures: ReadonlyMap<Hex, unknown>
  /** Those of them that it does not run, while it answers else. They are not remembered: another node may tell, or this one later. */
  readonly refused: ReadonlySet<Hex>
}

/** So many tokens of which the contract was asked are remembered, more than one request or one publishing transaction has. */
const REMEMBERED = 5_000

/**
 * Gives tokens by their addresses: quotes of instruments as these have them, others as their contracts say at a block that is indexed, asked
 * once. No more contracts are asked at a time than `most`, those that come first.
 */
export function tokenBook(
  rpc: Rpc,
): (block: NamedBlock, instruments: Instruments, addresses: readonly Hex[], most?: number) => Promise<KnownTokens> {
  const native = other(NATIVE, 'native', WAD_DECIMALS)
  const others = new Map<Hex, KnownToken>()
  return async (block, { list }, addresses, most = addresses.length) => {
    const known = new Map<Hex, KnownToken>([[NATIVE, native]])
    for (const address of addresses) {
      const token = others.get(address)
      if (token) known.set(address, token)
    }
    for (const instrument of list) {
      known.set(instrument.quote.address, { view: quoteToken(instrument), isDollar: isDollarQuoted(instrument) })
    }
    const asked = [...new Set(addresses)].filter((address) => !known.has(address)).slice(0, most)
    const { said, failures, refused } = await readForeignTokens(rpc, block, asked)
    for (const [address, { symbol, decimals }] of said) {
      const token = other(address, symbol, decimals)
      known.set(address, token)
      remember(others, address, token)
    }
    return { known, failures, refused }
  }
}

/** In the place of the one that was met first, where there are too many. */
function remember(others: Map<Hex, KnownToken>, address: Hex, token: KnownToken): void {
  const [first] = others.keys()
  if (others.size >= REMEMBERED && first !== undefined) others.delete(first)
  others.set(address, token)
}
