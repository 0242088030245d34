import { encodeFunctionData } from 'viem'
import { gateAbi } from '../../chain/abi/gate.ts'
import { instrumentAbi } from '../../chain/abi/instrument.ts'
import { relayRouterAbi } from '../../chain/abi/relay-router.ts'
import type { Hex } from '../../chain/types.ts'
import {
  type AddTerms,
  addWords,
  type BatchTerms,
  batchWords,
  cancelWord,
  fillWord,
  type OrderKey,
  type PairTime,
  type RemoveTerms,
  removeWords,
  type TradeTerms,
  tokenWord,
  tradeWords,
} from './words.ts'

/** A call as the user's own wallet makes it. */
export interface OwnCall {
  readonly own: Hex
}

/** A call in both forms: as the user's own wallet makes it, and as the relay router makes it in the user's name. */
export interface Call extends OwnCall {
  readonly relayed: Hex
}

/** A transaction for a wallet to sign. */
export interface OwnTransaction {
  readonly to: Hex
  readonly data: Hex
}

const abi = instrumentAbi

export const tradeCall = (user: Hex, terms: TradeTerms): Call => {
  const words = tradeWords(terms)
  return {
    own: encodeFunctionData({ abi, functionName: 'trade', args: [words] }),
    relayed: encodeFunctionData({ abi, functionName: 'tradeFor', args: [user, words] }),
  }
}

export const placeCall = (user: Hex, terms: TradeTerms): Call => {
  const words = tradeWords(terms)
  return {
    own: encodeFunctionData({ abi, functionName: 'place', args: [words] }),
    relayed: encodeFunctionData({ abi, functionName: 'placeFor', args: [user, words] }),
  }
}

export const batchPlaceCall = (user: Hex, terms: BatchTerms): Call => {
  const words = batchWords(terms)
  return {
    own: encodeFunctionData({ abi, functionName: 'batchPlace', args: [words] }),
    relayed: encodeFunctionData({ abi, functionName: 'batchPlaceFor', args: [user, words] }),
  }
}

export const cancelCall = (user: Hex, pair: PairTime, ticks: readonly number[]): Call => {
  const word = cancelWord(pair, ticks)
  return {
    own: encodeFunctionData({ abi, functionName: 'cancel', args: [word] }),
    relayed: encodeFunctionData({ abi, functionName: 'cancelFor', args: [user, word] }),
  }
}

/**
 * Claims an order of which everything was taken. The relay router fills for nobody, since that would earn a tip; a cancel of
 * such an order comes to the same without one.
 */
export const fillCall = (user: Hex, pair: PairTime, key: OrderKey): Call => ({
  own: encodeFunctionData({ abi, functionName: 'fill', args: [fillWord(pair.expiry, user, key)] }),
  relayed: cancelCall(user, pair, [key.tick]).relayed,
})

export const addCall = (user: Hex, terms: AddTerms): Call => {
  const words = addWords(terms)
  return {
    own: encodeFunctionData({ abi, functionName: 'add', args: [words] }),
    relayed: encodeFunctionData({ abi, functionName: 'addFor', args: [user, words] }),
  }
}

/** The owner is in the words. */
export const removeCall = (terms: RemoveTerms): Call => {
  const words = removeWords(terms)
  return {
    own: encodeFunctionData({ abi, functionName: 'remove', args: [words] }),
    relayed: encodeFunctionData({ abi, functionName: 'removeFor', args: [words] }),
  }
}

export const depositCall = (user: Hex, token: Hex, amountRaw: bigint): Call => {
  const word = tokenWord(token, amountRaw)
  return {
    own: encodeFunctionData({ abi: gateAbi, functionName: 'deposit', args: [word] }),
    relayed: encodeFunctionData({ abi: gateAbi, functionName: 'depositFor', args: [user, word] }),
  }
}

export const withdrawCall = (user: Hex, token: Hex, amountRaw: bigint): Call => {
  const word = tokenWord(token, amountRaw)
  return {
    own: encodeFunctionData({ abi: gateAbi, functionName: 'withdraw', args: [word] }),
    relayed: encodeFunctionData({ abi: gateAbi, functionName: 'withdrawFor', args: [user, word] }),
  }
}

export const multicall = (calls: readonly Hex[]): Hex =>
  encodeFunctionData({ abi, functionName: 'multicall', args: [calls] })

/** Calls of one contract as one transaction of the wallet: all of them or none. */
export function ownTransaction(to: Hex, calls: readonly OwnCall[]): OwnTransaction {
  const [first, ...more] = calls.map(({ own }) => own)
  if (first === undefined) throw new RangeError('there is nothing to call')
  return { to, data: more.length === 0 ? first : multicall([first, ...more]) }
}

/** The same calls in the user's name, by the relay router; `subAccount` is logged and means nothing. */
export function relayedData(subAccount: Hex, user: Hex, to: Hex, calls: readonly Call[]): Hex {
  const [first, ...more] = calls.map(({ relayed }) => relayed)
  if (first === undefined) throw new RangeError('there is nothing to call')
  const isPaidByUser = false
  if (more.length === 0) {
    const args = [subAccount, user, to, first, isPaidByUser] as const
    return encodeFunctionData({ abi: relayRouterAbi, functionName: 'batch', args })
  }
  const args = [subAccount, user, calls.map(() => to), [first, ...more], isPaidByUser] as const
  return encodeFunctionData({ abi: relayRouterAbi, functionName: 'batchMulticall', args })
}
