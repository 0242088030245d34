import { type Abi, keccak256, toBytes } from 'viem'
import { stockOracleAbi } from '../abi/stock-oracle.ts'
import type { Hex } from '../types.ts'
import type { StockPlan } from './stock-plan.ts'

/** The functions about roles, which every contract of the venue has alike. */
export const rolesAbi: Abi = stockOracleAbi

/** The role that gives and takes every other, upgrades, and sets parameters. */
export const ADMIN_ROLE = 'DEFAULT_ADMIN_ROLE'

/** The contracts that are deployed with the deployer as their administrator. */
export const ADMINISTRATED = [
  'StockRouter',
  'Cashier',
  'Stock',
  'StockOracle',
  'Compliance',
  'StockTokenFactory',
  'OneClickRouter',
  'OperatorPool',
] as const
export type StockContract = (typeof ADMINISTRATED)[number]

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

/** The roles by which the venue is operated: all but those of administrators and of stock tokens. `stock` is Stock's address. */
export function operatingRoles(stock: Hex, { roles }: StockPlan): RoleEntry[] {
  const guardians = roles.guardian === null ? [] : [roles.guardian]
  const table: readonly (readonly [StockContract, string, readonly Hex[]])[] = [
    ['StockRouter', 'GUARDIAN_ROLE', guardians],
    ['Cashier', 'GUARDIAN_ROLE', guardians],
    ['Cashier', 'TOKEN_PAUSER_ROLE', guardians],
    ['Cashier', 'RATE_MANAGER_ROLE', []],
    ['Cashier', 'EXCHANGE_ROLE', [stock]],
    ['Cashier', 'SETTLER_ROLE', [roles.settle]],
    ['Stock', 'GUARDIAN_ROLE', guardians],
    ['Stock', 'TOKEN_PAUSER_ROLE', guardians],
    ['Stock', 'ORDER_SETTLER_ROLE', [roles.settle]],
    ['StockOracle', 'PUBLISHER_ROLE', [roles.oracle]],
    ['Compliance', 'COMPLIANCE_MANAGER_ROLE', [roles.compliance]],
    ['OneClickRouter', 'GUARDIAN_ROLE', guardians],
    ['OperatorPool', 'GUARDIAN_ROLE', guardians],
    ['OperatorPool', 'OPERATOR_ROLE', roles.submit],
  ]
  return table.map(([contractName, role, members]) => ({ contractName, role, members }))
}

/** What a stock token is born with, by the names of its `initialize`. */
export const tokenRoles = ({ roles, tokenAdmin }: StockPlan) => ({
  admin: tokenAdmin,
  configurator: roles.configure,
  minter: roles.settle,
  burner: roles.settle,
  pauser: roles.guardian ?? tokenAdmin,
})

/** Every role of every contract once `plan.tokenAdmin`, the timelock, administrates them all. */
export function finalRoles(stock: Hex, plan: StockPlan): RoleEntry[] {
  const admins = [plan.tokenAdmin]
  const { configurator, minter, burner, pauser } = tokenRoles(plan)
  return [
    ...ADMINISTRATED.map((contractName) => ({ contractName, role: ADMIN_ROLE, members: admins })),
    { contractName: 'StockTokenFactory', role: 'TOKEN_CREATOR_ROLE', members: admins },
    ...operatingRoles(stock, plan),
    ...plan.stocks.flatMap(({ ticker }) => [
      { contractName: `a${ticker}`, role: ADMIN_ROLE, members: admins },
      { contractName: `a${ticker}`, role: 'CONFIGURE_ROLE', members: [configurator] },
      { contractName: `a${ticker}`, role: 'MINTER_ROLE', members: [minter] },
      { contractName: `a${ticker}`, role: 'BURNER_ROLE', members: [burner] },
      { contractName: `a${ticker}`, role: 'PAUSE_ROLE', members: [pauser] },
    ]),
  ]
}
