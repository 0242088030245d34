/**
 * Transactions as actions of the model: what a venue did on its chain, replayed through the model, says where every account
 * should be. The inverse of `actions.ts`.
 */
import { decodeFunctionData, type Hex } from 'viem'
import { PERP_EXPIRY } from '../perp-model/amm.ts'
import { EMPTY_TICK } from '../perp-model/tick.ts'
import type { Action } from '../perp-model/world.ts'
import type { Contract, Deployment } from './deploy.ts'

type Message = { readonly from: string; readonly to: string; readonly data: Hex }
type Call = {
  readonly name: string
  readonly args: readonly unknown[]
  readonly account: string
  readonly operator?: string
}

const FEED_UNIT_WAD = 10n ** 10n

/**
 * What a successful call to the Gate, an instrument or a feed was, one action for each call in a `multicall`; nothing for other
 * contracts. Throws RangeError for a function that the model has no action for.
 */
export function actionsOf(deployment: Deployment, { from, to, data }: Message, timeSec: number): Action[] {
  const address = to.toLowerCase()
  const isAt = (contract: Contract) => contract.address.toLowerCase() === address
  const instrument = deployment.instruments.findIndex(isAt)
  const feed = deployment.instruments.findIndex((item) => isAt(item.feed))
  if (feed >= 0) {
    const { args } = decode(deployment.instruments[feed]?.feed as Contract, data, from)
    return [{ type: 'price', timeSec, instrument: feed, spotWad: `${(args[0] as bigint) * FEED_UNIT_WAD}` }]
  }
  if (isAt(deployment.gate)) return [gateAction(deployment, decode(deployment.gate, data, from), timeSec)]
  if (instrument < 0) return []
  const contract = deployment.instruments[instrument] as Contract
  const call = decode(contract, data, from)
  if (call.name !== 'multicall') return [instrumentAction(call, { timeSec, instrument })]
  const inner = call.args[0] as readonly Hex[]
  return inner.flatMap((item) => actionsOf(deployment, { from, to, data: item }, timeSec))
}

/** In a `…For` call the account is the one it names; the sender is the operator. */
function decode({ abi }: Contract, data: Hex, from: string): Call {
  const { functionName: name, args = [] } = decodeFunctionData({ abi, data })
  if (!name.endsWith('For')) return { name, args, account: from }
  const own = name.slice(0, -'For'.length)
  if (own === 'remove') return { name: own, args, account: ownerOf((args[0] as readonly Hex[])[1]), operator: from }
  return { name: own, args: args.slice(1), account: (args[0] as string).toLowerCase(), operator: from }
}

function ownerOf(word: Hex | undefined): string {
  return addressOf(fields(word as Hex, 160)[0] as bigint)
}

function addressOf(value: bigint): string {
  return `0x${value.toString(16).padStart(40, '0')}`
}

/** Fields from the least significant bit on; a negative width is that of a signed one. */
function fields(word: Hex, ...widths: readonly number[]): bigint[] {
  let rest = BigInt(word)
  return widths.map((width) => {
    const bits = Math.abs(width)
    const value = width < 0 ? BigInt.asIntN(bits, rest) : BigInt.asUintN(bits, rest)
    rest >>= BigInt(bits)
    return value
  })
}

function numbers(word: Hex, ...widths: readonly number[]): number[] {
  return fields(word, ...widths).map(Number)
}

function gateAction({ tokens }: Deployment, { name, args, account, operator }: Call, timeSec: number): Action {
  const symbolOf = (token: string) => {
    const found = [...tokens].find(([, { address }]) => address.toLowerCase() === token.toLowerCase())
    if (!found) throw new RangeError(`${token} is no quote of the deployment`)
    return found[0]
  }
  const own = { timeSec, account, ...(operator !== undefined && { operator }) }
  switch (name) {
    case 'deposit':
    case 'withdraw': {
      const [token = 0n, amount] = fields(args[0] as Hex, 160, 96)
      return { type: name, ...own, quote: symbolOf(addressOf(token)), amountRaw: `${amount}` }
    }
    case 'release':
      return {
        type: name,
        timeSec,
        account,
        quote: symbolOf(args[0] as string),
        target: (args[1] as string).toLowerCase(),
      }
    case 'setThreshold':
      return { type: 'threshold', timeSec, account, quote: symbolOf(args[0] as string), amountRaw: `${args[1]}` }
    case 'setBlacklist': {
      const target = (args[0] as string).toLowerCase()
      return { type: 'blacklist', timeSec, account, target, banned: args[1] as boolean }
    }
    default:
      throw new RangeError(`the model has no action for ${name} of the Gate`)
  }
}

type Frame = { readonly timeSec: number; readonly instrument: number }

/** The perpetual is what an action without an expiry is about. */
function on(frame: Frame, { account, operator }: Call, expiry: number) {
  const dated = expiry === PERP_EXPIRY ? {} : { expiry }
  return { ...frame, account, ...dated, ...(operator !== undefined && { operator }) }
}

