// What the packed words of Gate and Instrument say (perp-protocol 1.2), so that nobody signs numbers that cannot be read.
import { type Hex, parseAbi } from 'viem'
import { decodeFunctionData, formatUnits } from 'viem/utils'
import type { UnitsOf } from '../wallet/units.ts'

type Named = readonly [string, string]

const CALLS = parseAbi([
  'function trade(bytes32[2] args)',
  'function place(bytes32[2] args)',
  'function cancel(bytes32 arg)',
  'function add(bytes32[2] args)',
  'function remove(bytes32[2] args)',
])
/** The calls of an instrument that the app makes, and several of them as one transaction. */
export const INSTRUMENT = [...CALLS, ...parseAbi(['function multicall(bytes[] data)'])] as const

const bits = (word: bigint, from: number, length: number): bigint => BigInt.asUintN(length, word >> BigInt(from))
const signed = (word: bigint, from: number, length: number): bigint => BigInt.asIntN(length, word >> BigInt(from))
const wad = (value: bigint): string => formatUnits(value, 18)
const PERPETUAL = 4_294_967_295n
const NO_TICK = 8_388_607n

const expiryOf = (word: bigint): Named => {
  const expiry = bits(word, 0, 32)
  return ['expiry', expiry === PERPETUAL ? 'perpetual' : timeOf(expiry)]
}
const timeOf = (sec: bigint): string => (sec === 0n ? 'none' : new Date(Number(sec) * 1000).toLocaleString())
const addressIn = (word: bigint, from: number): string => `0x${bits(word, from, 160).toString(16).padStart(40, '0')}`

/** 1.0001 to the power of a tick: the price that it stands for, for people. */
export const priceOfTick = (tick: number): string => (1.0001 ** tick).toPrecision(8)
const tickText = (tick: bigint): string => `${tick} (price ${priceOfTick(Number(tick))})`

/** What sizes and margins of an instrument are in. */
interface Pair {
  readonly base: string
  readonly quote: string
}

function tokenCall(word: bigint, unitsOf: UnitsOf): readonly Named[] {
  const token = addressIn(word, 0)
  const amount = bits(word, 160, 96)
  const units = unitsOf(token)
  return [
    ['token', units ? `${units.symbol} ${token}` : token],
    ['amount', units ? `${formatUnits(amount, units.decimals)} ${units.symbol}` : `${amount} of its smallest unit`],
  ]
}

function tradeCall([head = 0n, body = 0n]: readonly bigint[], price: string, pair: Pair): readonly Named[] {
  const size = signed(body, 128, 128)
  const margin = signed(body, 0, 128)
  return [
    expiryOf(head),
    ...(size === 0n ? marginAlone(margin, pair) : traded(size, [price, tickText(signed(head, 32, 24))], margin, pair)),
    ['deadline', timeOf(bits(head, 56, 32))],
  ]
}

const traded = (size: bigint, price: Named, margin: bigint, { base, quote }: Pair): readonly Named[] => [
  ['side', size < 0n ? 'sell' : 'buy'],
  ['size', `${wad(size)} ${base}`],
  price,
  ['margin moved', `${wad(margin)} ${quote}`],
]

/** A trade of no size has no side and no price. */
const marginAlone = (margin: bigint, { base, quote }: Pair): readonly Named[] => [
  ['pair', `${base}/${quote}`],
  margin < 0n ? ['margin taken out', `${wad(-margin)} ${quote}`] : ['margin added', `${wad(margin)} ${quote}`],
]

const limitsOf = (head: bigint): readonly Named[] => [
  expiryOf(head),
  ['price at most', tickText(signed(head, 32, 24))],
  ['price at least', tickText(signed(head, 56, 24))],
  ['deadline', timeOf(bits(head, 80, 32))],
]

const addCall = ([head = 0n, body = 0n]: readonly bigint[], { quote }: Pair): readonly Named[] => [
  ...limitsOf(head),
  ['margin', `${wad(signed(body, 0, 128))} ${quote}`],
  ['ticks above', String(bits(body, 128, 24))],
  ['ticks below', String(bits(body, 152, 24))],
]

const removeCall = ([head = 0n, body = 0n]: readonly bigint[]): readonly Named[] => [
  ...limitsOf(head),
  ['owner', addressIn(body, 0)],
  ['lower edge', tickText(signed(body, 160, 24))],
  ['upper edge', tickText(signed(body, 184, 24))],
]

function cancelCall(word: bigint): readonly Named[] {
  const slots = Array.from({ length: 8 }, (_, index) => signed(word, 32 + 24 * index, 24))
  const ticks = slots.filter((tick) => tick !== NO_TICK)
  return [expiryOf(word), ['orders at', ticks.map(tickText).join(', ')], ['deadline', timeOf(bits(word, 224, 32))]]
}

/** The arguments of a call by name; null where it is none that this app makes. */
export function wordsOfCall(
  name: string,
  args: readonly unknown[],
  unitsOf: UnitsOf,
  pair: Pair = { base: '', quote: '' },
): readonly Named[] | null {
  const words = [args[0]].flat().map((word) => BigInt(word as string))
  const [first = 0n] = words
  if (name === 'deposit' || name === 'withdraw') return tokenCall(first, unitsOf)
  if (name === 'trade') return tradeCall(words, 'worst average price', pair)
  if (name === 'place') return tradeCall(words, 'price', pair)
  if (name === 'add') return addCall(words, pair)
  if (name === 'remove') return removeCall(words)
  return name === 'cancel' ? cancelCall(first) : null
}

/** The same of a call that an instrument may be asked for: of a `multicall` every call that it holds, as each reads alone. */
export function wordsOfInstrument(
  name: string,
  args: readonly unknown[],
  unitsOf: UnitsOf,
  pair: Pair,
): readonly Named[] | null {
  if (name !== 'multicall') return wordsOfCall(name, args, unitsOf, pair)
  const told = (args[0] as readonly Hex[]).map((data, index) => wordsOfInner(data, index + 1, unitsOf, pair))
  // Who agrees, agrees to all of them.
  return told.length > 0 && told.every((one) => one !== null) ? told.flat() : null
}

/** One level: what the venue builds nests no further. */
function wordsOfInner(data: Hex, nth: number, unitsOf: UnitsOf, pair: Pair): readonly Named[] | null {
  const call = decodedCall(data)
  const told = call && wordsOfCall(call.functionName, call.args, unitsOf, pair)
  return told && [[`call ${nth}`, call.functionName], ...told.map(([name, text]) => [`${nth}: ${name}`, text] as const)]
}

function decodedCall(data: Hex) {
  try {
    return decodeFunctionData({ abi: CALLS, data })
  } catch {
    return null
  }
}
