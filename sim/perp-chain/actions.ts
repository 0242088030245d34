/** A model's action as a message to the contracts, and what they answered in the model's words. */
import { type Abi, decodeErrorResult, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import { PERP_EXPIRY } from '../perp-model/amm.ts'
import { type Json, toJson } from '../perp-model/image.ts'
import type { Action } from '../perp-model/world.ts'
import type { Message } from './chain.ts'
import type { Contract, Deployment } from './deploy.ts'
import { addWords, batchPlaceWords, cancelWord, fillWord, removeWords, tokenWord, tradeWords } from './words.ts'

type Call = {
  readonly from: Hex
  readonly contract: Contract
  readonly name: string
  readonly args: readonly unknown[]
}
type OnPair = Exclude<Action, { type: 'price' | 'deposit' | 'withdraw' }>

const FEED_UNIT_WAD = 10n ** 10n

export function messageOf(deployment: Deployment, action: Action): Message {
  const { from, contract, name, args } = callOf(deployment, action)
  return { from, to: contract.address, data: encodeFunctionData({ abi: contract.abi, functionName: name, args }) }
}

function callOf(deployment: Deployment, action: Action): Call {
  switch (action.type) {
    case 'price': {
      const { feed } = instrumentAt(deployment, action.instrument)
      return { from: deployment.admin, contract: feed, name: 'set', args: [BigInt(action.spotWad) / FEED_UNIT_WAD] }
    }
    case 'deposit':
    case 'withdraw': {
      const token = deployment.tokens.get(action.quote)?.address ?? '0x'
      const args = [tokenWord(token, BigInt(action.amountRaw))]
      return { from: action.account as Hex, contract: deployment.gate, name: action.type, args }
    }
    default: {
      const contract = instrumentAt(deployment, action.instrument)
      return { from: action.account as Hex, contract, name: functionOf(action), args: [argumentOf(action)] }
    }
  }
}

function instrumentAt({ instruments }: Deployment, index: number) {
  const instrument = instruments[index]
  if (!instrument) throw new RangeError(`no instrument ${index}`)
  return instrument
}

/** An adjustment is a trade of size 0. */
function functionOf({ type }: OnPair): string {
  return type === 'adjust' ? 'trade' : type
}

function argumentOf(action: OnPair): unknown {
  switch (action.type) {
    case 'update':
      return PERP_EXPIRY
    case 'trade':
      return tradeWords(action.limitTick, BigInt(action.amount), BigInt(action.size), action.deadline)
    case 'adjust':
      return tradeWords(0, BigInt(action.net), 0n, action.deadline)
    case 'place':
      return tradeWords(action.tick, BigInt(action.amount), BigInt(action.size), action.deadline)
    case 'batchPlace':
      return batchPlaceWords({ ...action, size: BigInt(action.size), leverage: BigInt(action.leverage) })
    case 'cancel':
      return cancelWord(action.ticks, action.deadline)
    case 'fill':
      return fillWord(action.target, action.tick, action.nonce)
    case 'add':
      return addWords({ ...action, amount: BigInt(action.amount) })
    case 'remove':
      return removeWords(action)
  }
}

/** What a successful action returned, in the shape of the model's result. */
export function resultOf(deployment: Deployment, action: Action, output: Hex): Json {
  const { contract, name } = callOf(deployment, action)
  const value: unknown =
    output === '0x' ? null : decodeFunctionResult({ abi: contract.abi, functionName: name, data: output })
  const list = value as readonly unknown[]
  switch (action.type) {
    case 'place':
      return toJson({ nonce: list[0], order: list[1] })
    case 'batchPlace': {
      const [nonces, orders] = list as [readonly number[], readonly unknown[]]
      return toJson(nonces.map((nonce, i) => ({ nonce, order: orders[i] })))
    }
    case 'cancel': {
      const [done, pics] = list as [readonly boolean[], readonly unknown[]]
      return toJson(action.ticks.map((_, i) => ({ success: done[i], pic: pics[i] })))
    }
    case 'fill':
      return toJson({ pic: list[0], tip: list[1] })
    case 'add':
      return toJson({ tickLower: list[0], tickUpper: list[1], range: list[2] })
    case 'remove':
      return toJson({ pic: list[0], fee: list[1], tip: list[2] })
    default:
      return toJson(value)
  }
}

/** The name and arguments of a custom error of any of the protocol's contracts or its tokens. */
export function errorOf(deployment: Deployment, data: Hex): { readonly name: string; readonly args: Json } {
  const { instruments, gate, market, tokens } = deployment
  const abis = [instruments[0], gate, market, tokens.values().next().value].map((contract) => contract?.abi ?? [])
  const { errorName, args } = decodeErrorResult({ abi: abis.flat() as Abi, data })
  return { name: errorName, args: lowerCase(toJson(args ?? [])) }
}

/** Addresses come checksummed from the decoder; the model's are as the node names its accounts. */
export function lowerCase(value: Json): Json {
  if (typeof value === 'string') return value.startsWith('0x') ? value.toLowerCase() : value
  if (Array.isArray(value)) return value.map(lowerCase)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, lowerCase(item)]))
}
