import { AppError } from '../../lib/errors.ts'
import { readContracts } from '../read.ts'
import type { Rpc } from '../rpc.ts'
import type { Hex } from '../types.ts'
import { DEPLOYER_ROLES } from './deploy-stock.ts'
import type { Deployed, Deployer } from './deployer.ts'
import { deployReasons } from './reasons.ts'
import {
  ADMIN_ROLE,
  ADMINISTRATED,
  type Addresses,
  operatingRoles,
  type RoleEntry,
  roleHash,
  rolesAbi,
} from './roles.ts'
import type { StockPlan } from './stock-plan.ts'

const NOBODY: Hex = `0x${'00'.repeat(20)}`

/**
 * Deploys the timelock that will administrate everything: the proposers schedule what anybody may execute once `delaySec`
 * have passed, and nobody but the timelock itself changes who they are.
 */
export const deployTimelock = (
  deployer: Deployer,
  { delaySec, proposers }: { readonly delaySec: number; readonly proposers: readonly Hex[] },
): Promise<Deployed> => deployer.deploy('TimelockController', [delaySec, proposers, [NOBODY], NOBODY])

/** Gives the administration to `plan.tokenAdmin`; the deployer keeps no role but those that the plan gives it. */
export async function handOver(deployer: Deployer, addresses: Addresses, plan: StockPlan): Promise<void> {
  const admin = plan.tokenAdmin
  const change = (contractName: string, what: 'grantRole' | 'renounceRole', role: string, account: Hex) => {
    const contract = { address: addressOf(addresses, contractName), abi: rolesAbi }
    return deployer.call(contract, what, [roleHash(role), account])
  }
  await change('StockTokenFactory', 'grantRole', 'TOKEN_CREATOR_ROLE', admin)
  const operating = operatingRoles(addressOf(addresses, 'Stock'), plan)
  for (const [contractName, role] of DEPLOYER_ROLES) {
    const entry = operating.find((one) => one.contractName === contractName && one.role === role)
    if (entry?.members.includes(deployer.address)) continue
    await change(contractName, 'renounceRole', role, deployer.address)
  }
  for (const contractName of ADMINISTRATED) {
    await change(contractName, 'grantRole', ADMIN_ROLE, admin)
    await change(contractName, 'renounceRole', ADMIN_ROLE, deployer.address)
  }
}

/** Throws `deployment_wrong` naming every role whose members on chain are not exactly those of the table. */
export async function verifyRoles(rpc: Rpc, addresses: Addresses, entries: readonly RoleEntry[]): Promise<void> {
  const reads = entries.map(({ contractName, role }) => ({
    ...{ address: addressOf(addresses, contractName), abi: rolesAbi },
    ...{ functionName: 'getRoleMembers', args: [roleHash(role)] },
  }))
  const { results } = await readContracts(rpc, reads)
  const wrong = entries.flatMap(({ contractName, role, members }, index) => {
    const found = (results[index] as Hex[]).map((member) => member.toLowerCase()).sort()
    const wanted = [...new Set(members)].sort()
    if (found.join() === wanted.join()) return []
    return [`${role} of ${contractName}: ${found.join(', ') || 'nobody'} instead of ${wanted.join(', ') || 'nobody'}`]
  })
  if (wrong.length > 0) throw new AppError(deployReasons.deployment_wrong, wrong.join('\n'))
}

function addressOf(addresses: Addresses, contractName: string): Hex {
  const address = addresses[contractName]
  if (!address) throw new AppError(deployReasons.deployment_wrong, `the deployment names no ${contractName}`)
  return address
}
