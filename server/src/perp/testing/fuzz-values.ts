import fc from 'fast-check'
import { MAX_TICK, MIN_TICK } from '../maths/tick.ts'

// What a fuzz puts in the place of a right value.

const LARGEST_SIZE = 10n ** 38n - 1n

/** Values that sit at an edge of something, and some that no parameter takes. */
export const anyText = fc.oneof(
  fc.constantFrom(
    ...[
      '',
      ' ',
      '0',
      '-1',
      '1.5',
      '1e3',
      'NaN',
      'true',
      'null',
      '[]',
      '{}',
      '%00',
      '\u0000',
      '🙂',
      '__proto__',
      "'; --",
    ],
    ...['9223372036854775807', '9223372036854775808', '99999999999999999999999999', '4294967295', '4294967296'],
    ...['2147483648', '-2147483649', '8388608', '443637', '-322518', '9'.repeat(80), '0x', `0x${'0'.repeat(40)}`],
    ...['BTC/USDC', 'btc/usdc', 'BTC-USDC', 'DOGE/USDC', '1m', '1M', '1y', 'deposit', '1700000000', '17000000000000'],
  ),
  fc.string({ maxLength: 30 }),
  fc.bigInt({ min: -(1n << 130n), max: 1n << 130n }).map(String),
)

const anySize = fc.oneof(
  fc.bigInt({ min: -LARGEST_SIZE, max: LARGEST_SIZE }),
  fc.bigInt({ min: -(10n ** 22n), max: 10n ** 22n }),
  fc.constantFrom(-LARGEST_SIZE, LARGEST_SIZE, (1n << 95n) - 1n, 1n << 95n, 1n << 96n, -(1n << 95n), -1n, 0n, 1n),
)
const anyNotional = anySize.map((size) => (size < 0n ? -size : size))
const anyTick = fc.oneof(
  fc.integer({ min: MIN_TICK, max: MAX_TICK }),
  fc.integer({ min: 109_000, max: 111_000 }),
  fc.constantFrom(MIN_TICK, MAX_TICK, 0),
)

/** Values of the right form, so that they come as far as the contracts, which may refuse them. */
const OF_RIGHT_FORM: Readonly<Record<string, fc.Arbitrary<string>>> = {
  size: anySize.map(String),
  signedSize: anySize.map(String),
  notional: anyNotional.map(String),
  long: fc.constantFrom('true', 'false'),
  tick: anyTick.map(String),
  stepRatio: fc.integer({ min: 1, max: 1000 }).map(String),
  limit: fc.integer({ min: 1, max: 1000 }).map(String),
  endTime: fc.integer({ min: 0, max: 4_294_967_295 }).map(String),
}

/** What a parameter of this name may be given. */
export const anyParameter = (name: string): fc.Arbitrary<string> => {
  const sound = OF_RIGHT_FORM[name]
  return sound === undefined ? anyText : fc.oneof(anyText, { arbitrary: sound, weight: 2 })
}

/** What a field of a body may be given. */
export const anyValue = fc.oneof(
  fc.constantFrom<unknown>(
    ...[
      '0',
      '-1',
      '1e9',
      '0.000000000000000001',
      '0.0000000000000000001',
      '79228162514264337593543950335',
      '',
      ' ',
      'NaN',
    ],
    ...['9'.repeat(40), '1'.repeat(101), 'BTC/USDC', 'ETH/USDC', 'USDC', '0x', '\u0000', '🙂', '__proto__'],
    ...[
      0, 1, 2, 3, -1, 0.5, 10_000, 10_001, 8_388_607, -8_388_608, 443_636, -322_517, 4_294_967_295, 4_294_967_296, 1e21,
    ],
    ...[null, true, false, [], {}, ['1', '2'], [[]]],
  ),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.string({ maxLength: 20 }),
  fc.bigInt({ min: 0n, max: 1n << 130n }).map(String),
)

const anyAmount = fc.constantFrom(
  ...['0', '0.000000000000000001', '0.01', '0.5', '1', '3', '20', '100', '57000', '61000', '1000000', '1000000000'],
)
const anyWhole = fc.oneof(fc.constantFrom(0, 1, 2, 3, 50, 10_000, 4_294_967_295), fc.integer({ min: 0, max: 10_000 }))

/** What may take the place of this value of a body: often one of its kind, which comes further than its schema. */
export function anyInsteadOf(value: unknown): fc.Arbitrary<unknown> {
  const isAmount = typeof value === 'string' && /^\d+(\.\d+)?$/.test(value)
  const ofKind = isAmount ? anyAmount : typeof value === 'number' ? anyWhole : fc.constant(value)
  return fc.oneof(anyValue, { arbitrary: ofKind, weight: 3 })
}

type Fields = Readonly<Record<string, unknown>>

/** The fields with up to three of these names given another value, or left out. */
export const changed = <Value>(
  fields: Fields,
  names: readonly string[],
  anyOf: (name: string) => fc.Arbitrary<Value>,
): fc.Arbitrary<Record<string, unknown>> => {
  const change = fc
    .constantFrom(...names)
    .chain((name) => fc.tuple(fc.constant(name), fc.option(anyOf(name), { nil: undefined })))
  return fc
    .array(change, { minLength: 1, maxLength: 3 })
    .map((changes) => Object.fromEntries([...Object.entries(fields), ...changes]))
}
