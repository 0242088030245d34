/** A model's action as a message to the contracts, and what they answered in the model's words. */
import { type Abi, decodeErrorResult, decodeEventLog, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import type { AdminAction, GateAction, RiskAction, UserAction } from '../perp-model/actions.ts'
import { PERP_EXPIRY } from '../perp-model/amm.ts'
import { EVENTS } from '../perp-model/events.ts'
import { type Json, toJson } from '../perp-model/image.ts'
import type { Action } from '../perp-model/world.ts'
import type { Log, Message } from './chain.ts'
import type { Contract, Deployment } from './deploy.ts'
import { addWords, batchPlaceWords, cancelWord, fillWord, removeWords, tokenWord, tradeWords } from './words.ts'

type Call = {
  readonly from: Hex
  readonly contract: Contract
  readonly name: string
  readonly args: readonly unknown[]
}
type OnInstrument = AdminAction | UserAction | RiskAction

const FEED_UNIT_WAD = 10n ** 10n

export function messageOf(deployment: Deployment, action: Action): Message {
  const { from, contract, name, args } = callOf(deployment, action)
  return { from, to: contract.address, data: encodeFunctionData({ abi: contract.abi, functionName: name, args }) }
}

function callOf(deployment: Deployment, action: Action): Call {
  if (action.type === 'price') {
    const { feed } = instrumentAt(deployment, action.instrument)
    return { from: deployment.admin, contract: feed, name: 'set', args: [BigInt(action.spotWad) / FEED_UNIT_WAD] }
  }
  if (!('instrument' in action)) return gateCall(deployment, action)
  const contract = instrumentAt(deployment, action.instrument)
  const { name, args } = instrumentCall(action)
  const operator = 'operator' in action ? action.operator : undefined
  if (operator === undefined) return { from: action.account as Hex, contract, name, args }
  // Whose range is removed stands in the packed argument.
  const forArgs = action.type === 'remove' ? args : [action.account, ...args]
  return { from: operator as Hex, contract, name: `${name}For`, args: forArgs }
}

function gateCall({ gate, config, tokens }: Deployment, action: GateAction): Call {
  const from = action.account as Hex
  const token = 'quote' in action ? (tokens.get(action.quote)?.address ?? '0x') : '0x'
  switch (action.type) {
    case 'deposit':
    case 'withdraw': {
      const args = [tokenWord(token, BigInt(action.amountRaw))]
      const { operator } = action
      if (operator === undefined) return { from, contract: gate, name: action.type, args }
      return { from: operator as Hex, contract: gate, name: `${action.type}For`, args: [action.account, ...args] }
    }
    case 'release':
      return { from, contract: gate, name: 'release', args: [token, action.target] }
    case 'threshold':
      return { from, contract: gate, name: 'setThreshold', args: [token, BigInt(action.amountRaw)] }
    case 'blacklist':
      return { from, contract: gate, name: 'setBlacklist', args: [action.target, action.banned] }
    case 'liquidators':
      return { from, contract: config, name: 'setLiquidatorWhitelist', args: [[action.target], [action.allowed]] }
    case 'openLiquidation':
      return { from, contract: config, name: 'disableLiquidatorWhitelist', args: [] }
  }
}

function instrumentAt({ instruments }: Deployment, index: number) {
  const instrument = instruments[index]
  if (!instrument) throw new RangeError(`no instrument ${index}`)
  return instrument
}

type Named = Pick<Call, 'name' | 'args'>

function instrumentCall(action: OnInstrument): Named {
  switch (action.type) {
    case 'freeze':
    case 'normalize':
      return { name: action.type, args: [] }
    case 'resolve':
      return { name: 'resolve', args: [BigInt(action.priceWad)] }
    case 'leverage':
      return { name: 'setLeverage', args: [action.initialRatio, action.maintenanceRatio] }
    case 'fundingHour':
      return { name: 'setFundingHour', args: [action.hours] }
    case 'placePaused':
      return { name: 'setPlacePaused', args: [action.flag] }
    case 'orderRebateDisabled':
      return { name: 'setDisableOrderRebate', args: [action.flag] }
    case 'quoteParam':
      return { name: 'setQuoteParam', args: [action] }
    default:
      return pairCall(action)
  }
}

function pairCall(action: UserAction | RiskAction): Named {
  const { type, expiry = PERP_EXPIRY } = action
  switch (type) {
    case 'liquidate':
      return { name: type, args: [expiry, action.target, BigInt(action.size), BigInt(action.amount)] }
    case 'sweep':
      return { name: type, args: [expiry, action.target, BigInt(action.size)] }
    case 'settle':
      return { name: type, args: [expiry, action.target] }
    case 'donate':
      return { name: 'donateInsuranceFund', args: [expiry, BigInt(action.amount)] }
    case 'claimProtocolFee':
      return { name: type, args: [expiry] }
    case 'recycle':
      return { name: 'recycleInsuranceFund', args: [expiry] }
    default:
      // An adjustment is a trade of size 0.
      return { name: type === 'adjust' ? 'trade' : type, args: [argumentOf(action, expiry)] }
  }
}

function argumentOf(action: UserAction, expiry: number): unknown {
  switch (action.type) {
    case 'update':
      return expiry
    case 'trade':
      return tradeWords(action.limitTick, BigInt(action.amount), BigInt(action.size), action.deadline, expiry)
    case 'adjust':
      return tradeWords(0, BigInt(action.net), 0n, action.deadline, expiry)
    case 'place':
      return tradeWords(action.tick, BigInt(action.amount), BigInt(action.size), action.deadline, expiry)
    case 'batchPlace':
      return batchPlaceWords({ ...action, size: BigInt(action.size), leverage: BigInt(action.leverage) }, expiry)
    case 'cancel':
      return cancelWord(action.ticks, action.deadline, expiry)
    case 'fill':
      return fillWord(action.target, action.tick, action.nonce, expiry)
    case 'add':
      return addWords({ ...action, amount: BigInt(action.amount) }, expiry)
    case 'remove':
      return removeWords(action, expiry)
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

/** What instruments logged of their accounts' history, in the shape of the model's events. */
export function eventsOf({ instruments }: Deployment, logs: readonly Log[]): Json {
  const known: readonly string[] = EVENTS
  const decoded = logs.flatMap(({ address, data, topics }) => {
    const instrument = instruments.find((item) => item.address.toLowerCase() === address.toLowerCase())
    if (!instrument) return []
    const { eventName: name = '', args } = decodeEventLog({ abi: instrument.abi, data, topics: topics as [Hex] })
    return known.includes(name) ? [{ name, args }] : []
  })
  return lowerCase(toJson(decoded))
}

/** The name and arguments of a custom error of any of the protocol's contracts or its tokens. */
export function errorOf(deployment: Deployment, data: Hex): { readonly name: string; readonly args: Json } {
  const { instruments, gate, config, market, tokens } = deployment
  const contracts = [instruments[0], gate, config, market, tokens.values().next().value]
  const abi: Abi = contracts.flatMap((contract) => contract?.abi ?? [])
  const { errorName, args } = decodeErrorResult({ abi, data })
  return { name: errorName, args: lowerCase(toJson(args ?? [])) }
}

/** Addresses come checksummed from the decoder; the model's are as the node names its accounts. */
export function lowerCase(value: Json): Json {
  if (typeof value === 'string') return value.startsWith('0x') ? value.toLowerCase() : value
  if (Array.isArray(value)) return value.map(lowerCase)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, lowerCase(item)]))
}
