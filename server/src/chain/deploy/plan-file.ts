import { readFile } from 'node:fs/promises'
import Type, { type Static } from 'typebox'
import { Value } from 'typebox/value'
import { erc20Abi } from 'viem'
import { parseAmount, UINT96_MAX } from '../../lib/decimal.ts'
import { AppError } from '../../lib/errors.ts'
import type { ChainProfile } from '../profiles.ts'
import { readContracts } from '../read.ts'
import type { Rpc } from '../rpc.ts'
import type { Hex } from '../types.ts'
import { deployReasons } from './reasons.ts'
import type { CashTokenPlan, StockPlan } from './stock-plan.ts'

const UINT128_MAX = (1n << 128n) - 1n
const WAD_DECIMALS = 18
const PPM_DECIMALS = 6

const strict = { additionalProperties: false }
const address = Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' })
const amount = Type.String()
/** What the contracts take at most as a fee. */
const feePpm = Type.Integer({ minimum: 0, maximum: 50_000 })
const uint32 = Type.Integer({ minimum: 1, maximum: 0xffff_ffff })

const schema = Type.Object(
  {
    timelock: Type.Object(
      { delaySec: Type.Integer({ minimum: 0 }), proposers: Type.Array(address, { minItems: 1 }) },
      strict,
    ),
    roles: Type.Object(
      {
        settle: address,
        oracle: address,
        submit: Type.Array(address),
        configure: address,
        compliance: address,
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
        { ticker: Type.String({ pattern: '^[A-Z][A-Z0-9.]{0,9}$' }), company: Type.String({ minLength: 1 }) },
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
    exitDelaySec: Type.Integer({ minimum: 3600, maximum: 30 * 86_400 }),
    maxDeviationPpm: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
    maxPriceAgeSec: uint32,
  },
  strict,
)
type PlanFile = Static<typeof schema>

/** The stock product as a plan file wants it, but for the timelock's address. */
export interface VenuePlan {
  readonly timelock: { readonly delaySec: number; readonly proposers: readonly Hex[] }
  readonly stock: Omit<StockPlan, 'tokenAdmin'>
}

/**
 * Reads a plan file (docs/deploying.md). Decimals of cash tokens come from the tokens themselves. Throws
 * `deployment_plan_invalid` naming the file and the first thing that is wrong with it, or `amount_invalid`.
 */
export async function readPlan(file: string, profile: ChainProfile, rpc: Rpc): Promise<VenuePlan> {
  const plan = await parsePlan(file)
  checkPlan(file, plan, profile)
  const { timelock, roles, cashTokens, creditBuffer, ...rest } = plan
  const rule = { field: 'creditBuffer', decimals: WAD_DECIMALS, max: UINT128_MAX }
  return {
    timelock: { ...timelock, proposers: timelock.proposers.map(lower) },
    stock: {
      ...rest,
      roles: {
        settle: lower(roles.settle),
        oracle: lower(roles.oracle),
        submit: roles.submit.map(lower),
        configure: lower(roles.configure),
        compliance: lower(roles.compliance),
        guardian: lower(roles.guardian),
      },
      cashTokens: await cashTokenPlans(cashTokens, rpc),
      creditBufferWad: parseAmount(creditBuffer, rule),
    },
  }
}

async function parsePlan(file: string): Promise<PlanFile> {
  const text = await readFile(file, 'utf8').catch((cause) => {
    throw new AppError(deployReasons.deployment_plan_invalid, `the plan ${file} cannot be read`, { cause })
  })
  const value = parseJson(file, text)
  const [problem] = Value.Errors(schema, value)
  if (problem)
    throw invalid(
      file,
      `${problem.instancePath || 'it'} ${problem.keyword === 'boolean' ? 'is no field of a plan' : problem.message}`,
    )
  return value as PlanFile
}

function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new AppError(deployReasons.deployment_plan_invalid, `the plan ${file} is not JSON`, { cause })
  }
}

/** What the schema cannot say. */
function checkPlan(file: string, { timelock, roles, cashTokens, stocks }: PlanFile, profile: ChainProfile): void {
  if (timelock.delaySec < profile.minTimelockDelaySec) {
    const needed = `at least ${profile.minTimelockDelaySec} on ${profile.name}`
    throw invalid(file, `/timelock/delaySec must be ${needed}, got ${timelock.delaySec}`)
  }
  const hot = [roles.settle, roles.oracle, roles.configure, ...roles.submit].map(lower)
  const twice = [...timelock.proposers, roles.guardian].map(lower).find((holder) => hot.includes(holder))
  if (twice) throw invalid(file, `${twice} cannot be both a signer of the relayer and a proposer or the guardian`)
  const names = [...cashTokens.map(({ name }) => name), ...stocks.map(({ ticker }) => `a${ticker}`)]
  const double = names.find((name, index) => names.indexOf(name) !== index)
  if (double) throw invalid(file, `${double} is listed twice`)
}

async function cashTokenPlans(tokens: PlanFile['cashTokens'], rpc: Rpc): Promise<CashTokenPlan[]> {
  const reads = tokens.map((token) => ({ address: lower(token.address), abi: erc20Abi, functionName: 'decimals' }))
  const { results } = await readContracts(rpc, reads)
  return tokens.map(({ name, address: at, minAmount, usdRate, withdrawBufferCapacity }, index) => {
    const decimals = Number(results[index])
    const units = (field: string, text: string, max: bigint, places = decimals) =>
      parseAmount(text, { field: `${name}.${field}`, decimals: places, max })
    return {
      ...{ name, address: lower(at), decimals, withdrawBuffer: 0n },
      minAmount: units('minAmount', minAmount, UINT96_MAX),
      usdRatePpm: Number(units('usdRate', usdRate, 0xffff_ffffn, PPM_DECIMALS)),
      withdrawBufferCapacity: units('withdrawBufferCapacity', withdrawBufferCapacity, UINT128_MAX),
    }
  })
}

const lower = (text: string): Hex => text.toLowerCase() as Hex

const invalid = (file: string, problem: string): AppError =>
  new AppError(deployReasons.deployment_plan_invalid, `the plan ${file} is not right: ${problem}`)
