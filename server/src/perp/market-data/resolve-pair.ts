import { AppError } from '../../lib/errors.ts'
import type { PerpContext } from '../context.ts'
import type { ListedInstrument } from '../listing/catalogue.ts'
import type { NamedBlock } from '../listing/pair.ts'
import { perpReasons } from '../reasons.ts'
import { checkChainId } from '../schemas.ts'
import { pairUnknown } from './books.ts'
import type { Pair } from './pair-reader.ts'

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
  const instrument = await instrumentAt(context, address)
  await requireOpen(context, instrument, expiry)
  return { instrument, pair: { instrument: instrument.address, expiry } }
}

/** Lets an instrument's open expiry through; gives the block of which it is open. Throws `pair_unknown`. */
export async function requireOpen(
  { summary }: Pick<PerpContext, 'summary'>,
  { address, symbol }: ListedInstrument,
  expiry: number,
): Promise<NamedBlock> {
  const { block, pairs } = await summary()
  const isOpen = pairs.some((pair) => pair.instrument.address === address && pair.expiry === expiry)
  if (!isOpen) throw pairUnknown(symbol, expiry)
  return block
}

/** The instrument of an address. Throws `instrument_unknown`. */
export async function instrumentAt(
  { instruments }: Pick<PerpContext, 'instruments'>,
  address: string,
): Promise<ListedInstrument> {
  const { list } = await instruments()
  const found = list.find((one) => one.address === address.toLowerCase())
  if (found) return found
  const known = list.map((one) => `${one.address} (${one.symbol})`).join(', ')
  throw new AppError(perpReasons.instrument_unknown, `there is no instrument at ${address}; there is ${known}`)
}
