/** Deploys the perpetual protocol on a fresh chain with the quotes, instruments and wallets of a scenario's set-up. */
import {
  type Abi,
  concatHex,
  encodeAbiParameters,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  keccak256,
  maxUint256,
  zeroAddress,
} from 'viem'
import { getContractAddress } from 'viem/utils'
import type { InstrumentSetup, QuoteSetup, Setup } from '../perp-model/replay.ts'
import { link, readArtifact } from './artifacts.ts'
import type { Chain } from './chain.ts'
import { addWords } from './words.ts'

export type Contract = { readonly address: Hex; readonly abi: Abi }

export type DeployedInstrument = Contract & {
  /** Sets the oracle price. */
  readonly feed: Contract
  /** Symbol of the quote token. */
  readonly quote: string
}

export type Deployment = {
  readonly admin: Hex
  readonly gate: Contract
  readonly config: Contract
  readonly market: Contract
  readonly observer: Contract
  /** Answers many reads in one call. */
  readonly manyReads: Contract
  readonly tokens: ReadonlyMap<string, Contract>
  readonly instruments: readonly DeployedInstrument[]
  /** The pair each instrument was launched with. The scenarios play on other pairs beside it. */
  readonly launchedExpiry: number
}

const MARKET_TYPE = 'LINK'
const FEED_DECIMALS = 8
const FEED_UNIT_WAD = 10n ** 10n
const QUOTE_STABLE = 1
/** The greatest heart beat: feeds of the scenarios are always fresh. */
const HEART_BEAT_SEC = 2 ** 24 - 1
const WEEK_SEC = 7 * 86_400
/** Expiries are Fridays at 08:00 UTC. */
const FIRST_FRIDAY_SEC = 32 * 3600
/** Covers the least range of every instrument; enough raw units whatever the decimals. */
const LAUNCH_MARGIN_WAD = 10n ** 24n
const LAUNCH_TICK_DELTA = 2000
const ANY_LIMITS = { limitTickLower: -8_388_608, limitTickUpper: 8_388_607, deadline: 0 }

/**
 * `setup` names unlocked accounts of the chain: traders other than its first, which administers the protocol, and its last,
 * which launches; an account of its own is the handler.
 */
export async function deployPerp(chain: Chain, setup: Setup): Promise<Deployment> {
  const deployer = new Deployer(chain, setup.startSec)
  const core = await deployCore(deployer, setup)
  const tokens = new Map<string, Contract>()
  for (const quote of setup.quotes) tokens.set(quote.symbol, await deployQuote(deployer, core, quote, setup))
  const launchedExpiry = fridayAfter(setup.startSec + 2 * WEEK_SEC)
  const instruments: DeployedInstrument[] = []
  for (const instrument of setup.instruments) {
    instruments.push(await launch(deployer, core, tokens, instrument, launchedExpiry))
  }
  const { gate, config, market, observer } = core
  const manyReads = await deployer.deploy('ManyReads')
  return { admin: deployer.admin, gate, config, market, observer, manyReads, tokens, instruments, launchedExpiry }
}

function fridayAfter(timeSec: number): number {
  return FIRST_FRIDAY_SEC + Math.ceil((timeSec - FIRST_FRIDAY_SEC) / WEEK_SEC) * WEEK_SEC
}

/** Sends one transaction a block, each a second after the one before and all before the scenario starts. */
class Deployer {
  readonly admin: Hex
  readonly launcher: Hex
  readonly #chain: Chain
  readonly #timeSec: number

  constructor(chain: Chain, timeSec: number) {
    this.#chain = chain
    this.#timeSec = timeSec
    this.admin = chain.accounts[0] as Hex
    this.launcher = chain.accounts.at(-1) as Hex
  }

  async deploy(name: string, args: readonly unknown[] = []): Promise<Contract> {
    const artifact = await readArtifact(name)
    const libraries = new Map<string, Hex>()
    for (const library of Object.keys(artifact.libraries)) libraries.set(library, (await this.deploy(library)).address)
    const bytecode = link(artifact, libraries)
    const data = encodeDeployData({ abi: artifact.abi, bytecode, args })
    const { contractAddress } = await this.#chain.execute(this.#timeSec, { from: this.admin, to: null, data })
    return { address: contractAddress as Hex, abi: artifact.abi }
  }

  async deployProxy(name: string, args: readonly unknown[], initializeArgs: readonly unknown[]): Promise<Contract> {
    const { address, abi } = await this.deploy(name, args)
    const initialize = encodeFunctionData({ abi, functionName: 'initialize', args: initializeArgs })
    const proxy = await this.deploy('ERC1967Proxy', [address, initialize])
    return { address: proxy.address, abi }
  }

