import type { Abi, ContractFunctionReturnType } from 'viem'
import { instrumentAbi } from '../../chain/abi/instrument.ts'
import { observerAbi } from '../../chain/abi/observer.ts'
import type { ContractRead } from '../../chain/read.ts'
import type { Hex } from '../../chain/types.ts'

// What Observer and instruments are asked of accounts and pairs (perp-protocol 1.6).

/** Everything that an account holds in a pair. */
export type Portfolio = ContractFunctionReturnType<typeof observerAbi, 'view', 'getPortfolio'>[0]
export type Amm = ContractFunctionReturnType<typeof instrumentAbi, 'view', 'getAmm'>

interface InPair {
  readonly instrument: Hex
  readonly expiry: number | bigint
}

/** Resolves to `[Portfolio, BlockInfo]`. */
export const portfolioRead = (observer: Hex, { instrument, expiry }: InPair, trader: string): ContractRead => ({
  address: observer,
  abi: observerAbi as Abi,
  functionName: 'getPortfolio',
  args: [instrument, Number(expiry), trader],
})

/** Resolves to an `Amm`. */
export const ammRead = ({ instrument, expiry }: InPair): ContractRead => ({
  address: instrument,
  abi: instrumentAbi as Abi,
  functionName: 'getAmm',
  args: [Number(expiry)],
})
