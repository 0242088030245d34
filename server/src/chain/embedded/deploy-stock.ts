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
import type { DevelopmentAccounts } from './accounts.ts'
import { type Deployed, type Deployer, readArtifact } from './deployer.ts'

const WAD = 10n ** 18n
const USDC = 10n ** 6n
const HOUR_SEC = 3600

/** A stock that the embedded venue lists. */
export interface StockListing {
  /** Upper-case ticker of the underlying. */
  readonly ticker: string
  /** Name of the company or fund. */
  readonly company: string
}

/** Figures of the family's public deployment (stock-api 5), with a deposit minimum small enough to play with. */
const SETTINGS = {
  creditBufferWad: 20_000n * WAD,
  instantThresholdDivisor: 5,
  depositFeePpm: 0,
  withdrawFeePpm: 2100,
  feeRates: { buyThirdPartyPpm: 1000, buyProtocolPpm: 100, sellThirdPartyPpm: 0, sellProtocolPpm: 100 },
  minDeposit: 1n * USDC,
  withdrawBuffer: 10_000n * USDC,
  withdrawBufferCapacity: 50_000n * USDC,
  /** Longer than a DAY order lives over a long weekend, its settlement included. */
  exitDelaySec: 7 * 24 * HOUR_SEC,
  /** A fill may lie 5 % from an oracle price that is at most an hour old. */
  maxDeviationPpm: 50_000,
  maxPriceAgeSec: HOUR_SEC,
  userFunds: 1_000_000n * USDC,
  settlerFunds: 100_000_000n * USDC,
}

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

/** Deploys and wires the stock product's contracts and funds the accounts. Returns addresses by contract name. */
export async function deployStock(
  deployer: Deployer,
  accounts: DevelopmentAccounts,
  listings: readonly StockListing[],
): Promise<Record<string, Hex>> {
  const admin = accounts.admin.address
  const settler = accounts.settle.address
  const usdc = await deployer.deploy('TestUSDC')
  const compliance = await deployer.deployProxy('Compliance', [], [admin])
  const oracle = await deployer.deployProxy('StockOracle', [], [admin])
  const oneClick = await deployer.deployProxy('OneClickRouter', [], [admin])
  const pool = await deployer.deployProxy('OperatorPool', [], [admin])
  const router = await deployer.deployProxy('StockRouter', [oneClick.address], [admin, compliance.address])
  const cashier = await deployer.deployProxy(
    'Cashier',
    [router.address],
    [
      admin,
      SETTINGS.creditBufferWad,
      SETTINGS.instantThresholdDivisor,
      SETTINGS.depositFeePpm,
      SETTINGS.withdrawFeePpm,
      SETTINGS.exitDelaySec,
    ],
  )
  const stock = await deployer.deployProxy(
    'Stock',
    [router.address, cashier.address],
    [admin, oracle.address, SETTINGS.feeRates, SETTINGS.exitDelaySec],
  )

  await deployer.call(router, 'configure', [cashier.address, stock.address])
  await allowDelegation(deployer, { oneClick, pool, router }, accounts)
  await grant(deployer, compliance, 'COMPLIANCE_MANAGER_ROLE', admin)
  await grant(deployer, cashier, 'EXCHANGE_ROLE', stock.address)
  await grant(deployer, cashier, 'SETTLER_ROLE', settler)
  await grant(deployer, stock, 'ORDER_SETTLER_ROLE', settler)
  await grant(deployer, oracle, 'PUBLISHER_ROLE', accounts.oracle.address)
  const users = accounts.users.map(({ address }) => address)
  await deployer.call(compliance, 'addUsers', [[...users, stock.address, settler]])
  await deployer.call(cashier, 'addSupportedToken', [usdc.address, cashToken()])
  for (const user of users) await deployer.call(usdc, 'mint', [user, SETTINGS.userFunds])
  await deployer.call(usdc, 'mint', [settler, SETTINGS.settlerFunds])

  const implementation = await deployer.deploy('StockToken')
  const factory = await deployer.deployProxy('StockTokenFactory', [implementation.address, compliance.address], [admin])
  await grant(deployer, factory, 'TOKEN_CREATOR_ROLE', admin)
  const roles = { admin, configurator: admin, minter: settler, burner: settler, pauser: admin }
  const tokens: Record<string, Hex> = {}
  for (const listing of listings) {
    const token = await createToken(deployer, { factory, implementation, compliance }, listing, roles)
    const limits = [SETTINGS.maxDeviationPpm, SETTINGS.maxPriceAgeSec]
    await deployer.call(stock, 'listStock', [token, listing.ticker, ...limits])
    tokens[`a${listing.ticker}`] = token
  }
  const named = {
    StockRouter: router,
    Cashier: cashier,
    Stock: stock,
    StockOracle: oracle,
    Compliance: compliance,
    StockTokenFactory: factory,
    OneClickRouter: oneClick,
    OperatorPool: pool,
  }
  const addresses = Object.entries({ ...named, USDC: usdc }).map(([name, { address }]) => [name, address] as const)
  return { ...Object.fromEntries(addresses), ...tokens }
}

