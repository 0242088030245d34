import { type AbiEvent, type AbiParameter, decodeAbiParameters, toEventSelector } from 'viem'
import type { ChainLog, Deployment, Hex } from '../types.ts'
import type { EventModule, EventSource } from './event-module.ts'

export interface DecodedLog {
  readonly name: string
  readonly abiVersion: number
  readonly args: Readonly<Record<string, unknown>>
}

/** A module with its events' decoders, ready for use. */
export interface CompiledModule {
  readonly module: EventModule
  /** Lower-case address to event selector to decoder. Grows where the module discovers contracts. */
  readonly sources: Map<Hex, Map<Hex, EventDecoder>>
  /** The block from which a discovered contract counts, where this process discovered it. */
  readonly since: Map<Hex, bigint>
}

interface EventDecoder {
  readonly name: string
  decode(log: ChainLog): DecodedLog
}

/** Prepares the modules for one deployment: selectors are hashed once and not for every log. */
export function compileModules(modules: readonly EventModule[], deployment: Deployment): CompiledModule[] {
  return modules.map((module) => ({
    module,
    sources: compileSources(module.sources(deployment)),
    since: new Map(),
  }))
}

/** Two sources may share an address (a proxy and its upgrades): for the same event the newest ABI version counts. */
function compileSources(sources: readonly EventSource[]): Map<Hex, Map<Hex, EventDecoder>> {
  const compiled = new Map<Hex, Map<Hex, EventDecoder>>()
  addSources(compiled, sources)
  return compiled
}

/** Adds contracts to those that are decoded. */
export function addSources(compiled: Map<Hex, Map<Hex, EventDecoder>>, sources: readonly EventSource[]): void {
  for (const source of [...sources].sort((a, b) => a.abiVersion - b.abiVersion)) {
    const address = source.address.toLowerCase() as Hex
    const decoders = compiled.get(address) ?? new Map<Hex, EventDecoder>()
    for (const item of source.abi) {
      if (item.type === 'event' && !item.anonymous) {
        decoders.set(selectorOf(item), { name: item.name, decode: compileEvent(item, source.abiVersion) })
      }
    }
    compiled.set(address, decoders)
  }
}

/** By the ABI's item: an ABI is of many contracts. */
const selectors = new WeakMap<AbiEvent, Hex>()

function selectorOf(event: AbiEvent): Hex {
  const selector = selectors.get(event) ?? toEventSelector(event)
  selectors.set(event, selector)
  return selector
}

/** Decodes a log; null when the module does not know the event. Throws when the data does not fit the ABI. */
export function decodeLog(compiled: CompiledModule, log: ChainLog): DecodedLog | null {
  return decoderOf(compiled, log)?.decode(log) ?? null
}

/** The name of a log's event, without decoding it; null when the module does not know the event. */
export const eventName = (compiled: CompiledModule, log: ChainLog): string | null =>
  decoderOf(compiled, log)?.name ?? null

function decoderOf(compiled: CompiledModule, log: ChainLog): EventDecoder | undefined {
  const selector = log.topics[0]
  return selector && compiled.sources.get(log.address)?.get(selector)
}

/** Reads 32-byte word `index` of hex digits without prefix. */
type WordDecoder = (digits: string, index: number) => unknown

const WORD_DIGITS = 64
const PREFIX_DIGITS = 2

/**
 * Arguments have viem's types (integers above 48 bits are bigint, others number), but addresses are lower-case. An
 * indexed argument of dynamic type is its hash, which is all that the chain keeps. An unnamed argument goes by its position.
 */
function compileEvent(event: AbiEvent, abiVersion: number): EventDecoder['decode'] {
  const named = event.inputs.map((input, position) => ({ ...input, name: input.name || String(position) }))
  const indexed = named.filter((input) => input.indexed)
  const indexedWords = indexed.map((input) => wordDecoder(input.type))
  const plain = named.filter((input) => !input.indexed)
  const plainWords = plain.map((input) => wordDecoder(input.type))
  const allWords = plainWords.every((decoder) => decoder !== null)
  return (log) => {
    if (log.topics.length !== indexed.length + 1) throw mismatch(event, log, 'another number of indexed arguments')
    const args: Record<string, unknown> = {}
    for (const [index, input] of indexed.entries()) {
      const topic = log.topics[index + 1] as Hex
      args[input.name] = indexedWords[index]?.(topic.slice(PREFIX_DIGITS), 0) ?? topic
    }
    if (!allWords) Object.assign(args, decodeGeneral(event, plain, log))
    else if (log.data.length < PREFIX_DIGITS + plain.length * WORD_DIGITS) throw mismatch(event, log, 'too little data')
    else {
      const digits = log.data.slice(PREFIX_DIGITS)
      for (const [index, input] of plain.entries()) args[input.name] = plainWords[index]?.(digits, index)
    }
    return { name: event.name, abiVersion, args }
  }
}

/** Static types of one word are read here; this is most of what events hold, and viem's checksums cost more than the rest. */
function wordDecoder(type: string): WordDecoder | null {
  const word = (digits: string, index: number) => digits.slice(index * WORD_DIGITS, (index + 1) * WORD_DIGITS)
  if (type === 'address') return (digits, index) => `0x${word(digits, index).slice(24)}`
  if (type === 'bool') return (digits, index) => BigInt(`0x${word(digits, index)}`) !== 0n
  const fixedBytes = /^bytes(\d+)$/.exec(type)
  if (fixedBytes) return (digits, index) => `0x${word(digits, index).slice(0, Number(fixedBytes[1]) * 2)}`
  const integer = /^(u?)int(\d+)$/.exec(type)
  if (!integer) return null
  const bits = Number(integer[2])
  const read = (digits: string, index: number) => {
    const raw = BigInt(`0x${word(digits, index)}`)
    return integer[1] === 'u' ? BigInt.asUintN(bits, raw) : BigInt.asIntN(bits, raw)
  }
  return bits > 48 ? read : (digits, index) => Number(read(digits, index))
}

function decodeGeneral(event: AbiEvent, inputs: readonly AbiParameter[], log: ChainLog): Record<string, unknown> {
  try {
    const values = decodeAbiParameters(inputs, log.data) as readonly unknown[]
    return Object.fromEntries(inputs.map((input, index) => [input.name, lowerCase(values[index], input)]))
  } catch (cause) {
    throw mismatch(event, log, 'the data does not fit', cause)
  }
}

/** viem gives addresses with checksums; inside the venue they are lower-case. */
function lowerCase(value: unknown, type: AbiParameter): unknown {
  if (type.type === 'address') return String(value).toLowerCase()
  if (Array.isArray(value) && type.type.endsWith(']')) {
    const element = { ...type, type: type.type.replace(/\[\d*\]$/, '') }
    return value.map((item) => lowerCase(item, element))
  }
  if (!('components' in type) || typeof value !== 'object' || value === null) return value
  const parts = type.components
  if (Array.isArray(value)) return value.map((item, index) => lowerCase(item, parts[index] as AbiParameter))
  const fields = new Map(parts.map((part) => [part.name, part]))
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, lowerCase(item, fields.get(name) as AbiParameter)]),
  )
}

function mismatch(event: AbiEvent, log: ChainLog, problem: string, cause?: unknown): Error {
  const place = `log ${log.logIndex} of transaction ${log.transactionHash} (contract ${log.address})`
  return new Error(`${place} is no ${event.name} of the ABI: ${problem}`, { cause })
}
