import { encodeAbiParameters, erc20Abi, keccak256, maxUint256, toBytes } from 'viem'
import type { Deployed, Deployer } from '../../chain/deploy/deployer.ts'
import type { Addresses } from '../../chain/deploy/roles.ts'
import type { Hex } from '../../chain/types.ts'
import { FEED_PREFIX, type InstrumentPlan, type PerpPlan } from '../listing/perp-plan.ts'
import { type Core, coreAddresses, deployCore, instrumentAddress, LINK, STOCK, setFeeder } from './core.ts'

const PERPETUAL_EXPIRY = 4_294_967_295n
const FEED_DECIMALS = 8
const LOWEST_TICK = 1n << 23n
const HIGHEST_TICK = (1n << 23n) - 1n
/** How long a delegation lasts before the user signs again. */
const DELEGATION_SEC = 90 * 86_400

/**
 * Deploys and wires the perpetual protocol with its instruments, each with its prices and a first range of the deployer, who has
 * allowed nothing yet and holds the quote for it. Afterwards the deployer owns Config, and with it everything.
 */
export async function deployPerp(deployer: Deployer, plan: PerpPlan): Promise<Addresses> {
  const weth = await deployer.deploy('WETH', [])
  const core = await deployCore(deployer, {
    wrappedNative: weth.address,
    quotes: [{ address: plan.quote, params: plan.params, threshold: maxUint256 }],
    guardian: null,
    delegationSec: DELEGATION_SEC,
  })
  await deployer.call({ address: plan.quote, abi: erc20Abi }, 'approve', [core.Gate.address, maxUint256])
  const feeds: [string, Hex][] = []
  for (const instrument of plan.instruments) {
    const feed = await launch(deployer, core, plan, instrument)
    const { stockOracle } = instrument
    if (stockOracle !== null) await priceAsStock(deployer, core, plan, instrument, stockOracle)
    else feeds.push([`${FEED_PREFIX}${instrument.base}`, feed.address])
  }
  return { ...coreAddresses(core), ...Object.fromEntries(feeds) }
}

const futureOf = ({ base, stockOracle }: InstrumentPlan, { quote }: PerpPlan) => {
  return { type: stockOracle === null ? LINK : STOCK, base, quote } as const
}

/** Creates an instrument and opens its perpetual pair at the plan's price. Resolves to the feed that says it. */
async function launch(
  deployer: Deployer,
  core: Core,
  plan: PerpPlan,
  instrument: InstrumentPlan,
): Promise<Deployed<'TestFeed'>> {
  const { base, price8 } = instrument
  const feed = await deployer.deploy('TestFeed', [FEED_DECIMALS, price8])
  const future = futureOf(instrument, plan)
  await setFeeder(deployer, core, future, { feed: feed.address, heartBeatSec: plan.heartBeatSec })
  const data = encodeAbiParameters([{ type: 'string' }, { type: 'address' }], [base, plan.quote])
  const address = await instrumentAddress(coreAddresses(core), future)
  await deployer.call(core.Gate, 'launch', [future.type, address, data, firstRange(plan)])
  // From here on the price is as old as it is; the keeper writes the next.
  await deployer.call(feed, 'setAt', [price8, BigInt(plan.priceTimeSec)])
  return feed
}

/** From here on an instrument's price is that of the stock oracle: none until it is published there, none while the market is closed. */
async function priceAsStock(
  deployer: Deployer,
  core: Core,
  plan: PerpPlan,
  instrument: InstrumentPlan,
  stockOracle: Hex,
): Promise<void> {
  const priceId = keccak256(toBytes(instrument.base))
  const feeder = await deployer.deploy('StockFeeder', [stockOracle, priceId])
  const source = { feed: feeder.address, heartBeatSec: plan.stockHeartBeatSec }
  await setFeeder(deployer, core, futureOf(instrument, plan), source)
}

/** The packed arguments of `add` (perp-protocol 1.2): any price, no deadline. */
function firstRange({ liquidityWad, liquidityTicks }: PerpPlan): readonly [Hex, Hex] {
  const ticks = BigInt(liquidityTicks)
  const limits = (LOWEST_TICK << 56n) | (HIGHEST_TICK << 32n)
  return [word(limits | PERPETUAL_EXPIRY), word((ticks << 152n) | (ticks << 128n) | liquidityWad)]
}

const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`
