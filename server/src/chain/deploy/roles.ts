import { keccak256, toBytes } from 'viem'
import { AppError } from '../../lib/errors.ts'
import { operatorPoolAbi } from '../abi/operator-pool.ts'
import type { Hex } from '../types.ts'
import { deployReasons } from './reasons.ts'

/** The functions about roles, which every contract of the venue has alike. */
export const rolesAbi = operatorPoolAbi

/** The role that gives and takes every other, upgrades, and sets parameters. */
export const ADMIN_ROLE = 'DEFAULT_ADMIN_ROLE'

/** Addresses by contract name, as a deployment file has them. */
export type Addresses = Readonly<Record<string, Hex>>

/** A role of one contract and everybody who shall have it. */
export interface RoleEntry {
  readonly contractName: string
  readonly role: string
  readonly members: readonly Hex[]
}

/** The value by which contracts know a role. */
export const roleHash = (role: string): Hex => (role === ADMIN_ROLE ? `0x${'00'.repeat(32)}` : keccak256(toBytes(role)))

/** Throws `deployment_wrong` when the deployment does not name the contract. */
export function addressOf(addresses: Addresses, contractName: string): Hex {
  const address = addresses[contractName]
  if (!address) throw new AppError(deployReasons.deployment_wrong, `the deployment names no ${contractName}`)
  return address
}
