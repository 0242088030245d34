import {
  type Abi,
  encodeDeployData,
  encodeFunctionData,
  getContractAddress,
  keccak256,
  toBytes,
  toFunctionSelector,
} from 'viem'
import type { Hex } from '../types.ts'
import { readArtifact } from './artifacts.ts'
import type { Deployed, Deployer } from './deployer.ts'
import { ADMINISTRATED, type Addresses, operatingRoles, roleHash, type StockContract, tokenRoles } from './roles.ts'
import type { CashTokenPlan, StockListing, StockPlan } from './stock-plan.ts'

/** What a delegatee may do as its user on the stock router: everything a user can. */
const DELEGATED_FUNCTIONS = [
  'deposit',
  'withdraw',
  'depositStock',
  'withdrawStock',
  'placeMarketOrder',
  'placeLimitOrder',
  'cancelLimitOrder',
  'depositAndMarketBuy',
  'depositAndLimitBuy',
  'depositStockAndMarketSell',
  'depositStockAndLimitSell',
]

/** The stock product on a chain. */
export interface DeployedStock {
  readonly contracts: Readonly<Record<StockContract, Deployed>>
  /** Of these, of the stock tokens (`a` and the ticker) and of the cash tokens. */
  readonly addresses: Addresses
}

/** Roles that the deployer needs until everything stands. */
export const DEPLOYER_ROLES = [
  ['Compliance', 'COMPLIANCE_MANAGER_ROLE'],
  ['StockTokenFactory', 'TOKEN_CREATOR_ROLE'],
] as const

/**
 * Deploys and wires the stock product's contracts by a plan. Afterwards the deployer administrates every contract but the
 * stock tokens; `handOver` ends that.
 */
export async function deployStock(deployer: Deployer, plan: StockPlan): Promise<DeployedStock> {
  const { contracts, tokenImplementation } = await deployContracts(deployer, plan)
  await wire(deployer, contracts, plan)
  const tokens: [string, Hex][] = plan.cashTokens.map(({ name, address }) => [name, address])
  for (const listing of plan.stocks) {
    const token = await createToken(deployer, contracts, tokenImplementation, listing, plan)
    const limits = [plan.maxDeviationPpm, plan.maxPriceAgeSec]
    await deployer.call(contracts.Stock, 'listStock', [token, listing.ticker, ...limits])
    tokens.push([`a${listing.ticker}`, token])
  }
  const named = ADMINISTRATED.map((name): [string, Hex] => [name, contracts[name].address])
  return { contracts, addresses: Object.fromEntries([...named, ...tokens]) }
}

async function deployContracts(
  deployer: Deployer,
  plan: StockPlan,
): Promise<{ contracts: DeployedStock['contracts']; tokenImplementation: Deployed }> {
  const admin = deployer.address
  const { creditBufferWad, instantThresholdDivisor, depositFeePpm, withdrawFeePpm, exitDelaySec } = plan
  const cashTerms = [creditBufferWad, instantThresholdDivisor, depositFeePpm, withdrawFeePpm, exitDelaySec]
  const Compliance = await deployer.deployProxy('Compliance', [], [admin])
  const StockOracle = await deployer.deployProxy('StockOracle', [], [admin])
  const OneClickRouter = await deployer.deployProxy('OneClickRouter', [], [admin])
  const OperatorPool = await deployer.deployProxy('OperatorPool', [], [admin])
  const StockRouter = await deployer.deployProxy('StockRouter', [OneClickRouter.address], [admin, Compliance.address])
  const Cashier = await deployer.deployProxy('Cashier', [StockRouter.address], [admin, ...cashTerms])
  const Stock = await deployer.deployProxy(
    'Stock',
    [StockRouter.address, Cashier.address],
    [admin, StockOracle.address, plan.orderFees, exitDelaySec],
  )
  const tokenImplementation = await deployer.deploy('StockToken')
  const StockTokenFactory = await deployer.deployProxy(
    'StockTokenFactory',
    [tokenImplementation.address, Compliance.address],
    [admin],
  )
  const core = { StockRouter, Cashier, Stock, StockOracle, Compliance, StockTokenFactory }
  return { contracts: { ...core, OneClickRouter, OperatorPool }, tokenImplementation }
}

async function wire(deployer: Deployer, contracts: DeployedStock['contracts'], plan: StockPlan): Promise<void> {
  const { StockRouter: router, Cashier: cashier, Stock: stock, OneClickRouter: oneClick } = contracts
  await deployer.call(router, 'configure', [cashier.address, stock.address])
  for (const name of DELEGATED_FUNCTIONS) {
    await deployer.call(oneClick, 'setAllowed', [router.address, selectorOf(router.abi, name), true])
  }
  await deployer.call(contracts.OperatorPool, 'setRouter', [oneClick.address, true])
  for (const { contractName, role, members } of operatingRoles(stock.address, plan)) {
    const contract = contracts[contractName as StockContract]
    for (const member of members) await deployer.call(contract, 'grantRole', [roleHash(role), member])
  }
  for (const [name, role] of DEPLOYER_ROLES) {
    await deployer.call(contracts[name], 'grantRole', [roleHash(role), deployer.address])
  }
  await deployer.call(contracts.Compliance, 'addUsers', [[stock.address, plan.roles.settle]])
  for (const token of plan.cashTokens) {
    await deployer.call(cashier, 'addSupportedToken', [token.address, cashConfig(token)])
  }
}

const cashConfig = (token: CashTokenPlan) => ({
  minAmount: token.minAmount,
  usdRate: token.usdRatePpm,
  decimals: token.decimals,
  depositPaused: false,
  withdrawPaused: false,
  withdrawBuffer: token.withdrawBuffer,
  withdrawBufferCapacity: token.withdrawBufferCapacity,
})

function selectorOf(abi: Abi, name: string): Hex {
  const item = abi.find((entry) => entry.type === 'function' && entry.name === name)
  if (item?.type !== 'function') throw new Error(`the ABI has no function ${name}`)
  return toFunctionSelector(item)
}

/** Creates a stock's token. Its address follows from what it is made of, so nothing has to be mined to know it. */
async function createToken(
  deployer: Deployer,
  { StockTokenFactory: factory, Compliance: compliance }: DeployedStock['contracts'],
  implementation: Deployed,
  { ticker, company }: StockListing,
  plan: StockPlan,
): Promise<Hex> {
  const roles = tokenRoles(plan)
  await deployer.call(factory, 'createToken', [ticker, company, roles])
  const { admin, configurator, minter, burner, pauser } = roles
  const initialize = encodeFunctionData({
    abi: implementation.abi,
    functionName: 'initialize',
    args: [`${company} aStock`, `a${ticker}`, compliance.address, admin, configurator, minter, burner, pauser],
  })
  const { abi, bytecode } = await readArtifact('ERC1967Proxy')
  const proxy = encodeDeployData({ abi, bytecode, args: [implementation.address, initialize] })
  const salt = keccak256(toBytes(ticker))
  return getContractAddress({ opcode: 'CREATE2', from: factory.address, salt, bytecode: proxy }).toLowerCase() as Hex
}
