import type { Static } from 'typebox'
import { zeroAddress } from 'viem'
import type { Hex } from '../../chain/types.ts'
import type { PerpContext } from '../context.ts'
import type { PairState } from '../market-data/pair-reader.ts'
import { type NamedPair, requirePair } from '../market-data/resolve-pair.ts'
import { checkChainId } from '../schemas.ts'
import type { contextQuery } from './query.ts'
import { askObserver, type ObserverAnswer } from './reads.ts'

/** What Observer answers of a pair, an account in it and a size. */
interface OnChainContext extends ObserverAnswer<PairState>, NamedPair {
  /** Lower-case; zero of nobody. */
  readonly user: Hex
}

/** Reads the context that a query names. Throws `INQUIRY_REASONS`. */
export async function readContext(context: PerpContext, query: Static<typeof contextQuery>): Promise<OnChainContext> {
  checkChainId(context.chainId, query)
  const user = (query.userAddress ?? zeroAddress).toLowerCase() as Hex
  const { instrument, pair } = await requirePair(context, query.instrument, query.expiry)
  const args = [pair.instrument, pair.expiry, user, BigInt(query.signedSize ?? 0)] as const
  const { block, answer } = await askObserver(context.venue, 'fetchOnChainContext', args)
  return { block, answer, instrument, pair, user }
}
