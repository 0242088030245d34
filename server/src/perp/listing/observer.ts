import { instrumentAbi } from '../../chain/abi/instrument.ts'
import { observerAbi } from '../../chain/abi/observer.ts'
import { contractRead, type ReturnOf } from '../../chain/read.ts'
import type { Hex } from '../../chain/types.ts'

// What Observer and instruments are asked of accounts and pairs (perp-protocol 1.6).

/** Everything that an account holds in a pair. `orders` and `ordersTaken` go with `oids`, `ranges` with `rids`. */
export type Portfolio = ReturnOf<typeof observerAbi, 'getPortfolio'>[0]
/** Pool state of a pair (perp-protocol 2.4); its status is 0 DORMANT, 1 TRADING, 2 SETTLING, 3 SETTLED. */
export type Amm = ReturnOf<typeof instrumentAbi, 'getAmm'>

interface InPair {
  readonly instrument: Hex
  readonly expiry: number | bigint
}

/** Resolves to `[Portfolio, BlockInfo]`. */
export const portfolioRead = (observer: Hex, { instrument, expiry }: InPair, trader: Hex) =>
  contractRead({ address: observer, abi: observerAbi }, 'getPortfolio', instrument, Number(expiry), trader)

/** Resolves to an `Amm`. */
export const ammRead = ({ instrument, expiry }: InPair) =>
  contractRead({ address: instrument, abi: instrumentAbi }, 'getAmm', Number(expiry))
