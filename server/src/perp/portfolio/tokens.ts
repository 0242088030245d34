import Type from 'typebox'
import { erc20Abi } from 'viem'
import { type ContractRead, contractRead, readContract } from '../../chain/read.ts'
import type { Rpc } from '../../chain/rpc.ts'
import { RpcError } from '../../chain/rpc-error.ts'
import type { Hex } from '../../chain/types.ts'
import { jsonNumber } from '../../lib/decimal.ts'
import { AppError } from '../../lib/errors.ts'
import { WAD_DECIMALS } from '../../lib/wad.ts'
import type { Instruments, ListedInstrument } from '../listing/catalogue.ts'
import { unreachable } from '../listing/pair.ts'
import { isDollarQuoted } from '../listing/quote.ts'
import { baseToken, quoteToken, tokenExample, tokenSchema } from '../market-data/token-view.ts'
import { perpReasons } from '../reasons.ts'

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

/** Gives tokens by their addresses: quotes of instruments as these have them, others as their contracts say, asked once. */
export function tokenBook(
  rpc: Rpc,
): (instruments: Instruments, addresses: readonly Hex[]) => Promise<Map<Hex, KnownToken>> {
  const others = new Map<Hex, KnownToken>([[NATIVE, other(NATIVE, 'native', WAD_DECIMALS)]])
  return async ({ list }, addresses) => {
    const quotes = new Map(
      list.map((instrument) => {
        const known = { view: quoteToken(instrument), isDollar: isDollarQuoted(instrument) }
        return [instrument.quote.address, known]
      }),
    )
    const found = new Map<Hex, KnownToken>()
    for (const address of new Set(addresses)) {
      const known = quotes.get(address) ?? others.get(address) ?? (await readToken(rpc, address))
      if (!quotes.has(address)) others.set(address, known)
      found.set(address, known)
    }
    return found
  }
}

/** Throws `perp_chain_unreachable`. A token that does not say is shown in its least units. */
async function readToken(rpc: Rpc, address: Hex): Promise<KnownToken> {
  const ask = <T>(read: ContractRead<T>, otherwise: T): Promise<T> =>
    readContract(rpc, read).catch((cause) => {
      // A contract that is no such token reverts, or answers something else.
      if (cause instanceof RpcError && cause.failure !== 'rpc_error') throw unreachable(cause)
      return otherwise
    })
  const token = { address, abi: erc20Abi }
  return other(address, await ask(contractRead(token, 'symbol'), ''), await ask(contractRead(token, 'decimals'), 0))
}
