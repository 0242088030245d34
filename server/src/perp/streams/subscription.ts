import Type, { type TProperties, type TSchema } from 'typebox'
import { addressSchema } from '../../http/schemas.ts'
import { INTERVALS } from '../market-data/intervals.ts'
import { isPrivate, type PrivateChannel } from './private-channels.ts'

/** What a client wants to follow, by the `type` of its params (perp-api 7.3): the fields of each, in the order of its channel's name. */
const FIELDS = {
  kline: ['chainId', 'instrument', 'expiry', 'interval'],
  orderBook: ['chainId', 'instrument', 'expiry'],
  instrument: ['chainId', 'instrument', 'expiry'],
  instrumentBasicInfo: ['chainId', 'instrument', 'expiry'],
  portfolio: ['chainId', 'userAddress'],
  common: ['chainId'],
  trades: ['chainId', 'tradesLimit', 'pairs'],
  // The connection's own wallet:
  orders: ['chainId'],
  executions: ['chainId'],
  positions: ['chainId'],
  account: ['chainId'],
  liquidity: ['chainId'],
  keptOrders: ['chainId'],
  sends: ['chainId'],
} as const satisfies Readonly<Record<PublicChannel | PrivateChannel, readonly string[]>>
export type PublicChannel =
  | 'kline'
  | 'orderBook'
  | 'instrument'
  | 'instrumentBasicInfo'
  | 'portfolio'
  | 'common'
  | 'trades'

/** Accepted beside the fields of a type, and no part of what is followed. */
const besidesOf = (type: string): readonly string[] =>
  type === 'orderBook' ? ['depth'] : isPrivate(type) ? ['from'] : []

const DEFAULT_TRADES = 10
const MAX_TRADES = 100
const MAX_PAIRS = 50
const PAIR = /^0x[0-9a-f]{40}_\d{1,10}$/

type Params = Readonly<Record<string, unknown>>

const wholeSchema = (description: string) =>
  Type.Union([Type.Integer({ minimum: 1 }), Type.String({ pattern: '^\\d{1,15}$' })], { description })

/** A field's value as it stands in the channel's name, null where it is none; and what a value looks like. */
const READERS: Readonly<
  Record<string, readonly [expected: string, read: (value: unknown) => string | null, schema: TSchema]>
> = {
  chainId: ['a chain’s id', (value) => wholeNumber(value), wholeSchema('The chain’s id.')],
  instrument: ['the address of an instrument', address, addressSchema('Address of an instrument.')],
  userAddress: ['an address', address, addressSchema('Address of an account.')],
  expiry: [
    'a Unix time in seconds; 4294967295 is the perpetual',
    (value) => wholeNumber(value),
    wholeSchema('Unix seconds; 4294967295 is the perpetual.'),
  ],
  interval: [
    `one of ${INTERVALS.join(', ')}`,
    (value) => ((INTERVALS as readonly unknown[]).includes(value) ? String(value) : null),
    Type.Enum([...INTERVALS]),
  ],
  tradesLimit: [
    `a whole number from 1 to ${MAX_TRADES}`,
    tradesLimit,
    Type.Optional(wholeSchema(`Trades of a message at most, up to ${MAX_TRADES}; ${DEFAULT_TRADES} unless given.`)),
  ],
  pairs: [
    `a list of 1 to ${MAX_PAIRS} texts <instrument>_<expiry>`,
    pairs,
    Type.Array(Type.String({ pattern: '^0x[0-9a-fA-F]{40}_\\d{1,10}$' }), {
      minItems: 1,
      maxItems: MAX_PAIRS,
      description: 'Each <instrument>_<expiry>.',
    }),
  ],
}

const BESIDES: TProperties = {
  depth: Type.Optional(Type.Unknown({ description: 'Accepted, and of no effect.' })),
  from: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Go on after the message with this sequence; else from what is so now.' }),
  ),
}

/** The params of a request, by type. */
export const paramsSchema = Type.Union(
  Object.entries(FIELDS).map(([type, fields]) => {
    const own = fields.map((name) => [name, READERS[name]?.[2]])
    const besides = besidesOf(type).map((name) => [name, BESIDES[name]])
    return Type.Object({ type: Type.Literal(type), ...Object.fromEntries([...own, ...besides]) })
  }),
)

/** The name of the channel that the params of a request mean, or what is wrong with them. */
export function channelOf(params: unknown): string | { readonly wrong: string } {
  if (typeof params !== 'object' || params === null || Array.isArray(params)) {
    return { wrong: 'params must be an object with a type' }
  }
  const { type, ...given } = params as Params
  if (typeof type !== 'string' || !Object.hasOwn(FIELDS, type)) {
    return { wrong: `params.type must be one of ${Object.keys(FIELDS).join(', ')}` }
  }
  const fields: readonly string[] = FIELDS[type as keyof typeof FIELDS]
  const unknown = Object.keys(given).find((name) => ![...fields, ...besidesOf(type)].includes(name))
  if (unknown !== undefined) return { wrong: `${type} has no parameter ${JSON.stringify(unknown.slice(0, 40))}` }
  const parts: string[] = [type]
  for (const name of fields) {
    const [expected, read] = READERS[name] as NonNullable<(typeof READERS)[string]>
    const part = read(given[name])
    if (part === null) return { wrong: `params.${name} must be ${expected}` }
    parts.push(part)
  }
  return parts.join(':')
}

/** A number, or the same in digits: clients send either. */
function wholeNumber(value: unknown): string | null {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
  return Number.isSafeInteger(number) && (number as number) > 0 ? String(number) : null
}

function address(value: unknown): string | null {
  return typeof value === 'string' && /^0x[0-9a-fA-F]{40}$/.test(value) ? value.toLowerCase() : null
}

function tradesLimit(value: unknown): string | null {
  if (value === undefined) return String(DEFAULT_TRADES)
  const text = wholeNumber(value)
  return text !== null && Number(text) <= MAX_TRADES ? text : null
}

/** Sorted, each once: another order of the same pairs is the same channel. */
function pairs(value: unknown): string | null {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_PAIRS) return null
  const names = value.map((pair) => (typeof pair === 'string' ? pair.toLowerCase() : ''))
  return names.every((name) => PAIR.test(name)) ? [...new Set(names)].sort().join(',') : null
}
