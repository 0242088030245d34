import Type, { type Static } from 'typebox'
import { maxUint256, parseAbi } from 'viem'
import { deployReasons } from '../../chain/deploy/reasons.ts'
import { contractRead, readContracts } from '../../chain/read.ts'
import type { Rpc } from '../../chain/rpc.ts'
import type { Hex } from '../../chain/types.ts'
import { formatUnits, parseAmount, UINT96_MAX } from '../../lib/decimal.ts'
import { AppError } from '../../lib/errors.ts'
import { WAD_DECIMALS } from '../../lib/wad.ts'
import { mostTip } from '../maths/tip.ts'
import { type CorePlan, type FutureInstrument, LINK, STOCK } from './core.ts'

const DAY_SEC = 86_400
const UINT24_MAX = 0xff_ffff
/** Highest fee ratio that the contracts accept, basis points. */
const MOST_FEE_RATIO = 1000
/** With which the contracts launch an instrument, basis points. */
const LAUNCH_INITIAL_MARGIN_RATIO = 1000
const QUOTE_TYPES = ['STABLE', 'NONSTABLE'] as const

const strict = { additionalProperties: false }
const address = Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' })
const base = Type.String({ pattern: '^[A-Z][A-Z0-9.]{0,15}$' })
const feeRatio = Type.Integer({ minimum: 0, maximum: MOST_FEE_RATIO })
const heartBeatSec = Type.Integer({ minimum: 1, maximum: UINT24_MAX })

const perpSchema = Type.Object(
  {
    guardian: address,
    wrappedNative: address,
    delegationSec: Type.Integer({ minimum: 1, maximum: 365 * DAY_SEC }),
    quotes: Type.Array(
      Type.Object(
        {
          address,
          type: Type.Enum([...QUOTE_TYPES]),
          minMarginAmount: Type.String(),
          tradingFeeRatio: feeRatio,
          protocolFeeRatio: feeRatio,
          tip: Type.String(),
          /** Net outflow of a trader that is paid at once, in tokens; null for any. */
          withdrawalThreshold: Type.Union([Type.String(), Type.Null()]),
        },
        strict,
      ),
      { minItems: 1 },
    ),
    instruments: Type.Array(Type.Object({ base, quote: address, feed: address, heartBeatSec }, strict)),
    stockInstruments: Type.Array(Type.Object({ ticker: base, quote: address, heartBeatSec }, strict)),
  },
  strict,
)

/** The perpetual product's field of a plan file (docs/deploying.md); a venue without it has no perpetuals. */
export const perpPlanFields = { perp: Type.Optional(perpSchema) }

/** Where an instrument's prices come from. */
export interface PricedInstrument extends FutureInstrument {
  readonly heartBeatSec: number
  /** Chainlink's feed; null for a price of the stock oracle. */
  readonly feed: { readonly address: Hex; readonly decimals: number } | null
}

/** The perpetual product as a plan file wants it. */
export interface PerpDeploymentPlan extends CorePlan {
  readonly guardian: Hex
  readonly instruments: readonly PricedInstrument[]
}

const decimalsAbi = parseAbi(['function decimals() view returns (uint8)'])

/** Null where the plan has no perpetuals. Throws `amount_invalid`, and `deployment_plan_invalid` for what does not go together. */
export async function readPerpPlan(
  { perp }: Static<Type.TObject<typeof perpPlanFields>>,
  rpc: Rpc,
): Promise<PerpDeploymentPlan | null> {
  if (!perp) return null
  const tokens = await decimalsOf(
    rpc,
    perp.quotes.map((quote) => lower(quote.address)),
  )
  const feeds = await decimalsOf(
    rpc,
    perp.instruments.map(({ feed }) => lower(feed)),
  )
  const plan = {
    guardian: lower(perp.guardian),
    wrappedNative: lower(perp.wrappedNative),
    delegationSec: perp.delegationSec,
    quotes: perp.quotes.map((quote, index) => quotePlan(quote, index, tokens[index] as number)),
    instruments: [
      ...perp.instruments.map((one, index) => ({
        ...({ type: LINK, base: one.base, quote: lower(one.quote), heartBeatSec: one.heartBeatSec } as const),
        feed: { address: lower(one.feed), decimals: feeds[index] as number },
      })),
      ...perp.stockInstruments.map(({ ticker, quote, heartBeatSec: beat }) => ({
        ...({ type: STOCK, base: ticker, quote: lower(quote), heartBeatSec: beat, feed: null } as const),
      })),
    ],
  }
  checkTogether(plan)
  return plan
}

type QuoteFields = Static<typeof perpSchema>['quotes'][number]

function quotePlan(quote: QuoteFields, index: number, decimals: number): CorePlan['quotes'][number] {
  const amount = (name: string, text: string, places: number) =>
    parseAmount(text, { field: `perp.quotes.${index}.${name}`, decimals: places, max: UINT96_MAX })
  const { tradingFeeRatio, protocolFeeRatio, withdrawalThreshold } = quote
  return {
    address: lower(quote.address),
    params: {
      minMarginAmount: amount('minMarginAmount', quote.minMarginAmount, WAD_DECIMALS),
      tradingFeeRatio,
      protocolFeeRatio,
      qtype: QUOTE_TYPES.indexOf(quote.type) + 1,
      tip: amount('tip', quote.tip, WAD_DECIMALS),
    },
    threshold: withdrawalThreshold === null ? maxUint256 : amount('withdrawalThreshold', withdrawalThreshold, decimals),
  }
}

/** What the fields cannot say alone. */
function checkTogether({ quotes, instruments }: PerpDeploymentPlan): void {
  for (const { params } of quotes) {
    if (params.minMarginAmount === 0n) throw invalid('/perp/quotes: minMarginAmount must be more than 0')
    const most = mostTip({ minMarginAmount: params.minMarginAmount, initialMarginRatio: LAUNCH_INITIAL_MARGIN_RATIO })
    if (params.tip > most) {
      const text = formatUnits(most, WAD_DECIMALS)
      throw invalid(
        `/perp/quotes: tip must not be more than ${text}, which the least range can pay when the price leaves it`,
      )
    }
  }
  for (const { base: symbol, quote } of instruments) {
    const isListed = quotes.some((one) => one.address === quote)
    if (!isListed) throw invalid(`/perp: the quote ${quote} of ${symbol} is not among quotes`)
  }
  const names = instruments.map(({ type, base: symbol, quote }) => `${symbol} in ${quote} of type ${type}`)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw invalid(`/perp: ${twice} is listed twice`)
}

async function decimalsOf(rpc: Rpc, contracts: readonly Hex[]): Promise<readonly number[]> {
  const reads = contracts.map((address) => contractRead({ address, abi: decimalsAbi }, 'decimals'))
  return await readContracts(rpc, reads)
}

const invalid = (problem: string): AppError =>
  new AppError(deployReasons.deployment_plan_invalid, `the plan is not right: ${problem}`)

const lower = (text: string): Hex => text.toLowerCase() as Hex
