import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { developmentAccounts } from '../../chain/embedded/accounts.ts'
import type { Hex } from '../../chain/types.ts'

/** The plan of the guide (docs/deploying.md). */
export const EXAMPLE_PLAN = join(
  ...[import.meta.dirname, '..', '..', '..', '..', 'contracts', 'deployments', 'plan.example.json'],
)

/** A plan file's content, for tests to spoil. */
export type Plan = Record<string, unknown> & { roles: Record<string, unknown>; timelock: Record<string, unknown> }

/** Who is who in the example plan of a development chain. */
export function planAccounts() {
  const { users, ...operators } = developmentAccounts()
  const [user, proposer, guardian, compliance, configure, outsider] = users
  if (!user || !proposer || !guardian || !compliance || !configure || !outsider) throw new Error('too few accounts')
  return { ...operators, user, proposer, guardian, compliance, configure, outsider }
}

/** The example of the guide with a development chain's accounts, and its cash token, in it. */
export async function examplePlan(usdc: Hex): Promise<Plan> {
  const example = JSON.parse(await readFile(EXAMPLE_PLAN, 'utf8'))
  const { proposer, settle, oracle, submit, configure, compliance, guardian } = planAccounts()
  return {
    ...example,
    timelock: { ...example.timelock, proposers: [proposer.address] },
    roles: {
      settle: settle.address,
      oracle: oracle.address,
      submit: submit.map(({ address }) => address),
      configure: configure.address,
      compliance: compliance.address,
      rates: compliance.address,
      guardian: guardian.address,
    },
    cashTokens: [{ ...example.cashTokens[0], address: usdc }],
  }
}
