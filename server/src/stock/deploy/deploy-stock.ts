import { encodeDeployData, encodeFunctionData, getContractAddress, keccak256, toBytes } from 'viem'
import { readArtifact } from '../../chain/deploy/artifacts.ts'
import type { Deployed, Deployer } from '../../chain/deploy/deployer.ts'
import { type Addresses, roleHash, rolesAbi } from '../../chain/deploy/roles.ts'
import { selectorOf } from '../../chain/deploy/selector.ts'
import type { Hex } from '../../chain/types.ts'
import type { CashTokenPlan, StockListing, StockPlan } from './stock-plan.ts'
import { ADMINISTRATED, DEPLOYER_ROLES, operatingRoles, type StockContract, tokenRoles } from './stock-roles.ts'

/** What a delegatee may do as its user on the stock router: everything a user can. */
export const DELEGATED_FUNCTIONS = [
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
] as const

/** The stock product on a chain. */
export interface DeployedStock {
  readonly contracts: { readonly [Name in StockContract]: Deployed<Name> }
  /** Addresses of these, the stock tokens (`a` and the ticker) and the cash tokens. */
  readonly addresses: Addresses
}

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
    await deployer.call(contracts.Stock, 'listStock', [token, listing.ticker, listingTerms(listing, plan)])
    tokens.push([`a${listing.ticker}`, token])
  }
  const named = ADMINISTRATED.map((name): [string, Hex] => [name, contracts[name].address])
  return { contracts, addresses: Object.fromEntries([...named, ...tokens]) }
}

async function deployContracts(
  deployer: Deployer,
  plan: StockPlan,
): Promise<{ contracts: DeployedStock['contracts']; tokenImplementation: Deployed<'StockToken'> }> {
  const admin = deployer.address
  const { creditBufferWad, instantThresholdDivisor, depositFeePpm, withdrawFeePpm, withdrawExitDelaySec } = plan
  const cashTerms = [
    creditBufferWad,
    instantThresholdDivisor,
    depositFeePpm,
    withdrawFeePpm,
    withdrawExitDelaySec,
  ] as const
  const delays = {
    exitDelaySec: plan.exitDelaySec,
    stockExitDelaySec: withdrawExitDelaySec,
    lateSettlementSec: plan.lateSettlementSec,
  }
  const { durationSec, dailyAmountWad } = plan.delegation
  const Compliance = await deployer.deployProxy('Compliance', [], [admin])
  const StockOracle = await deployer.deployProxy('StockOracle', [], [admin])
  const OneClickRouter = await deployer.deployProxy('OneClickRouter', [], [admin, durationSec, dailyAmountWad])
  const OperatorPool = await deployer.deployProxy('OperatorPool', [], [admin])
  const StockRouter = await deployer.deployProxy('StockRouter', [OneClickRouter.address], [admin, Compliance.address])
  const Cashier = await deployer.deployProxy('Cashier', [StockRouter.address], [admin, ...cashTerms])
  const Stock = await deployer.deployProxy(
    'Stock',
    [StockRouter.address, Cashier.address],
    [admin, StockOracle.address, plan.orderFees, delays],
  )
  const tokenImplementation = await deployer.deploy('StockToken', [])
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
    const { address } = contracts[contractName as StockContract]
    for (const member of members) await deployer.call({ address, abi: rolesAbi }, 'grantRole', [roleHash(role), member])
  }
  for (const [name, role] of DEPLOYER_ROLES) {
    const { address } = contracts[name]
    await deployer.call({ address, abi: rolesAbi }, 'grantRole', [roleHash(role), deployer.address])
  }
  await deployer.call(contracts.Compliance, 'setVenueContract', [stock.address, true])
  for (const token of plan.cashTokens) {
    await deployer.call(cashier, 'addSupportedToken', [token.address, cashConfig(token)])
  }
}

const listingTerms = (listing: StockListing, plan: StockPlan) => ({
  tradable: true,
  maxDeviationPpm: plan.maxDeviationPpm,
  maxLimitDeviationPpm: plan.maxLimitDeviationPpm,
  maxPriceAgeSec: plan.maxPriceAgeSec,
  mintCapacity: listing.mintCapacityWad,
  mintPeriodSec: plan.mintPeriodSec,
})

const cashConfig = (token: CashTokenPlan) => ({
  minAmount: token.minAmount,
  usdRate: token.usdRatePpm,
  decimals: token.decimals,
  depositPaused: false,
  withdrawPaused: false,
  withdrawBuffer: token.withdrawBuffer,
  withdrawBufferCapacity: token.withdrawBufferCapacity,
})

/** Creates a stock's token. Its address follows from what it is made of, so nothing has to be mined to know it. */
async function createToken(
  deployer: Deployer,
  { StockTokenFactory: factory, Compliance: compliance, Stock: stock }: DeployedStock['contracts'],
  implementation: Deployed<'StockToken'>,
  { ticker, company }: StockListing,
  plan: StockPlan,
): Promise<Hex> {
  const roles = tokenRoles(stock.address, plan)
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
