import Type from 'typebox'
import { amountSchema } from '../../http/schemas.ts'
import { parseAmount } from '../../lib/decimal.ts'
import { AppError } from '../../lib/errors.ts'
import { WAD, WAD_DECIMALS } from '../../lib/wad.ts'
import type { PriceLimits } from '../calldata/words.ts'
import type { PairState } from '../listing/pair.ts'
import { alignDown, alignUp, MAX_TICK, MIN_TICK, priceToSqrt, priceToTick, sqrtToTick } from '../maths/tick.ts'
import { ratioToWad } from '../maths/wad.ts'
import { perpReasons } from '../reasons.ts'

// How bodies name a range, and how far the price may move until it is added or removed.

/** The edges of a range lie on multiples of it (perp-protocol 2.1). */
const RANGE_SPACING = 50
const MOST_ALPHA = 1n << 127n

const tick = (description: string) => Type.Optional(Type.Integer({ minimum: MIN_TICK, maximum: MAX_TICK, description }))
const alpha = (description: string) => Type.Optional(amountSchema(description))

export const edgeProperties = {
  tickLower: tick('Lower edge, a multiple of 50.'),
  tickUpper: tick('Upper edge, a multiple of 50.'),
}

export const alphaProperties = {
  alphaLower: alpha('Fair price over the lower edge, such as "1.2"; instead of ticks.'),
  alphaUpper: alpha('Upper edge over the fair price, such as "1.2"; instead of ticks.'),
}

interface EdgeFields {
  readonly tickLower?: number
  readonly tickUpper?: number
}

export interface RangeFields extends EdgeFields {
  readonly alphaLower?: string | number
  readonly alphaUpper?: string | number
}

export interface Edges {
  readonly tickLower: number
  readonly tickUpper: number
}

/** Where a pair stands; one that nobody has opened begins at the mark, or the spot price where that is not told. */
export function standOf({ amm, mark, spot }: PairState): { readonly tick: number; readonly sqrtPX96: bigint } {
  if (amm !== null) return amm
  const price = mark > 0n ? mark : spot
  return { tick: priceToTick(price), sqrtPX96: priceToSqrt(price) }
}

/** The edges of a body, by ticks or by the ratio of prices, aligned outwards. Throws `fields_not_together`, `amount_invalid`. */
export function edgesOf(fields: RangeFields, pairTick: number): Edges {
  const { tickLower, tickUpper, alphaLower, alphaUpper } = fields
  if (alphaLower === undefined && alphaUpper === undefined) return ticksOf({ ...optional({ tickLower, tickUpper }) })
  if (tickLower !== undefined || tickUpper !== undefined || alphaLower === undefined || alphaUpper === undefined) {
    throw apart('send tickLower and tickUpper, or alphaLower and alphaUpper')
  }
  return {
    tickLower: alignDown(pairTick - distanceOf(alphaLower, 'alphaLower'), RANGE_SPACING),
    tickUpper: alignUp(pairTick + distanceOf(alphaUpper, 'alphaUpper'), RANGE_SPACING),
  }
}

/**
 * How far from the price the edges lie, in ticks. The contract measures from where the price stands when it is mined, and aligns
 * outwards: half a spacing less comes to the same edges while the price moves up to that far either way. Below the least
 * that the contract takes nothing is left out.
 */
export function deltasOf({ tickLower, tickUpper }: Edges, pairTick: number, least: number) {
  const measured = (exact: number) => Math.min(exact, Math.max(exact - RANGE_SPACING / 2, least))
  return { deltaLower: measured(pairTick - tickLower), deltaUpper: measured(tickUpper - pairTick) }
}

/** The edges of a body that names them by ticks. Throws `fields_not_together`. */
function ticksOf({ tickLower, tickUpper }: EdgeFields): Edges {
  if (tickLower === undefined || tickUpper === undefined) throw apart('send both tickLower and tickUpper')
  if (tickLower >= tickUpper) throw apart(`tickLower must be below tickUpper, got ${tickLower} and ${tickUpper}`)
  for (const [name, value] of Object.entries({ tickLower, tickUpper })) {
    if (value % RANGE_SPACING !== 0) throw apart(`${name} must be a multiple of ${RANGE_SPACING}, got ${value}`)
  }
  return { tickLower, tickUpper }
}

const optional = ({ tickLower, tickUpper }: { tickLower: number | undefined; tickUpper: number | undefined }) => ({
  ...(tickLower === undefined ? {} : { tickLower }),
  ...(tickUpper === undefined ? {} : { tickUpper }),
})

/** Ticks between two prices of this ratio. */
function distanceOf(ratio: string | number, field: string): number {
  const value = parseAmount(ratio, { field, decimals: WAD_DECIMALS, max: MOST_ALPHA })
  if (value <= WAD) throw apart(`${field} must be above 1, got ${ratio}`)
  return priceToTick(value)
}

const apart = (message: string): AppError => new AppError(perpReasons.fields_not_together, message)

/**
 * The ticks between which the price must be at inclusion, as the published client sets them: the square-root price with the
 * slippage to either side.
 */
export function priceLimits({ tick: now, sqrtPX96 }: ReturnType<typeof standOf>, slippageBps: number): PriceLimits {
  const slack = (sqrtPX96 * ratioToWad(slippageBps)) / WAD
  // Without slippage the present tick is still within.
  return { lower: Math.min(sqrtToTick(sqrtPX96 - slack) + 1, now), upper: sqrtToTick(sqrtPX96 + slack) }
}
