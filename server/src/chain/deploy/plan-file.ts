import { readFile } from 'node:fs/promises'
import Type from 'typebox'
import { Value } from 'typebox/value'
import { AppError } from '../../lib/errors.ts'
import type { ChainProfile } from '../profiles.ts'
import type { Rpc } from '../rpc.ts'
import type { Hex } from '../types.ts'
import type { PlannedDeployment, ProductDeployment } from './product-deployment.ts'
import { deployReasons } from './reasons.ts'

const strict = { additionalProperties: false }
/** Who administrates everything once the venue stands; the other fields are the products'. */
const timelockSchema = Type.Object(
  {
    delaySec: Type.Integer({ minimum: 0 }),
    proposers: Type.Array(Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' }), { minItems: 1 }),
  },
  strict,
)

export interface TimelockPlan {
  readonly delaySec: number
  /** Lower-case. */
  readonly proposers: readonly Hex[]
}

/** A plan file, read. */
export interface VenuePlan {
  readonly timelock: TimelockPlan
  /** In the order of the products. */
  readonly products: readonly PlannedDeployment[]
}

/**
 * Reads a plan file (docs/deploying.md), which holds the fields of every product beside `timelock`. Throws
 * `deployment_plan_invalid` naming the file and the first thing that is wrong with it, and what the products throw.
 */
export async function readPlan(
  file: string,
  profile: ChainProfile,
  rpc: Rpc,
  products: readonly ProductDeployment[],
): Promise<VenuePlan> {
  const fields = await parsePlan(file, products)
  const { delaySec, proposers } = fields.timelock as Type.Static<typeof timelockSchema>
  const timelock = { delaySec, proposers: proposers.map((proposer) => proposer.toLowerCase() as Hex) }
  if (delaySec < profile.minTimelockDelaySec) {
    const needed = `at least ${profile.minTimelockDelaySec} on ${profile.name}`
    throw invalid(file, `/timelock/delaySec must be ${needed}, got ${delaySec}`)
  }
  const planned: PlannedDeployment[] = []
  for (const product of products) planned.push(await product.plan(fields, rpc))
  checkTogether(file, timelock, planned)
  return { timelock, products: planned }
}

async function parsePlan(
  file: string,
  products: readonly ProductDeployment[],
): Promise<Readonly<Record<string, unknown>>> {
  const text = await readFile(file, 'utf8').catch((cause) => {
    throw new AppError(deployReasons.deployment_plan_invalid, `the plan ${file} cannot be read`, { cause })
  })
  const value = parseJson(file, text)
  const properties = Object.assign({ timelock: timelockSchema }, ...products.map(({ planFields }) => planFields))
  const [problem] = Value.Errors(Type.Object(properties, strict), value)
  if (!problem) return value as Readonly<Record<string, unknown>>
  const what = problem.keyword === 'boolean' ? 'is no field of a plan' : problem.message
  throw invalid(file, `${problem.instancePath || 'it'} ${what}`)
}

function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new AppError(deployReasons.deployment_plan_invalid, `the plan ${file} is not JSON`, { cause })
  }
}

/** What no product can say alone. */
function checkTogether(
  file: string,
  { delaySec, proposers }: TimelockPlan,
  products: readonly PlannedDeployment[],
): void {
  const signers = products.flatMap((product) => product.signers)
  const keepers = [...proposers, ...products.flatMap(({ guardians }) => guardians)]
  const twice = keepers.find((holder) => signers.includes(holder))
  if (twice) throw invalid(file, `${twice} cannot be both a signer of the relayer and a proposer or the guardian`)
  const longest = Math.max(0, ...products.map(({ longestExitSec }) => longestExitSec))
  if (delaySec <= longest) {
    throw invalid(file, `/timelock/delaySec must be more than the longest exit delay (${longest}), got ${delaySec}`)
  }
  const names = products.flatMap((product) => product.names)
  const double = names.find((name, index) => names.indexOf(name) !== index)
  if (double) throw invalid(file, `${double} is listed twice`)
}

const invalid = (file: string, problem: string): AppError =>
  new AppError(deployReasons.deployment_plan_invalid, `the plan ${file} is not right: ${problem}`)
