import { stockRouterAbi } from '../../chain/abi/stock-router.ts'
import type { PlannedDeployment, ProductDeployment } from '../../chain/deploy/product-deployment.ts'
import { addressOf } from '../../chain/deploy/roles.ts'
import { selectorOf } from '../../chain/deploy/selector.ts'
import { approveSettlement } from './approvals.ts'
import { DELEGATED_FUNCTIONS, deployStock } from './deploy-stock.ts'
import type { StockPlan } from './stock-plan.ts'
import { readStockPlan, type StockPlanFile, stockPlanFields } from './stock-plan-file.ts'
import { ADMINISTRATED, DEPLOYER_ROLES, finalRoles } from './stock-roles.ts'

/** How the stock product comes onto a chain by a plan file. */
export const stockDeployment: ProductDeployment = {
  planFields: stockPlanFields,
  plan: async (fields, rpc) => planned(await readStockPlan(fields as StockPlanFile, rpc)),
  approve: approveSettlement,
}

function planned(plan: Omit<StockPlan, 'tokenAdmin'>): PlannedDeployment {
  const { settle, oracle, submit, configure, guardian } = plan.roles
  const tokens = [...plan.cashTokens.map(({ name }) => name), ...plan.stocks.map(({ ticker }) => `a${ticker}`)]
  return {
    names: [...ADMINISTRATED, ...tokens],
    signers: [settle, oracle, configure, ...submit],
    // Money comes out of an order first, and then, where withdrawals are paused, out of the queue.
    longestExitSec: plan.exitDelaySec + plan.withdrawExitDelaySec,
    guardians: guardian === null ? [] : [guardian],
    proxies: [...ADMINISTRATED, ...plan.stocks.map(({ ticker }) => `a${ticker}`)],
    allowedCalls: (addresses) => {
      const [router, target] = [addressOf(addresses, 'OneClickRouter'), addressOf(addresses, 'StockRouter')]
      return DELEGATED_FUNCTIONS.map((name) => ({ router, target, selector: selectorOf(stockRouterAbi, name) }))
    },
    administrated: ADMINISTRATED,
    owned: [],
    deployerRoles: DEPLOYER_ROLES,
    async deploy(deployer, admin) {
      const { addresses } = await deployStock(deployer, { ...plan, tokenAdmin: admin })
      return addresses
    },
    finalAnswers: async () => [],
    finalRoles: (admin, addresses) => finalRoles(addressOf(addresses, 'Stock'), { ...plan, tokenAdmin: admin }),
  }
}