  async call(contract: Contract, functionName: string, args: readonly unknown[], from = this.admin): Promise<void> {
    const data = encodeFunctionData({ abi: contract.abi, functionName, args })
    await this.#chain.execute(this.#timeSec, { from, to: contract.address, data })
  }
}

type Core = Pick<Deployment, 'gate' | 'config' | 'market' | 'observer'> & { readonly beacon: Contract }

async function deployCore(deployer: Deployer, setup: Setup): Promise<Core> {
  const { admin } = deployer
  const weth = await deployer.deploy('WETH')
  const config = await deployer.deployProxy('Config', [], [admin])
  const { handler } = setup
  const gate = await deployer.deployProxy('Gate', [weth.address, config.address, handler], [])
  const implementation = await deployer.deploy('Instrument', [handler])
  const beacon = await deployer.deploy('Beacon', [implementation.address, admin])
  const observer = await deployer.deploy('Observer', [gate.address])
  const market = await deployer.deploy('LinkMarket', [config.address, gate.address])
  await deployer.call(config, 'setMarketInfo', [MARKET_TYPE, market.address, beacon.address])
  await deployer.call(config, 'disableLiquidatorWhitelist', [])
  return { gate, config, market, observer, beacon }
}

async function deployQuote(deployer: Deployer, { gate }: Core, quote: QuoteSetup, setup: Setup): Promise<Contract> {
  const token = await deployer.deploy('TestToken', [quote.symbol, quote.decimals])
  await deployer.call(gate, 'setThreshold', [token.address, BigInt(quote.threshold)])
  for (const [account, balances] of Object.entries(setup.wallets)) {
    await deployer.call(token, 'mint', [account, BigInt(balances[quote.symbol] ?? 0)])
    await deployer.call(token, 'approve', [gate.address, maxUint256], account as Hex)
  }
  await deployer.call(token, 'mint', [deployer.launcher, LAUNCH_MARGIN_WAD])
  await deployer.call(token, 'approve', [gate.address, maxUint256], deployer.launcher)
  return token
}

/**
 * Launches an instrument with a dated pair of nobody who plays, so that its margin ratios are set before the perpetual pair
 * of the scenario is opened: a launch opens its pair in the same call that creates the instrument.
 */
async function launch(
  deployer: Deployer,
  core: Core,
  tokens: ReadonlyMap<string, Contract>,
  { quote, spotWad, setting }: InstrumentSetup,
  expiry: number,
): Promise<DeployedInstrument> {
  const token = tokens.get(quote)
  if (!token) throw new RangeError(`no quote ${quote}`)
  const [base = ''] = setting.symbol.split('-')
  const feed = await deployer.deploy('TestFeed', [FEED_DECIMALS, BigInt(spotWad) / FEED_UNIT_WAD])
  const address = await instrumentAddress(core, base, token.address)
  await deployer.call(core.config, 'setQuoteParam', [[token.address], [setting.param]])
  await deployer.call(core.market, 'setFeeder', [[address], [feederOf(feed.address)]])

  const data = encodeAbiParameters([{ type: 'string' }, { type: 'address' }], [base, token.address])
  const ticks = { tickDeltaLower: LAUNCH_TICK_DELTA, tickDeltaUpper: LAUNCH_TICK_DELTA }
  const words = addWords({ ...ANY_LIMITS, ...ticks, amount: LAUNCH_MARGIN_WAD }, expiry)
  await deployer.call(core.gate, 'launch', [MARKET_TYPE, address, data, words], deployer.launcher)

  const { abi } = await readArtifact('Instrument')
  const instrument = { address, abi, feed, quote }
  await deployer.call(instrument, 'setLeverage', [setting.initialMarginRatio, setting.maintenanceMarginRatio])
  await deployer.call(instrument, 'setFundingHour', [setting.fundingHour])
  await deployer.call(instrument, 'setDisableOrderRebate', [setting.disableOrderRebate])
  return instrument
}

function feederOf(aggregator: Hex) {
  return {
    ftype: QUOTE_STABLE,
    scaler0: 0n,
    aggregator0: aggregator,
    heartBeat0: HEART_BEAT_SEC,
    scaler1: 0n,
    aggregator1: zeroAddress,
    heartBeat1: 0,
  }
}

async function instrumentAddress({ gate, beacon }: Core, base: string, quote: Hex): Promise<Hex> {
  const proxy = await readArtifact('InstrumentProxy')
  const index = encodeAbiParameters(
    [{ type: 'string' }, { type: 'string' }, { type: 'address' }],
    [MARKET_TYPE, base, quote],
  )
  const bytecode = concatHex([proxy.bytecode as Hex, encodeAbiParameters([{ type: 'address' }], [beacon.address])])
  const address = getContractAddress({ opcode: 'CREATE2', from: gate.address, salt: keccak256(index), bytecode })
  return address.toLowerCase() as Hex
}
