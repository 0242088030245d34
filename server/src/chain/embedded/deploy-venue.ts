import { approveSettlement } from '../deploy/approvals.ts'
import { deployStock } from '../deploy/deploy-stock.ts'
import { type Deployed, Deployer } from '../deploy/deployer.ts'
import type { StockListing, StockPlan } from '../deploy/stock-plan.ts'
import { chainProfile } from '../profiles.ts'
import { createRpc } from '../rpc.ts'
import type { Deployment } from '../types.ts'
import type { DevelopmentAccounts } from './accounts.ts'

const WAD = 10n ** 18n
const USDC = 10n ** 6n
const HOUR_SEC = 3600
const USER_FUNDS = 1_000_000n * USDC
const SETTLER_FUNDS = 100_000_000n * USDC

export interface DeployOptions {
  readonly rpcUrl: string
  readonly chainId: number
  readonly accounts: DevelopmentAccounts
  readonly listings: readonly StockListing[]
}

/** Deploys, wires and funds everything on a development chain; the operators' accounts must hold native coin. */
export async function deployVenue({ rpcUrl, chainId, accounts, listings }: DeployOptions): Promise<Deployment> {
  const connect = (privateKey: `0x${string}`) =>
    Deployer.connect({ rpcUrl, profile: chainProfile(chainId), privateKey, pace: 'pipelined' })
  const admin = await connect(accounts.admin.privateKey)
  const usdc = await admin.deploy('TestUSDC')
  const { contracts, addresses } = await deployStock(admin, developmentPlan(accounts, usdc, listings))
  const users = accounts.users.map(({ address }) => address)
  await admin.call(contracts.Compliance, 'addUsers', [users])
  for (const user of users) await admin.call(usdc, 'mint', [user, USER_FUNDS])
  await admin.call(usdc, 'mint', [accounts.settle.address, SETTLER_FUNDS])
  const startBlock = (await admin.finish()) ?? 0n
  await approveSettlement(await connect(accounts.settle.privateKey), createRpc({ url: rpcUrl }), addresses)
  return { chainId, startBlock, contracts: addresses }
}

/** Figures of the family's public deployment (stock-api 5), with a deposit minimum small enough to play with. */
function developmentPlan(accounts: DevelopmentAccounts, usdc: Deployed, stocks: readonly StockListing[]): StockPlan {
  const admin = accounts.admin.address
  return {
    roles: {
      settle: accounts.settle.address,
      oracle: accounts.oracle.address,
      submit: accounts.submit.map(({ address }) => address),
      configure: admin,
      compliance: admin,
      guardian: null,
    },
    tokenAdmin: admin,
    cashTokens: [
      {
        name: 'USDC',
        address: usdc.address,
        decimals: 6,
        minAmount: 1n * USDC,
        usdRatePpm: 1_000_000,
        withdrawBuffer: 10_000n * USDC,
        withdrawBufferCapacity: 50_000n * USDC,
      },
    ],
    stocks,
    creditBufferWad: 20_000n * WAD,
    instantThresholdDivisor: 5,
    depositFeePpm: 0,
    withdrawFeePpm: 2100,
    orderFees: { buyThirdPartyPpm: 1000, buyProtocolPpm: 100, sellThirdPartyPpm: 0, sellProtocolPpm: 100 },
    // Longer than a DAY order lives over a long weekend, its settlement included.
    exitDelaySec: 7 * 24 * HOUR_SEC,
    maxDeviationPpm: 50_000,
    maxPriceAgeSec: HOUR_SEC,
  }
}
