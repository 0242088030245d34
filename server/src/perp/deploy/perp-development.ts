import { operatorPoolAbi } from '../../chain/abi/operator-pool.ts'
import { readArtifact } from '../../chain/deploy/artifacts.ts'
import type { DevelopmentDeployment } from '../../chain/deploy/product-deployment.ts'
import { addressOf } from '../../chain/deploy/roles.ts'
import { systemClock } from '../../lib/clock.ts'
import { WAD } from '../../lib/wad.ts'
import type { StartingPrice } from '../../market/open.ts'
import { deployPerp } from './deploy-perp.ts'

const USDC = 10n ** 6n
/** The bases that get an instrument where they have a price: coins, and what the stock product prices. */
const COINS = ['BTC', 'ETH']
const STOCKS = ['SPX']
const LIQUIDITY_USD = 2_000_000n
/** A feed is written anew well before this; a price that stood still for so long is no price. */
const HEART_BEAT_SEC = 300
/** The stock product publishes a price again after five minutes, if it has not moved before. */
const STOCK_HEART_BEAT_SEC = 420

/** The perpetual product of a development chain: instruments of the bases that have a price, each with liquidity. */
export const perpDevelopment = (prices: readonly StartingPrice[]): DevelopmentDeployment => ({
  async deploy(admin, { usdc, addresses }) {
    const oracle = addresses.StockOracle ?? null
    const instruments = prices
      .filter(({ symbol }) => COINS.includes(symbol) || (STOCKS.includes(symbol) && oracle !== null))
      .map(({ symbol, price8 }) => {
        const stockOracle = STOCKS.includes(symbol) ? oracle : null
        return { base: symbol, price8, stockOracle }
      })
    const { abi } = await readArtifact('TestUSDC')
    await admin.call({ address: usdc, abi }, 'mint', [admin.address, BigInt(instruments.length) * LIQUIDITY_USD * USDC])
    const deployed = await deployPerp(admin, {
      quote: usdc,
      // A trade is worth 100 USD at least: the least margin at ten times leverage. A tip pays for gas at a gwei.
      params: { minMarginAmount: 10n * WAD, tradingFeeRatio: 5, protocolFeeRatio: 2, qtype: 1, tip: 2n * WAD },
      instruments,
      priceTimeSec: Math.floor(systemClock.nowMs() / 1000) - 1,
      heartBeatSec: HEART_BEAT_SEC,
      stockHeartBeatSec: STOCK_HEART_BEAT_SEC,
      liquidityWad: LIQUIDITY_USD * WAD,
      liquidityTicks: 2000,
    })
    const pool = addresses.OperatorPool
    if (pool) {
      const contract = { address: pool, abi: operatorPoolAbi }
      await admin.call(contract, 'setRouter', [addressOf(deployed, 'PerpOneClickRouter'), true])
    }
    return deployed
  },
  // The venue delivers nothing here: traders bring and take their own margin.
  approve: async () => [],
})
