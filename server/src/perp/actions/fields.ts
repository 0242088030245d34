import Type from 'typebox'
import { amountSchema } from '../../http/schemas.ts'
import { EXPECTED } from '../../http/validation.ts'
import { formatUnits, parseAmount } from '../../lib/decimal.ts'
import { AppError } from '../../lib/errors.ts'
import { WAD, WAD_DECIMALS } from '../../lib/wad.ts'
import type { ListedInstrument } from '../listing/catalogue.ts'
import { MAX_TICK, MIN_TICK, priceToTick, tickToPrice } from '../maths/tick.ts'
import { RATIO_BASE } from '../maths/wad.ts'
import { perpReasons } from '../reasons.ts'
import { instrumentSchema } from '../schemas.ts'

// The fields that bodies of trading calls share (perp-api 2A.2, 2A.3), and how each is read: exactly, never rounded.

const UINT32_MAX = 4_294_967_295
const INT96_MAX = (1n << 95n) - 1n
const UINT128_MAX = (1n << 128n) - 1n

export const SHORT = 1
export const LONG = 2
export type Side = typeof SHORT | typeof LONG

export const pairProperties = {
  instrument: instrumentSchema,
  expiry: Type.Integer({
    minimum: 0,
    maximum: UINT32_MAX,
    description: `Unix seconds of a dated pair; ${UINT32_MAX} for the perpetual.`,
  }),
}

export const sideProperty = {
  side: Type.Enum([SHORT, LONG], { [EXPECTED]: '1 (short) or 2 (long)', description: '1 short, 2 long.' }),
}

export const sizeProperty = { size: amountSchema('Base, in human units.') }

export const leverageProperty = { leverage: amountSchema('Such as "5"; at most 10000 over initialMarginRatio.') }

export const slippageProperty = {
  slippageBps: Type.Integer({
    minimum: 0,
    maximum: 10_000,
    description: 'How much worse than now the price may be, basis points.',
  }),
}

export const bufferProperty = {
  markPriceBufferInBps: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 10_000,
      description:
        'So much more margin, for moves of the mark before inclusion, basis points. Unless given, 0 but near the greatest leverage, where the margin suffices for a mark that is half a percent higher.',
    }),
  ),
}

export const timingProperties = {
  deadline: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: UINT32_MAX,
      description: 'Unix seconds that bound the inclusion on chain; 0 or none: ten minutes from now.',
    }),
  ),
  gasLimit: Type.Optional(
    Type.Integer({ minimum: 0, maximum: UINT32_MAX, description: 'Gas of the transaction; 0 or none: estimated.' }),
  ),
}

export const reduceOnlyProperty = {
  reduceOnly: Type.Optional(
    Type.Boolean({
      description:
        'Refused unless it makes the position smaller or closes it, as it is at the block that the order is worked out from. The contract itself knows no reduce-only; false unless given. The venue’s own field.',
    }),
  ),
}

export const referralProperty = {
  referralCode: Type.Optional(Type.String({ maxLength: 64, description: 'Accepted and ignored.' })),
}

/** Base with its sign. Throws `amount_invalid`. */
export function readSize(size: string | number, side: Side, field = 'size'): bigint {
  const base = parseAmount(size, { field, decimals: WAD_DECIMALS, max: INT96_MAX })
  return side === LONG ? base : -base
}

/** The greatest leverage of an instrument; WAD. */
export const maxLeverageOf = ({ initialMarginRatio }: ListedInstrument): bigint =>
  (RATIO_BASE * WAD) / BigInt(initialMarginRatio)

/** Throws `amount_invalid`, `leverage_too_high`. */
export function readLeverage(leverage: string | number, instrument: ListedInstrument): bigint {
  const wanted = parseAmount(leverage, { field: 'leverage', decimals: WAD_DECIMALS, max: UINT128_MAX })
  const most = maxLeverageOf(instrument)
  if (wanted <= most) return wanted
  const message = `leverage must be at most ${formatUnits(most, WAD_DECIMALS)} for ${instrument.symbol}, got ${formatUnits(wanted, WAD_DECIMALS)}`
  throw new AppError(perpReasons.leverage_too_high, message, { detail: { field: 'leverage' } })
}

/** An amount of the quote, as WAD; no finer than the token itself. Throws `amount_invalid`. */
export function readQuoteAmount(amount: string | number, { quote }: ListedInstrument): bigint {
  const { decimals } = quote
  const raw = parseAmount(amount, {
    field: 'amount',
    decimals,
    max: INT96_MAX / 10n ** BigInt(WAD_DECIMALS - decimals),
  })
  return raw * 10n ** BigInt(WAD_DECIMALS - decimals)
}

/**
 * The tick of an order at a price: the nearest one that is not worse for who places it, so a buy's at or below the price and a
 * sell's at or above it. Throws `amount_invalid`, `price_out_of_range`.
 */
export function readOrderTick(price: string | number, side: Side, field = 'price'): number {
  const wanted = parseAmount(price, { field, decimals: WAD_DECIMALS, max: UINT128_MAX })
  if (wanted < tickToPrice(MIN_TICK) || wanted > tickToPrice(MAX_TICK)) {
    const [least, most] = [MIN_TICK, MAX_TICK].map((tick) => formatUnits(tickToPrice(tick), WAD_DECIMALS))
    const message = `${field} must be from ${least} to ${most}, got ${price}`
    throw new AppError(perpReasons.price_out_of_range, message, { detail: { field } })
  }
  const below = priceToTick(wanted)
  return side === SHORT && tickToPrice(below) < wanted ? below + 1 : below
}
