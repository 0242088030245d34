import Type, { type Static } from 'typebox'
import { erc20Abi } from 'viem'
import { deployReasons } from '../../chain/deploy/reasons.ts'
import { contractRead, readContracts } from '../../chain/read.ts'
import type { Rpc } from '../../chain/rpc.ts'
import type { Hex } from '../../chain/types.ts'
import { parseAmount, UINT96_MAX } from '../../lib/decimal.ts'
import { AppError } from '../../lib/errors.ts'
import { WAD_DECIMALS } from '../../lib/wad.ts'
import type { CashTokenPlan, StockPlan } from './stock-plan.ts'

const UINT128_MAX = (1n << 128n) - 1n
const PPM_DECIMALS = 6

const DAY_SEC = 86_400
/**
 * How long an order may live before its settlement: the longest closure of the market (an early close before a long weekend
 * to the end of the day after it, 4 days and 3 hours), and then what settlement itself may take.
 */
const LONGEST_DAY_ORDER_SEC = 4 * DAY_SEC + 3 * 3600
const MIN_ORDER_EXIT_SEC = LONGEST_DAY_ORDER_SEC + 3600

const strict = { additionalProperties: false }
const address = Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' })
const amount = Type.String()
/** Highest fee rate that the contracts accept. */
const feePpm = Type.Integer({ minimum: 0, maximum: 50_000 })
const uint32 = Type.Integer({ minimum: 1, maximum: 0xffff_ffff })

/** The stock product's fields of a plan file (docs/deploying.md). */
export const stockPlanFields = {
  roles: Type.Object(
    {
      settle: address,
      oracle: address,
      submit: Type.Array(address),
      configure: address,
      compliance: address,
      rates: address,
      guardian: address,
    },
    strict,
  ),
  cashTokens: Type.Array(
    Type.Object(
      {
        name: Type.String({ pattern: '^[A-Z][A-Za-z0-9]*$' }),
        address,
        minAmount: amount,
        usdRate: amount,
        withdrawBufferCapacity: amount,
      },
      strict,
    ),
    { minItems: 1 },
  ),
  stocks: Type.Array(
    Type.Object(
      {
        ticker: Type.String({ pattern: '^[A-Z][A-Z0-9.]{0,9}$' }),
        company: Type.String({ minLength: 1 }),
        mintCapacity: amount,
      },
      strict,
    ),
  ),
  creditBuffer: amount,
  instantThresholdDivisor: Type.Integer({ minimum: 1, maximum: 255 }),
  depositFeePpm: feePpm,
  withdrawFeePpm: feePpm,
  orderFees: Type.Object(
    { buyThirdPartyPpm: feePpm, buyProtocolPpm: feePpm, sellThirdPartyPpm: feePpm, sellProtocolPpm: feePpm },
    strict,
  ),
  exitDelaySec: Type.Integer({ minimum: MIN_ORDER_EXIT_SEC, maximum: 30 * DAY_SEC }),
  withdrawExitDelaySec: Type.Integer({ minimum: 3600, maximum: 30 * DAY_SEC }),
  lateSettlementSec: Type.Integer({ minimum: 0, maximum: 20 * 3600 }),
  maxDeviationPpm: Type.Integer({ minimum: 1, maximum: 999_999 }),
  maxLimitDeviationPpm: Type.Integer({ minimum: 1, maximum: 999_999 }),
  maxPriceAgeSec: uint32,
  mintPeriodSec: uint32,
  delegation: Type.Object(
    { durationSec: Type.Integer({ minimum: 1, maximum: 365 * DAY_SEC }), dailyAmount: amount },
    strict,
  ),
}

export type StockPlanFile = Static<Type.TObject<typeof stockPlanFields>>

/**
 * The stock product as a plan file wants it, but for the timelock's address. Decimals of cash tokens come from the tokens
 * themselves. Throws `amount_invalid`, and `deployment_plan_invalid` for figures that do not go together.
 */
