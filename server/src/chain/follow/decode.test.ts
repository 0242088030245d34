import fc from 'fast-check'
import { type AbiEvent, decodeEventLog, encodeAbiParameters, encodeEventTopics, parseAbi, toEventSelector } from 'viem'
import { describe, expect, it } from 'vitest'
import type { ChainLog, Hex } from '../types.ts'
import { compileModules, decodeLog } from './decode.ts'
import type { EventModule } from './event-module.ts'

const ADDRESS: Hex = '0x00000000000000000000000000000000000000aa'
const abi = parseAbi([
  'event Words(address indexed user, bytes32 indexed id, int256 change, uint96 amountWad, uint32 deadline, uint8 kind, bool isBuy, bytes4 tag, address token)',
  'event Mixed(uint256 indexed key, string text, (address owner, uint128 size, (address[] users, bool on) inner)[] points, address[2] pair)',
  'event Hashed(string indexed name, bytes data)',
  'event Bare(uint256, address)',
  'event Signed(int24 indexed tick, int96 delta, int48 small)',
])
const event = (name: string) => abi.find((item) => item.name === name) as AbiEvent

const moduleOf = (...sources: ReturnType<EventModule['sources']>): EventModule => ({
  name: 'm',
  tables: [],
  sources: () => sources,
  apply: async () => {},
})
const deployment = { chainId: 1, startBlock: 0n, contracts: {} }
const compiled = compileModules([moduleOf({ address: ADDRESS, abi, abiVersion: 1 })], deployment)[0]

function logOf(name: string, args: Record<string, unknown> | readonly unknown[]): ChainLog {
  const item = event(name)
  const byName = Object.fromEntries(
    item.inputs.map((input, index) => [
      input.name,
      Array.isArray(args) ? args[index] : (args as Record<string, unknown>)[input.name ?? ''],
    ]),
  )
  const unindexed = item.inputs.filter((input) => !input.indexed)
  const values = unindexed.map((input) =>
    Array.isArray(args) ? args[item.inputs.indexOf(input)] : byName[input.name ?? ''],
  )
  const topics = encodeEventTopics({ abi: [item], args: byName } as never) as Hex[]
  const data = encodeAbiParameters(unindexed, values)
  return { address: ADDRESS, topics, data, logIndex: 4, transactionIndex: 0, transactionHash: '0xab' }
}

const hex = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((value) => `0x${Buffer.from(value).toString('hex')}` as Hex)
const unsigned = (bits: number) => fc.bigInt({ min: 0n, max: (1n << BigInt(bits)) - 1n })
const signed = (bits: number) => fc.bigInt({ min: -(1n << BigInt(bits - 1)), max: (1n << BigInt(bits - 1)) - 1n })
const small = (max: number, min = 0) => fc.integer({ min, max })
const plain = (value: unknown, change: (text: string) => string = (text) => text): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, item) => {
      if (typeof item === 'bigint') return `big ${item}`
      return typeof item === 'string' ? change(item) : item
    }),
  )
const lowerCaseAddress = (text: string): string => (/^0x[0-9a-f]{40}$/i.test(text) ? text.toLowerCase() : text)

describe('decoding', () => {
  const point = fc.record({
    owner: hex(20),
    size: unsigned(128),
    inner: fc.record({ users: fc.array(hex(20), { maxLength: 3 }), on: fc.boolean() }),
  })
  const cases: [string, fc.Arbitrary<Record<string, unknown>>][] = [
    [
      'Words',
      fc.record({
        user: hex(20),
        id: hex(32),
        change: signed(256),
        amountWad: unsigned(96),
        deadline: small(2 ** 32 - 1),
        kind: small(255),
        isBuy: fc.boolean(),
        tag: hex(4),
        token: hex(20),
      }),
    ],
    [
      'Mixed',
      fc.record({
        key: unsigned(256),
        text: fc.string({ unit: 'grapheme' }),
        points: fc.array(point, { maxLength: 3 }),
        pair: fc.tuple(hex(20), hex(20)),
      }),
    ],
    ['Hashed', fc.record({ name: fc.string(), data: hex(45) })],
    [
      'Signed',
      fc.record({ tick: small(2 ** 23 - 1, -(2 ** 23)), delta: signed(96), small: small(2 ** 47 - 1, -(2 ** 47)) }),
    ],
  ]

  it.each(cases)('gives what viem gives, with lower-case addresses: %s', (name, values) => {
    fc.assert(
      fc.property(values, (args) => {
        const log = logOf(name, args)
        const theirs = decodeEventLog({ abi, data: log.data, topics: log.topics as [Hex] })
        const ours = compiled && decodeLog(compiled, log)
        expect(ours?.name).toBe(theirs.eventName)
        expect(plain(ours?.args)).toEqual(plain(theirs.args, lowerCaseAddress))
      }),
      { numRuns: 100 },
    )
  })

  it('names what has no name by its position', () => {
    expect(compiled && decodeLog(compiled, logOf('Bare', [5n, ADDRESS]))?.args).toEqual({ 0: 5n, 1: ADDRESS })
  })

  it('leaves unknown events and addresses alone', () => {
    const log = logOf('Hashed', { name: 'a', data: '0x' })
    const unknown = toEventSelector(parseAbi(['event Unknown()'])[0])
    expect(compiled && decodeLog(compiled, { ...log, topics: [unknown] })).toBeNull()
    expect(compiled && decodeLog(compiled, { ...log, topics: [] })).toBeNull()
    expect(compiled && decodeLog(compiled, { ...log, address: '0xbb' })).toBeNull()
  })

  it.each([
    [
      'a missing topic',
      { topics: logOf('Words', wordArgs()).topics.slice(0, 2) },
      'another number of indexed arguments',
    ],
    ['data cut short', { data: '0x00' as Hex }, 'too little data'],
  ])('refuses %s, saying where', (_, change, problem) => {
    const log = { ...logOf('Words', wordArgs()), ...change }
    expect(() => compiled && decodeLog(compiled, log)).toThrow(
      `log 4 of transaction 0xab (contract ${ADDRESS}) is no Words of the ABI: ${problem}`,
    )
  })

  it('refuses dynamic data that does not fit', () => {
    const log = { ...logOf('Hashed', { name: 'a', data: '0x1234' }), data: `0x${'ff'.repeat(32)}` as Hex }
    expect(() => compiled && decodeLog(compiled, log)).toThrow('the data does not fit')
  })

  it('takes the newest ABI version of a contract that was upgraded, and keeps its old events', () => {
    const old = { address: ADDRESS, abi: [event('Words'), event('Signed')], abiVersion: 1 }
    const upgraded = {
      address: ADDRESS.toUpperCase().replace('0X', '0x') as Hex,
      abi: [event('Signed')],
      abiVersion: 2,
    }
    const [both] = compileModules([moduleOf(upgraded, old)], deployment)
    expect(both && decodeLog(both, logOf('Words', wordArgs()))?.abiVersion).toBe(1)
    expect(both && decodeLog(both, logOf('Signed', { tick: 1, delta: 2n, small: 3 }))?.abiVersion).toBe(2)
  })
})

function wordArgs(): Record<string, unknown> {
  return {
    user: ADDRESS,
    id: `0x${'11'.repeat(32)}`,
    change: -1n,
    amountWad: 1n,
    deadline: 1,
    kind: 1,
    isBuy: true,
    tag: '0x01020304',
    token: ADDRESS,
  }
}