function instrumentAction(call: Call, frame: Frame): Action {
  const { name, args, account } = call
  const own = { ...frame, account }
  switch (name) {
    case 'freeze':
    case 'normalize':
      return { type: name, ...own }
    case 'resolve':
      return { type: name, ...own, priceWad: `${args[0]}` }
    case 'setLeverage':
      return { type: 'leverage', ...own, initialRatio: args[0] as number, maintenanceRatio: args[1] as number }
    case 'setFundingHour':
      return { type: 'fundingHour', ...own, hours: args[0] as number }
    case 'setPlacePaused':
      return { type: 'placePaused', ...own, flag: args[0] as boolean }
    case 'setDisableOrderRebate':
      return { type: 'orderRebateDisabled', ...own, flag: args[0] as boolean }
    case 'update':
      return { type: name, ...on(frame, call, args[0] as number) }
    case 'claimProtocolFee':
      return { type: name, ...on(frame, call, args[0] as number) }
    case 'recycleInsuranceFund':
      return { type: 'recycle', ...on(frame, call, args[0] as number) }
    case 'donateInsuranceFund':
      return { type: 'donate', ...on(frame, call, args[0] as number), amount: `${args[1]}` }
    case 'liquidate':
    case 'sweep':
    case 'settle':
      return failingAction(call, frame, name)
    default:
      return packedAction(call, frame)
  }
}

function failingAction(call: Call, frame: Frame, type: 'liquidate' | 'sweep' | 'settle'): Action {
  const [expiry, address, size, amount] = call.args as [number, string, bigint?, bigint?]
  const own = { ...on(frame, call, expiry), target: address.toLowerCase() }
  if (type === 'settle') return { type, ...own }
  if (type === 'sweep') return { type, ...own, size: `${size}` }
  return { type, ...own, size: `${size}`, amount: `${amount}` }
}

function packedAction(call: Call, frame: Frame): Action {
  const { name, args } = call
  const words = (Array.isArray(args[0]) ? args[0] : [args[0]]) as [Hex, Hex, Hex]
  const [expiry = 0] = numbers(words[0], 32)
  const own = on(frame, call, expiry)
  switch (name) {
    case 'trade':
    case 'place': {
      const [, tick = 0, deadline = 0] = numbers(words[0], 32, -24, 32)
      const [amount, size] = fields(words[1], -128, -128)
      if (name === 'place') return { type: name, ...own, tick, size: `${size}`, amount: `${amount}`, deadline }
      if (size === 0n) return { type: 'adjust', ...own, net: `${amount}`, deadline }
      return { type: name, ...own, size: `${size}`, amount: `${amount}`, limitTick: tick, deadline }
    }
    case 'add': {
      const [amount, tickDeltaUpper = 0n, tickDeltaLower = 0n] = fields(words[1], 128, 24, 24)
      const deltas = { tickDeltaLower: Number(tickDeltaLower), tickDeltaUpper: Number(tickDeltaUpper) }
      return { type: name, ...own, ...limitsOf(words[0]), amount: `${amount}`, ...deltas }
    }
    case 'remove': {
      const [, tickLower = 0n, tickUpper = 0n] = fields(words[1], 160, -24, -24)
      const range = { target: ownerOf(words[1]), tickLower: Number(tickLower), tickUpper: Number(tickUpper) }
      return { type: name, ...own, ...limitsOf(words[0]), ...range }
    }
    case 'fill': {
      const [, owner = 0n, tick = 0n, nonce = 0n] = fields(words[0], 32, 160, -24, 24)
      const { account } = own
      const dated = expiry === PERP_EXPIRY ? {} : { expiry }
      return {
        type: name,
        ...frame,
        account,
        ...dated,
        target: addressOf(owner),
        tick: Number(tick),
        nonce: Number(nonce),
      }
    }
    case 'cancel': {
      const [, ...slots] = numbers(words[0], 32, ...Array.from({ length: 8 }, () => -24), 32)
      return {
        type: name,
        ...own,
        ticks: slots.slice(0, 8).filter((tick) => tick !== EMPTY_TICK),
        deadline: slots[8] ?? 0,
      }
    }
    case 'batchPlace':
      return batchAction(words, own)
    default:
      throw new RangeError(`the model has no action for ${name} of an instrument`)
  }
}

function limitsOf(word: Hex) {
  const [, limitTickUpper = 0, limitTickLower = 0, deadline = 0] = numbers(word, 32, -24, -24, 32)
  return { limitTickLower, limitTickUpper, deadline }
}

function batchAction(words: readonly [Hex, Hex, Hex], own: ReturnType<typeof on>): Action {
  const slot = [16, -24]
  const first = numbers(words[0], 32, 32, ...slot, ...slot, ...slot)
  const pairs = [...first.slice(2), ...numbers(words[1], ...Array.from({ length: 6 }, () => slot).flat())]
  const ratios = pairs.filter((_, i) => i % 2 === 0)
  const ticks = pairs.filter((_, i) => i % 2 === 1)
  const count = ticks.indexOf(EMPTY_TICK)
  const used = count < 0 ? ticks.length : count
  const [leverage, size] = fields(words[2], 128, -128)
  const orders = { ticks: ticks.slice(0, used), ratios: ratios.slice(0, used) }
  return { type: 'batchPlace', ...own, size: `${size}`, leverage: `${leverage}`, ...orders, deadline: first[1] ?? 0 }
}
