import Type, { type Static } from 'typebox'
import { type Abi, erc20Abi } from 'viem'
import { readContracts } from '../../chain/read.ts'
import type { Rpc } from '../../chain/rpc.ts'
import { RpcError } from '../../chain/rpc-error.ts'
import type { Hex } from '../../chain/types.ts'
import { AppError } from '../../lib/errors.ts'
import type { Instruments, ListedInstrument, QuoteToken } from '../listing/catalogue.ts'
import { unreachable } from '../listing/pair.ts'
import { perpReasons } from '../reasons.ts'

/** Quotes of this kind are worth one dollar. */
const STABLE = 1
const STABLE_USD = 1

const WAD_DECIMALS = 18

/** A token as rows of histories have it. */
export const tokenSchema = Type.Object({
  address: Type.String({ description: 'Empty for a base that is no token.' }),
  symbol: Type.String(),
  decimals: Type.Integer(),
  image: Type.String({ description: 'Always empty.' }),
  price: Type.Union([Type.Number(), Type.Null()], { description: 'USD; null where the venue does not say.' }),
})
export type TokenView = Static<typeof tokenSchema>

export const TOKEN_EXAMPLES = {
  baseToken: { address: '', symbol: 'BTC', decimals: 18, image: '', price: null },
  quoteToken: {
    ...{ address: '0x5fbdb2315678afecb367f032d93f642f64180aa3', symbol: 'USDC', decimals: 6 },
    ...{ image: '', price: 1 },
  },
}

/** The instrument of recorded rows. Throws `perp_chain_unreachable` where it is younger than the list, which is a second old at most. */
export function listedAt({ list }: Instruments, address: Hex): ListedInstrument {
  const found = list.find((instrument) => instrument.address === address)
  if (found) return found
  throw new AppError(perpReasons.perp_chain_unreachable, `instrument ${address} is being read; try again`)
}

export const quoteView = ({ quote, quoteType }: Pick<ListedInstrument, 'quote' | 'quoteType'>): TokenView => ({
  ...tokenView(quote),
  price: quoteType === STABLE ? STABLE_USD : null,
})

const tokenView = ({ address, symbol, decimals }: QuoteToken) => ({ address, symbol, decimals, image: '' })

/** Symbol and tokens of an instrument, as histories carry them. */
export const pairFields = (instrument: ListedInstrument) => ({
  symbol: instrument.symbol,
  baseToken: { address: '', symbol: instrument.base, decimals: WAD_DECIMALS, image: '', price: null },
  quoteToken: quoteView(instrument),
})

/** Their schemas. */
export const pairFieldSchemas = { symbol: Type.String(), baseToken: tokenSchema, quoteToken: tokenSchema }

/** How Gate's events name the chain's own coin (perp-protocol 1.2). */
const NATIVE: Hex = '0x1d6b1d2ad091bec4aae6a131c92008701531fdaf'
const NATIVE_VIEW: TokenView = { address: NATIVE, symbol: 'native', decimals: WAD_DECIMALS, image: '', price: null }

/** Gives tokens by their addresses: quotes of instruments as these have them, others as their contracts say, asked once. */
export function tokenBook(
  rpc: Rpc,
): (instruments: Instruments, addresses: readonly Hex[]) => Promise<Map<Hex, TokenView>> {
  const others = new Map<Hex, TokenView>([[NATIVE, NATIVE_VIEW]])
  return async ({ list }, addresses) => {
    const quotes = new Map(list.map((instrument) => [instrument.quote.address, quoteView(instrument)]))
    const found = new Map<Hex, TokenView>()
    for (const address of new Set(addresses)) {
      const known = quotes.get(address) ?? others.get(address) ?? (await readToken(rpc, address))
      if (!quotes.has(address)) others.set(address, known)
      found.set(address, known)
    }
    return found
  }
}

/** Throws `perp_chain_unreachable`. A token that does not say is shown in its least units. */
async function readToken(rpc: Rpc, address: Hex): Promise<TokenView> {
  const ask = <T>(functionName: string, otherwise: T): Promise<T> =>
    readContracts(rpc, [{ address, abi: erc20Abi as Abi, functionName }]).then(
      ({ results }) => results[0] as T,
      (cause) => {
        // A contract that is no such token reverts, or answers something else.
        if (cause instanceof RpcError && cause.failure !== 'rpc_error') throw unreachable(cause)
        return otherwise
      },
    )
  const [symbol, decimals] = [await ask('symbol', ''), await ask('decimals', 0)]
  return { ...tokenView({ address, symbol, decimals }), price: null }
}
