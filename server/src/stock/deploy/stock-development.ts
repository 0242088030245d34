import type { DevelopmentDeployment, DevelopmentSite } from '../../chain/deploy/product-deployment.ts'
import { WAD } from '../../lib/wad.ts'
import { approveSettlement } from './approvals.ts'
import { deployStock } from './deploy-stock.ts'
import type { StockListing, StockPlan } from './stock-plan.ts'

const USDC = 10n ** 6n
const HOUR_SEC = 3600

/** A stock of a development chain: ticker and company. */
export type DevelopmentStock = Pick<StockListing, 'ticker' | 'company'>

/** The stock product of a development chain: these stocks, and every user's wallet approved. */
export const stockDevelopment = (stocks: readonly DevelopmentStock[]): DevelopmentDeployment => ({
  async deploy(admin, site) {
    const { contracts, addresses } = await deployStock(admin, developmentPlan(site, stocks))
    await admin.call(contracts.Compliance, 'addUsers', [site.accounts.users.map(({ address }) => address)])
    return addresses
  },
  approve: approveSettlement,
})

/** Figures of the family's public deployment (stock-api 5), with a deposit minimum small enough to play with. */
function developmentPlan({ accounts, usdc }: DevelopmentSite, stocks: readonly DevelopmentStock[]): StockPlan {
  const admin = accounts.admin.address
  return {
    roles: {
      settle: accounts.settle.address,
      oracle: accounts.oracle.address,
      submit: accounts.submit.map(({ address }) => address),
      configure: accounts.configure.address,
      compliance: admin,
      rates: null,
      guardian: null,
    },
    tokenAdmin: admin,
    cashTokens: [
      {
        name: 'USDC',
        address: usdc,
        decimals: 6,
        minAmount: 1n * USDC,
        usdRatePpm: 1_000_000,
        withdrawBuffer: 10_000n * USDC,
        withdrawBufferCapacity: 50_000n * USDC,
      },
    ],
    stocks: stocks.map((listing) => ({ ...listing, mintCapacityWad: 10_000_000n * WAD })),
    creditBufferWad: 20_000n * WAD,
    instantThresholdDivisor: 5,
    depositFeePpm: 0,
    withdrawFeePpm: 2100,
    orderFees: { buyThirdPartyPpm: 1000, buyProtocolPpm: 100, sellThirdPartyPpm: 0, sellProtocolPpm: 100 },
    // Longer than a DAY order lives over a long weekend, its settlement included.
    exitDelaySec: 7 * 24 * HOUR_SEC,
    withdrawExitDelaySec: 24 * HOUR_SEC,
    lateSettlementSec: 12 * HOUR_SEC,
    maxDeviationPpm: 50_000,
    maxLimitDeviationPpm: 200_000,
    maxPriceAgeSec: HOUR_SEC,
    mintPeriodSec: 24 * HOUR_SEC,
    delegation: { durationSec: 90 * 24 * HOUR_SEC, dailyAmountWad: 5_000_000n * WAD },
  }
}