export async function readStockPlan(plan: StockPlanFile, rpc: Rpc): Promise<Omit<StockPlan, 'tokenAdmin'>> {
  checkTogether(plan)
  const { roles, cashTokens, creditBuffer } = plan
  const rule = { field: 'creditBuffer', decimals: WAD_DECIMALS, max: UINT128_MAX }
  return {
    roles: {
      settle: lower(roles.settle),
      oracle: lower(roles.oracle),
      submit: roles.submit.map(lower),
      configure: lower(roles.configure),
      compliance: lower(roles.compliance),
      rates: lower(roles.rates),
      guardian: lower(roles.guardian),
    },
    cashTokens: await cashTokenPlans(cashTokens, rpc),
    stocks: plan.stocks.map(({ ticker, company, mintCapacity }) => {
      const capacityRule = { field: `${ticker}.mintCapacity`, decimals: WAD_DECIMALS, max: UINT96_MAX }
      return { ticker, company, mintCapacityWad: parseAmount(mintCapacity, capacityRule) }
    }),
    creditBufferWad: parseAmount(creditBuffer, rule),
    instantThresholdDivisor: plan.instantThresholdDivisor,
    depositFeePpm: plan.depositFeePpm,
    withdrawFeePpm: plan.withdrawFeePpm,
    orderFees: plan.orderFees,
    exitDelaySec: plan.exitDelaySec,
    withdrawExitDelaySec: plan.withdrawExitDelaySec,
    lateSettlementSec: plan.lateSettlementSec,
    maxDeviationPpm: plan.maxDeviationPpm,
    maxLimitDeviationPpm: plan.maxLimitDeviationPpm,
    maxPriceAgeSec: plan.maxPriceAgeSec,
    mintPeriodSec: plan.mintPeriodSec,
    delegation: {
      durationSec: plan.delegation.durationSec,
      dailyAmountWad: parseAmount(plan.delegation.dailyAmount, {
        // The largest number would be no limit.
        field: 'delegation.dailyAmount',
        decimals: WAD_DECIMALS,
        max: UINT96_MAX - 1n,
      }),
    },
  }
}

/** What the fields cannot say alone. The timelock's delay is compared in `chain/deploy/plan-file.ts`. */
function checkTogether({ exitDelaySec, withdrawExitDelaySec, lateSettlementSec, ...plan }: StockPlanFile): void {
  if (withdrawExitDelaySec >= exitDelaySec) {
    throw invalid(`/withdrawExitDelaySec must be less than exitDelaySec (${exitDelaySec}), got ${withdrawExitDelaySec}`)
  }
  if (LONGEST_DAY_ORDER_SEC + lateSettlementSec > exitDelaySec) {
    const needed = LONGEST_DAY_ORDER_SEC + lateSettlementSec
    throw invalid(
      `/exitDelaySec must be at least ${needed} (the longest DAY order and lateSettlementSec), got ${exitDelaySec}`,
    )
  }
  if (plan.maxLimitDeviationPpm < plan.maxDeviationPpm) {
    throw invalid(`/maxLimitDeviationPpm must be at least maxDeviationPpm (${plan.maxDeviationPpm})`)
  }
}

const invalid = (problem: string): AppError =>
  new AppError(deployReasons.deployment_plan_invalid, `the plan is not right: ${problem}`)

async function cashTokenPlans(tokens: StockPlanFile['cashTokens'], rpc: Rpc): Promise<CashTokenPlan[]> {
  const reads = tokens.map(({ address }) => contractRead({ address: lower(address), abi: erc20Abi }, 'decimals'))
  const results = await readContracts(rpc, reads)
  return tokens.map(({ name, address: at, minAmount, usdRate, withdrawBufferCapacity }, index) => {
    const decimals = Number(results[index])
    const units = (field: string, text: string, max: bigint, places = decimals) =>
      parseAmount(text, { field: `${name}.${field}`, decimals: places, max })
    return {
      name,
      address: lower(at),
      decimals,
      withdrawBuffer: 0n,
      minAmount: units('minAmount', minAmount, UINT96_MAX),
      usdRatePpm: Number(units('usdRate', usdRate, 0xffff_ffffn, PPM_DECIMALS)),
      withdrawBufferCapacity: units('withdrawBufferCapacity', withdrawBufferCapacity, UINT128_MAX),
    }
  })
}

const lower = (text: string): Hex => text.toLowerCase() as Hex
