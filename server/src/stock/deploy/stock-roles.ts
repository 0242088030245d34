import { ADMIN_ROLE, type RoleEntry } from '../../chain/deploy/roles.ts'
import type { Hex } from '../../chain/types.ts'
import type { StockPlan } from './stock-plan.ts'

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

/** Roles that the deployer needs until everything stands. */
export const DEPLOYER_ROLES = [
  ['Compliance', 'COMPLIANCE_MANAGER_ROLE'],
  ['StockTokenFactory', 'TOKEN_CREATOR_ROLE'],
] as const

/** The roles by which the venue is operated: all but those of administrators and of stock tokens. `stock` is Stock's address. */
export function operatingRoles(stock: Hex, { roles }: StockPlan): RoleEntry[] {
  const guardians = roles.guardian === null ? [] : [roles.guardian]
  const table: readonly (readonly [StockContract, string, readonly Hex[]])[] = [
    ['StockRouter', 'GUARDIAN_ROLE', guardians],
    ['Cashier', 'GUARDIAN_ROLE', guardians],
    ['Cashier', 'TOKEN_PAUSER_ROLE', guardians],
    ['Cashier', 'RATE_MANAGER_ROLE', roles.rates === null ? [] : [roles.rates]],
    ['Cashier', 'EXCHANGE_ROLE', [stock]],
    ['Cashier', 'SETTLER_ROLE', [roles.settle]],
    ['Stock', 'GUARDIAN_ROLE', guardians],
    ['Stock', 'TOKEN_PAUSER_ROLE', guardians],
    ['Stock', 'ORDER_SETTLER_ROLE', [roles.settle]],
    ['StockOracle', 'PUBLISHER_ROLE', [roles.oracle]],
    ['StockOracle', 'GUARDIAN_ROLE', guardians],
    ['Compliance', 'COMPLIANCE_MANAGER_ROLE', [roles.compliance]],
    ['OneClickRouter', 'GUARDIAN_ROLE', guardians],
    ['OperatorPool', 'GUARDIAN_ROLE', guardians],
    ['OperatorPool', 'OPERATOR_ROLE', roles.submit],
  ]
  return table.map(([contractName, role, members]) => ({ contractName, role, members }))
}

/** What a stock token is born with, by the names of its `initialize`: nobody but the exchange mints and burns. */
export const tokenRoles = (stock: Hex, { roles, tokenAdmin }: StockPlan) => ({
  admin: tokenAdmin,
  configurator: roles.configure,
  minter: stock,
  burner: stock,
  pauser: roles.guardian ?? tokenAdmin,
})

/** Every role of every contract once `plan.tokenAdmin`, the timelock, administrates them all. */
export function finalRoles(stock: Hex, plan: StockPlan): RoleEntry[] {
  const admins = [plan.tokenAdmin]
  const { configurator, minter, burner, pauser } = tokenRoles(stock, plan)
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
