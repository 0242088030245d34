import { concatHex, encodeAbiParameters, getContractAddress, keccak256, maxUint256, zeroAddress } from 'viem'
import { readArtifact } from '../../chain/deploy/artifacts.ts'
import type { Deployed, Deployer } from '../../chain/deploy/deployer.ts'
import type { Addresses } from '../../chain/deploy/roles.ts'
import { selectorOf } from '../../chain/deploy/selector.ts'
import type { Hex } from '../../chain/types.ts'
import { UINT96_MAX } from '../../lib/decimal.ts'
import { FEED_PREFIX, type InstrumentPlan, type PerpPlan } from '../listing/perp-plan.ts'

const PERPETUAL_EXPIRY = 4_294_967_295n
const MARKET_TYPE = 'LINK'
const FEED_DECIMALS = 8
/** The quote is a dollar: a feed's answer is the price. */
const QUOTE_STABLE = 1
const LOWEST_TICK = 1n << 23n
const HIGHEST_TICK = (1n << 23n) - 1n

/** What a delegatee may do as its user: calls that the relay router reads whole before it makes them. */
export const DELEGATED_FUNCTIONS = ['batch', 'batchMulticall']

/** The core, by the names that it has in the deployment file. */
interface Core {
  readonly config: Deployed
  readonly gate: Deployed
  readonly beacon: Deployed
  readonly market: Deployed
  readonly observer: Deployed
  readonly relayRouter: Deployed
  readonly oneClickRouter: Deployed
}

/**
 * Deploys and wires the perpetual protocol with its instruments, each with a feed and a first range of the deployer, who has
 * allowed nothing yet and holds the quote for it. Afterwards the deployer owns Config, and with it everything.
 */
export async function deployPerp(deployer: Deployer, plan: PerpPlan): Promise<Addresses> {
  const core = await deployCore(deployer, plan)
  const { config, gate, beacon, market, observer, relayRouter, oneClickRouter } = core
  const { abi } = await readArtifact('TestUSDC')
  await deployer.call({ address: plan.quote, abi }, 'approve', [gate.address, maxUint256])
  const feeds: [string, Hex][] = []
  for (const instrument of plan.instruments) {
    feeds.push([`${FEED_PREFIX}${instrument.base}`, await launch(deployer, core, plan, instrument)])
  }
  return {
    Config: config.address,
    Gate: gate.address,
    PerpBeacon: beacon.address,
    LinkMarket: market.address,
    Observer: observer.address,
    RelayRouter: relayRouter.address,
    PerpOneClickRouter: oneClickRouter.address,
    ...Object.fromEntries(feeds),
  }
}

async function deployCore(deployer: Deployer, { quote, params }: PerpPlan): Promise<Core> {
  const admin = deployer.address
  const weth = await deployer.deploy('WETH')
  // The protocol does not meter what it is called for, so a delegation here has an end but no daily amount.
  const oneClickRouter = await deployer.deployProxy('OneClickRouter', [], [admin, DELEGATION_SEC, UINT96_MAX])
  const config = await deployer.deployProxy('Config', [], [admin])
  // Gate and instruments believe their handler about the user; nobody forwards to it, so sub-accounts call it themselves.
  const relayRouter = await deployer.deployProxy('RelayRouter', [config.address], [zeroAddress])
  const handler = relayRouter.address
  const gate = await deployer.deployProxy('Gate', [weth.address, config.address, handler], [])
  const implementation = await deployer.deploy('Instrument', [handler])
  const beacon = await deployer.deploy('Beacon', [implementation.address, admin])
  const market = await deployer.deploy('LinkMarket', [config.address, gate.address])
  const observer = await deployer.deploy('Observer', [gate.address])
  await deployer.call(relayRouter, 'connect', [gate.address, oneClickRouter.address])
  for (const name of DELEGATED_FUNCTIONS) {
    await deployer.call(oneClickRouter, 'setAllowed', [relayRouter.address, selectorOf(relayRouter.abi, name), true])
  }
  await deployer.call(config, 'setMarketInfo', [MARKET_TYPE, market.address, beacon.address])
  await deployer.call(config, 'setQuoteParam', [[quote], [params]])
  await deployer.call(config, 'disableLiquidatorWhitelist', [])
  await deployer.call(gate, 'setThreshold', [quote, maxUint256])
  return { config, gate, beacon, market, observer, relayRouter, oneClickRouter }
}

/** Creates an instrument and opens its perpetual pair. Resolves to the address of its feed. */
async function launch(deployer: Deployer, core: Core, plan: PerpPlan, instrument: InstrumentPlan): Promise<Hex> {
  const { base, price8 } = instrument
  const feed = await deployer.deploy('TestFeed', [FEED_DECIMALS, price8])
  const address = await instrumentAddress(core, base, plan.quote)
  const feeder = {
    ...{ ftype: QUOTE_STABLE, scaler0: 0n, aggregator0: feed.address, heartBeat0: plan.heartBeatSec },
    ...{ scaler1: 0n, aggregator1: zeroAddress, heartBeat1: 0 },
  }
  await deployer.call(core.market, 'setFeeder', [[address], [feeder]])
  const data = encodeAbiParameters([{ type: 'string' }, { type: 'address' }], [base, plan.quote])
  await deployer.call(core.gate, 'launch', [MARKET_TYPE, address, data, firstRange(plan)])
  // From here on the price is as old as it is; the keeper writes the next.
  await deployer.call(feed, 'setAt', [price8, BigInt(plan.priceTimeSec)])
  return feed.address
}

/** The packed arguments of `add` (perp-protocol 1.2): any price, no deadline. */
function firstRange({ liquidityWad, liquidityTicks }: PerpPlan): readonly [Hex, Hex] {
  const ticks = BigInt(liquidityTicks)
  const limits = (LOWEST_TICK << 56n) | (HIGHEST_TICK << 32n)
  return [word(limits | PERPETUAL_EXPIRY), word((ticks << 152n) | (ticks << 128n) | liquidityWad)]
}

/** How long a delegation lasts before the user signs again. */
const DELEGATION_SEC = 90 * 86_400

const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`

/** Where Gate creates the instrument: it follows from market type, base and quote. */
async function instrumentAddress({ gate, beacon }: Core, base: string, quote: Hex): Promise<Hex> {
  const proxy = await readArtifact('InstrumentProxy')
  const index = encodeAbiParameters(
    [{ type: 'string' }, { type: 'string' }, { type: 'address' }],
    [MARKET_TYPE, base, quote],
  )
  const bytecode = concatHex([proxy.bytecode, encodeAbiParameters([{ type: 'address' }], [beacon.address])])
  return getContractAddress({ opcode: 'CREATE2', from: gate.address, salt: keccak256(index), bytecode })
}
