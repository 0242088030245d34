import { concatHex, encodeAbiParameters, getContractAddress, keccak256, zeroAddress } from 'viem'
import { linkMarketAbi } from '../../chain/abi/link-market.ts'
import { readArtifact } from '../../chain/deploy/artifacts.ts'
import type { Deployer } from '../../chain/deploy/deployer.ts'
import { type Addresses, addressOf, roleHash } from '../../chain/deploy/roles.ts'
import { selectorOf } from '../../chain/deploy/selector.ts'
import type { Hex } from '../../chain/types.ts'
import { UINT96_MAX } from '../../lib/decimal.ts'
import type { QuoteParams } from '../listing/perp-plan.ts'

/** What a delegatee may do as its user: calls that the relay router reads whole before it makes them. */
export const DELEGATED_FUNCTIONS = ['batch', 'batchMulticall'] as const

/** Market types: prices of Chainlink's feeds, and of markets that close. */
export const LINK = 'LINK'
export const STOCK = 'EMG'
type MarketType = typeof LINK | typeof STOCK

/** The quote is a dollar: a feed's answer is the price. */
const QUOTE_STABLE = 1

/** What the protocol on a chain is made with. */
export interface CorePlan {
  readonly wrappedNative: Hex
  readonly quotes: readonly { readonly address: Hex; readonly params: QuoteParams; readonly threshold: bigint }[]
  /** May freeze instruments and pause placing orders and delegated calls; null: nobody beside the owner. */
  readonly guardian: Hex | null
  /** How long a delegation lasts before the user signs again. */
  readonly delegationSec: number
}

/** The contracts of the protocol, by the names that they have in the deployment file. */
export type Core = Awaited<ReturnType<typeof deployContracts>>

export const CORE = [
  'Config',
  'Gate',
  'RelayRouter',
  'PerpOneClickRouter',
  'PerpInstrument',
  'PerpBeacon',
  'PerpStockBeacon',
  'LinkMarket',
  'StockMarket',
  'Observer',
] as const

export const coreAddresses = (core: Core): Addresses =>
  Object.fromEntries(CORE.map((name): [string, Hex] => [name, core[name].address]))

/** Deploys and wires the protocol without instruments. The deployer owns Config and the beacons, and administrates the router. */
export async function deployCore(deployer: Deployer, plan: CorePlan): Promise<Core> {
  const core = await deployContracts(deployer, plan)
  const { Config, Gate, RelayRouter, PerpOneClickRouter } = core
  await deployer.call(RelayRouter, 'connect', [Gate.address, PerpOneClickRouter.address])
  for (const name of DELEGATED_FUNCTIONS) {
    const selector = selectorOf(RelayRouter.abi, name)
    await deployer.call(PerpOneClickRouter, 'setAllowed', [RelayRouter.address, selector, true])
  }
  await deployer.call(Config, 'setMarketInfo', [LINK, core.LinkMarket.address, core.PerpBeacon.address])
  await deployer.call(Config, 'setMarketInfo', [STOCK, core.StockMarket.address, core.PerpStockBeacon.address])
  for (const { address, params, threshold } of plan.quotes) {
    await deployer.call(Config, 'setQuoteParam', [[address], [params]])
    await deployer.call(Gate, 'setThreshold', [address, threshold])
  }
  await deployer.call(Config, 'disableLiquidatorWhitelist', [])
  if (plan.guardian !== null) {
    await deployer.call(Config, 'setGuardian', [plan.guardian])
    await deployer.call(PerpOneClickRouter, 'grantRole', [roleHash('GUARDIAN_ROLE'), plan.guardian])
  }
  return core
}

async function deployContracts(deployer: Deployer, { wrappedNative, delegationSec }: CorePlan) {
  const admin = deployer.address
  // The protocol does not meter what it is called for, so a delegation here has an end but no daily amount.
  const PerpOneClickRouter = await deployer.deployProxy('OneClickRouter', [], [admin, delegationSec, UINT96_MAX])
  const Config = await deployer.deployProxy('Config', [], [admin])
  // Gate and instruments believe their handler about the user; nobody forwards to it, so sub-accounts call it themselves.
  const RelayRouter = await deployer.deployProxy('RelayRouter', [Config.address], [zeroAddress])
  const handler = RelayRouter.address
  const Gate = await deployer.deployProxy('Gate', [wrappedNative, Config.address, handler], [])
  const PerpInstrument = await deployer.deploy('Instrument', [handler])
  const PerpBeacon = await deployer.deploy('Beacon', [PerpInstrument.address, admin])
  const PerpStockBeacon = await deployer.deploy('Beacon', [PerpInstrument.address, admin])
  const LinkMarket = await deployer.deploy('LinkMarket', [Config.address, Gate.address])
  const StockMarket = await deployer.deploy('StockMarket', [Config.address, Gate.address])
  const Observer = await deployer.deploy('Observer', [Gate.address])
  return {
    Config,
    Gate,
    RelayRouter,
    PerpOneClickRouter,
    PerpInstrument,
    PerpBeacon,
    PerpStockBeacon,
    LinkMarket,
    StockMarket,
    Observer,
  }
}

/** An instrument that is not created yet: where Gate creates it follows from market type, base and quote. */
export interface FutureInstrument {
  readonly type: MarketType
  readonly base: string
  readonly quote: Hex
}

/** Says where an instrument's prices come from. */
export async function setFeeder(
  deployer: Deployer,
  core: Core,
  instrument: FutureInstrument,
  { feed, heartBeatSec }: { readonly feed: Hex; readonly heartBeatSec: number },
): Promise<void> {
  const feeder = {
    ftype: QUOTE_STABLE,
    scaler0: 0n,
    aggregator0: feed,
    heartBeat0: heartBeatSec,
    scaler1: 0n,
    aggregator1: zeroAddress,
    heartBeat1: 0,
  }
  const { address: market } = instrument.type === LINK ? core.LinkMarket : core.StockMarket
  const address = await instrumentAddress(coreAddresses(core), instrument)
  // Both markets have the functions of one.
  await deployer.call({ address: market, abi: linkMarketAbi }, 'setFeeder', [[address], [feeder]])
}

export async function instrumentAddress(addresses: Addresses, { type, base, quote }: FutureInstrument): Promise<Hex> {
  const proxy = await readArtifact('InstrumentProxy')
  const index = encodeAbiParameters([{ type: 'string' }, { type: 'string' }, { type: 'address' }], [type, base, quote])
  const beacon = addressOf(addresses, type === LINK ? 'PerpBeacon' : 'PerpStockBeacon')
  const bytecode = concatHex([proxy.bytecode, encodeAbiParameters([{ type: 'address' }], [beacon])])
  return getContractAddress({ opcode: 'CREATE2', from: addressOf(addresses, 'Gate'), salt: keccak256(index), bytecode })
}
