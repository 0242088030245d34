import { AppError } from '../../lib/errors.ts'
import type { PerpContext } from '../context.ts'
import type { ListedInstrument } from '../listing/catalogue.ts'
import { pairUnknown } from '../market-data/books.ts'
import type { Pair } from '../market-data/pair-reader.ts'
import { perpReasons } from '../reasons.ts'
import { checkChainId } from '../schemas.ts'

/** A pair with its instrument. */
export interface NamedPair {
  readonly instrument: ListedInstrument
  readonly pair: Pair
}

/** Lets parameters through that begin with the venue's chain. Throws `chain_id_differs`. */
export function resolveChain({ chainId }: Pick<PerpContext, 'chainId'>, parameters: readonly string[]) {
  checkChainId(chainId, { chainId: Number(parameters[0]) })
  return parameters
}

/** Lets parameters through that begin with the chain and an open pair of it. Throws `chain_id_differs`, `instrument_unknown`, `pair_unknown`. */
export async function resolvePair(context: PerpContext, parameters: readonly string[]): Promise<readonly string[]> {
  resolveChain(context, parameters)
  const [, address = '', expiry] = parameters
  await requirePair(context, address, Number(expiry))
  return parameters
}

/** The pair of an instrument's address. Throws `instrument_unknown`, `pair_unknown`. */
export async function requirePair(context: PerpContext, address: string, expiry: number): Promise<NamedPair> {
  const { list } = await context.instruments()
  const instrument = list.find((one) => one.address === address.toLowerCase())
  if (!instrument) {
    const known = list.map((one) => `${one.address} (${one.symbol})`).join(', ')
    throw new AppError(perpReasons.instrument_unknown, `there is no instrument at ${address}; there is ${known}`)
  }
  const { pairs } = await context.summary()
  const isOpen = pairs.some((pair) => pair.instrument.address === instrument.address && pair.expiry === expiry)
  if (!isOpen) throw pairUnknown(instrument.symbol, expiry)
  return { instrument, pair: { instrument: instrument.address, expiry } }
}