const cashToken = () => ({
  minAmount: SETTINGS.minDeposit,
  usdRate: 1_000_000,
  decimals: 6,
  depositPaused: false,
  withdrawPaused: false,
  withdrawBuffer: SETTINGS.withdrawBuffer,
  withdrawBufferCapacity: SETTINGS.withdrawBufferCapacity,
})

/** Lets the relayer's signers act through the pool as users who delegated to it. */
async function allowDelegation(
  deployer: Deployer,
  { oneClick, pool, router }: { oneClick: Deployed; pool: Deployed; router: Deployed },
  accounts: DevelopmentAccounts,
): Promise<void> {
  for (const name of DELEGATED_FUNCTIONS) {
    await deployer.call(oneClick, 'setAllowed', [router.address, selectorOf(router.abi, name), true])
  }
  await deployer.call(pool, 'setRouter', [oneClick.address, true])
  for (const { address } of accounts.submit) await grant(deployer, pool, 'OPERATOR_ROLE', address)
}

function selectorOf(abi: Abi, name: string): Hex {
  const item = abi.find((entry) => entry.type === 'function' && entry.name === name)
  if (item?.type !== 'function') throw new Error(`the ABI has no function ${name}`)
  return toFunctionSelector(item)
}

interface TokenParts {
  readonly factory: Deployed
  readonly implementation: Deployed
  readonly compliance: Deployed
}

type TokenRoles = Readonly<Record<'admin' | 'configurator' | 'minter' | 'burner' | 'pauser', Hex>>

/** Creates a stock's token. Its address follows from what it is made of, so nothing has to be mined to know it. */
async function createToken(
  deployer: Deployer,
  { factory, implementation, compliance }: TokenParts,
  { ticker, company }: StockListing,
  roles: TokenRoles,
): Promise<Hex> {
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

const grant = (deployer: Deployer, contract: Deployed, role: string, account: Hex): Promise<void> =>
  deployer.call(contract, 'grantRole', [keccak256(toBytes(role)), account])

/** Lets the exchange and the Cashier take what the settler delivers. Sent by the settler itself, once. */
export async function approveSettlement(settler: Deployer, contracts: Readonly<Record<string, Hex>>): Promise<void> {
  const { abi } = await readArtifact('TestUSDC')
  const unlimited = 2n ** 256n - 1n
  const { Stock, Cashier, USDC: usdc, ...others } = contracts
  if (!Stock || !Cashier || !usdc) throw new Error('the deployment lacks Stock, Cashier or USDC')
  await settler.call({ address: usdc, abi }, 'approve', [Cashier, unlimited])
  const stockTokens = Object.entries(others).filter(([name]) => /^a[A-Z]+$/.test(name))
  for (const [, address] of stockTokens) await settler.call({ address, abi }, 'approve', [Stock, unlimited])
}
