import { expect } from 'vitest'

// The unified structures of ccxt's manual: which fields each has, and of what kind they are. A field that may be unknown is
// undefined then, but never of another kind.

type Kind = 'text' | 'number' | 'integer' | 'boolean' | 'object' | 'list' | RegExp
/** A name that ends in `?` may be unknown. */
type Structure = Readonly<Record<string, Kind>>

const TIME = { 'timestamp?': 'integer', 'datetime?': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ } as const

export const STRUCTURES = {
  market: {
    id: 'text',
    symbol: /^[A-Z0-9]+\/[A-Z0-9]+(:[A-Z0-9]+)?$/,
    base: 'text',
    quote: 'text',
    'settle?': 'text',
    type: /^(spot|swap)$/,
    spot: 'boolean',
    swap: 'boolean',
    contract: 'boolean',
    active: 'boolean',
    'contractSize?': 'number',
    'taker?': 'number',
    'maker?': 'number',
    precision: 'object',
    limits: 'object',
    info: 'object',
  },
  ticker: {
    symbol: 'text',
    ...TIME,
    'high?': 'number',
    'low?': 'number',
    'bid?': 'number',
    'ask?': 'number',
    'open?': 'number',
    'close?': 'number',
    'last?': 'number',
    'change?': 'number',
    'percentage?': 'number',
    'baseVolume?': 'number',
    'quoteVolume?': 'number',
    info: 'object',
  },
  orderBook: { symbol: 'text', ...TIME, bids: 'list', asks: 'list', 'nonce?': 'integer' },
  trade: {
    'id?': 'text',
    'order?': 'text',
    ...TIME,
    timestamp: 'integer',
    symbol: 'text',
    'type?': 'text',
    side: /^(buy|sell)$/,
    'takerOrMaker?': /^(taker|maker)$/,
    price: 'number',
    amount: 'number',
    cost: 'number',
    'fee?': 'object',
    info: 'object',
  },
  order: {
    id: 'text',
    'clientOrderId?': 'text',
    ...TIME,
    'lastUpdateTimestamp?': 'integer',
    symbol: 'text',
    'type?': /^(market|limit)$/,
    'timeInForce?': 'text',
    'side?': /^(buy|sell)$/,
    'price?': 'number',
    'average?': 'number',
    'amount?': 'number',
    'filled?': 'number',
    'remaining?': 'number',
    'cost?': 'number',
    status: /^(open|closed|canceled|expired|rejected)$/,
    trades: 'list',
    fees: 'list',
    info: 'object',
  },
  position: {
    symbol: 'text',
    ...TIME,
    side: /^(long|short)$/,
    contracts: 'number',
    contractSize: 'number',
    'entryPrice?': 'number',
    'markPrice?': 'number',
    'notional?': 'number',
    'leverage?': 'number',
    'collateral?': 'number',
    'initialMargin?': 'number',
    'maintenanceMargin?': 'number',
    'unrealizedPnl?': 'number',
    'liquidationPrice?': 'number',
    marginMode: /^isolated$/,
    hedged: 'boolean',
    info: 'object',
  },
  fundingRate: { symbol: 'text', ...TIME, fundingRate: 'number', info: 'object' },
  account: { 'free?': 'number', 'used?': 'number', 'total?': 'number' },
} as const satisfies Record<string, Structure>

const CHECKS: Readonly<Record<string, (value: unknown) => boolean>> = {
  text: (value) => typeof value === 'string' && value !== '',
  number: (value) => typeof value === 'number' && Number.isFinite(value),
  integer: Number.isSafeInteger,
  boolean: (value) => typeof value === 'boolean',
  object: (value) => typeof value === 'object' && value !== null,
  list: Array.isArray,
}

const fits = (value: unknown, kind: Kind): boolean =>
  kind instanceof RegExp ? typeof value === 'string' && kind.test(value) : (CHECKS[kind]?.(value) ?? false)

/** What of a value is not as the structure wants it. */
export function misfits(name: keyof typeof STRUCTURES, value: unknown): string[] {
  const fields = value as Record<string, unknown>
  return Object.entries(STRUCTURES[name]).flatMap(([field, kind]) => {
    const key = field.replace(/\?$/, '')
    const isUnknown = key !== field && fields[key] === undefined && key in fields
    return isUnknown || fits(fields[key], kind) ? [] : [`${name}.${key} is ${JSON.stringify(fields[key])}`]
  })
}

export function expectStructures(name: keyof typeof STRUCTURES, values: readonly unknown[]): void {
  expect(values.length).toBeGreaterThan(0)
  expect(values.flatMap((value) => misfits(name, value))).toEqual([])
}
