// Generated from contracts/src by scripts/generate-contracts.mjs. Do not edit.
import type { cashierAbi } from './cashier.ts'
import type { complianceAbi } from './compliance.ts'
import type { configAbi } from './config.ts'
import type { gateAbi } from './gate.ts'
import type { instrumentAbi } from './instrument.ts'
import type { linkMarketAbi } from './link-market.ts'
import type { observerAbi } from './observer.ts'
import type { oneClickRouterAbi } from './one-click-router.ts'
import type { operatorPoolAbi } from './operator-pool.ts'
import type { relayRouterAbi } from './relay-router.ts'
import type { stockFeederAbi } from './stock-feeder.ts'
import type { stockOracleAbi } from './stock-oracle.ts'
import type { stockRouterAbi } from './stock-router.ts'
import type { stockTokenFactoryAbi } from './stock-token-factory.ts'
import type { stockTokenAbi } from './stock-token.ts'
import type { stockAbi } from './stock.ts'
import type { testFeedAbi } from './test-feed.ts'

/** The ABIs of contracts by their names; types alone, so that whoever needs one loads no other. */
export interface ContractAbis {
  readonly Cashier: typeof cashierAbi
  readonly Compliance: typeof complianceAbi
  readonly Config: typeof configAbi
  readonly Gate: typeof gateAbi
  readonly Instrument: typeof instrumentAbi
  readonly LinkMarket: typeof linkMarketAbi
  readonly Observer: typeof observerAbi
  readonly OneClickRouter: typeof oneClickRouterAbi
  readonly OperatorPool: typeof operatorPoolAbi
  readonly RelayRouter: typeof relayRouterAbi
  readonly StockFeeder: typeof stockFeederAbi
  readonly StockOracle: typeof stockOracleAbi
  readonly StockRouter: typeof stockRouterAbi
  readonly StockTokenFactory: typeof stockTokenFactoryAbi
  readonly StockToken: typeof stockTokenAbi
  readonly Stock: typeof stockAbi
  readonly TestFeed: typeof testFeedAbi
}
