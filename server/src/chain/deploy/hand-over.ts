import { parseAbi } from 'viem'
import type { Hex } from '../types.ts'
import type { Deployed, Deployer } from './deployer.ts'
import type { TimelockPlan } from './plan-file.ts'
import type { DeployerPowers } from './product-deployment.ts'
import { ADMIN_ROLE, type Addresses, addressOf, type RoleEntry, roleHash, rolesAbi } from './roles.ts'

const ownerAbi = parseAbi(['function transferOwnership(address newOwner)'])

const NOBODY: Hex = `0x${'00'.repeat(20)}`

/**
 * Deploys the timelock that will administrate everything: the proposers schedule what anybody may execute once `delaySec`
 * have passed, proposers and guardians cancel what waits, and nobody but the timelock itself changes who they are.
 */
export async function deployTimelock(
  deployer: Deployer,
  { delaySec, proposers }: TimelockPlan,
  guardians: readonly Hex[],
): Promise<Deployed> {
  const timelock = await deployer.deploy('TimelockController', [delaySec, proposers, [NOBODY], deployer.address])
  for (const guardian of guardians) await deployer.call(timelock, 'grantRole', [roleHash('CANCELLER_ROLE'), guardian])
  await deployer.call(timelock, 'renounceRole', [roleHash(ADMIN_ROLE), deployer.address])
  return timelock
}

/** Every role of the timelock: it administrates itself, and whoever likes executes what has waited. */
export const timelockRoles = (
  timelock: Hex,
  { proposers }: TimelockPlan,
  guardians: readonly Hex[],
): readonly RoleEntry[] => [
  { contractName: 'Timelock', role: ADMIN_ROLE, members: [timelock] },
  { contractName: 'Timelock', role: 'PROPOSER_ROLE', members: proposers },
  { contractName: 'Timelock', role: 'CANCELLER_ROLE', members: [...proposers, ...guardians] },
  { contractName: 'Timelock', role: 'EXECUTOR_ROLE', members: [NOBODY] },
]

/**
 * Gives the administration of what `powers` names to `admin`, with every role that it shall have; the deployer keeps none
 * but those that `finalRoles` gives it.
 */
export async function handOver(
  deployer: Deployer,
  admin: Hex,
  addresses: Addresses,
  { administrated, owned, deployerRoles }: DeployerPowers,
  finalRoles: readonly RoleEntry[],
): Promise<void> {
  const change = (contractName: string, what: 'grantRole' | 'renounceRole', role: string, account: Hex) => {
    const contract = { address: addressOf(addresses, contractName), abi: rolesAbi }
    return deployer.call(contract, what, [roleHash(role), account])
  }
  for (const { contractName, role, members } of finalRoles) {
    const isHandedOver = administrated.includes(contractName) && role !== ADMIN_ROLE
    if (isHandedOver && members.includes(admin)) await change(contractName, 'grantRole', role, admin)
  }
  for (const [contractName, role] of deployerRoles) {
    const entry = finalRoles.find((one) => one.contractName === contractName && one.role === role)
    if (entry?.members.includes(deployer.address)) continue
    await change(contractName, 'renounceRole', role, deployer.address)
  }
  for (const contractName of administrated) {
    await change(contractName, 'grantRole', ADMIN_ROLE, admin)
    await change(contractName, 'renounceRole', ADMIN_ROLE, deployer.address)
  }
  for (const contractName of owned) {
    const contract = { address: addressOf(addresses, contractName), abi: ownerAbi }
    await deployer.call(contract, 'transferOwnership', [admin])
  }
}
