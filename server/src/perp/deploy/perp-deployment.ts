import { keccak256, parseAbi, toBytes, zeroAddress } from 'viem'
import { configAbi } from '../../chain/abi/config.ts'
import { gateAbi } from '../../chain/abi/gate.ts'
import { instrumentAbi } from '../../chain/abi/instrument.ts'
import { linkMarketAbi } from '../../chain/abi/link-market.ts'
import { operatorPoolAbi } from '../../chain/abi/operator-pool.ts'
import { relayRouterAbi } from '../../chain/abi/relay-router.ts'
import type { Deployer } from '../../chain/deploy/deployer.ts'
import {
  type AnswerEntry,
  answerEntry,
  type PlannedDeployment,
  type ProductDeployment,
} from '../../chain/deploy/product-deployment.ts'
import { ADMIN_ROLE, type Addresses, addressOf } from '../../chain/deploy/roles.ts'
import { selectorOf } from '../../chain/deploy/selector.ts'
import type { Hex } from '../../chain/types.ts'
import {
  CORE,
  coreAddresses,
  DELEGATED_FUNCTIONS,
  deployCore,
  instrumentAddress,
  LINK,
  STOCK,
  setFeeder,
} from './core.ts'
import { type PerpDeploymentPlan, type PricedInstrument, perpPlanFields, readPerpPlan } from './perp-plan-file.ts'

/** Gate lets a withdrawal above its threshold wait for so long when it is made. */
const PENDING_SEC = 86_400
const FEEDER_PREFIX = 'PerpStockFeeder'
const STOCK_FEEDER_DECIMALS = 8
const PROXIES = ['Config', 'Gate', 'RelayRouter', 'PerpOneClickRouter'] as const
const OWNED = ['Config', 'PerpBeacon', 'PerpStockBeacon'] as const

/**
 * How the perpetual product comes onto a chain by a plan file: the protocol with the prices of its instruments, which anybody then
 * launches (`Gate.launch`) with the liquidity that a pair begins with.
 */
export const perpDeployment: ProductDeployment = {
  planFields: perpPlanFields,
  plan: async (fields, rpc) => {
    const plan = await readPerpPlan(fields as Parameters<typeof readPerpPlan>[0], rpc)
    return plan ? planned(plan) : NONE
  },
  // The venue delivers nothing here: traders bring and take their own margin.
  approve: async () => [],
}

/** A venue without perpetuals. */
const NONE: PlannedDeployment = {
  names: [],
  signers: [],
  guardians: [],
  longestExitSec: 0,
  proxies: [],
  administrated: [],
  owned: [],
  deployerRoles: [],
  allowedCalls: () => [],
  deploy: async () => ({}),
  finalRoles: () => [],
  finalAnswers: async () => [],
}

function planned(plan: PerpDeploymentPlan): PlannedDeployment {
  const stocks = plan.instruments.filter(({ feed }) => feed === null)
  return {
    names: [...CORE, ...new Set(stocks.map(feederName))],
    signers: [],
    guardians: [plan.guardian],
    longestExitSec: PENDING_SEC,
    proxies: PROXIES,
    administrated: ['PerpOneClickRouter'],
    owned: OWNED,
    deployerRoles: [],
    allowedCalls: (addresses) => {
      const [router, target] = [addressOf(addresses, 'PerpOneClickRouter'), addressOf(addresses, 'RelayRouter')]
      return DELEGATED_FUNCTIONS.map((name) => ({ router, target, selector: selectorOf(relayRouterAbi, name) }))
    },
    deploy: (deployer, _admin, addresses) => deployPlanned(deployer, plan, addresses),
    finalRoles: (admin) => [
      { contractName: 'PerpOneClickRouter', role: ADMIN_ROLE, members: [admin] },
      { contractName: 'PerpOneClickRouter', role: 'GUARDIAN_ROLE', members: [plan.guardian] },
    ],
    finalAnswers: (admin, addresses) => finalAnswers(admin, addresses, plan),
  }
}

const feederName = ({ base }: PricedInstrument): string => `${FEEDER_PREFIX}${base}`

async function deployPlanned(deployer: Deployer, plan: PerpDeploymentPlan, addresses: Addresses): Promise<Addresses> {
  const core = await deployCore(deployer, plan)
  const feeders = new Map<string, Hex>()
  for (const instrument of plan.instruments) {
    const { feed, heartBeatSec } = instrument
    const name = feederName(instrument)
    if (feed === null && !feeders.has(name)) {
      const priceId = keccak256(toBytes(instrument.base))
      const feeder = await deployer.deploy('StockFeeder', [addressOf(addresses, 'StockOracle'), priceId])
      feeders.set(name, feeder.address)
    }
    const address = feed?.address ?? (feeders.get(name) as Hex)
    await setFeeder(deployer, core, instrument, { feed: address, heartBeatSec })
  }
  const pool = { address: addressOf(addresses, 'OperatorPool'), abi: operatorPoolAbi }
  await deployer.call(pool, 'setRouter', [core.PerpOneClickRouter.address, true])
  return { ...coreAddresses(core), ...Object.fromEntries(feeders) }
}

/** Owners, the code of instruments, what contracts believe of each other, parameters and prices. */
async function finalAnswers(admin: Hex, addresses: Addresses, plan: PerpDeploymentPlan): Promise<AnswerEntry[]> {
  const at = (name: string) => addressOf(addresses, name)
  const [gate, config, relay, router] = [at('Gate'), at('Config'), at('RelayRouter'), at('PerpOneClickRouter')]
  const marketInfo = (mtype: string, market: string, beacon: string) => ({
    mtype,
    market: at(market),
    beacon: at(beacon),
  })
  return [
    answerEntry('Config', configAbi, 'owner', [], admin),
    answerEntry('Config', configAbi, 'guardian', [], plan.guardian),
    answerEntry('Config', configAbi, 'openLiquidator', [], true),
    answerEntry('Config', configAbi, 'marketsLength', [], 2n),
    answerEntry('Config', configAbi, 'getMarketInfo', [LINK], marketInfo(LINK, 'LinkMarket', 'PerpBeacon')),
    answerEntry('Config', configAbi, 'getMarketInfo', [STOCK], marketInfo(STOCK, 'StockMarket', 'PerpStockBeacon')),
    ...['PerpBeacon', 'PerpStockBeacon'].flatMap((beacon) => [
      answerEntry(beacon, beaconAbi, 'owner', [], admin),
      answerEntry(beacon, beaconAbi, 'implementation', [], at('PerpInstrument')),
    ]),
    answerEntry('PerpInstrument', instrumentAbi, 'handler', [], relay),
    answerEntry('Gate', gateAbi, 'handler', [], relay),
    answerEntry('Gate', gateAbi, 'config', [], config),
    answerEntry('Gate', gateAbi, 'weth', [], plan.wrappedNative),
    answerEntry('RelayRouter', relayRouterAbi, 'config', [], config),
    answerEntry('RelayRouter', relayRouterAbi, 'gate', [], gate),
    answerEntry('RelayRouter', relayRouterAbi, 'oneClickRouter', [], router),
    answerEntry('RelayRouter', relayRouterAbi, 'trustedForwarder', [], zeroAddress),
    ...['LinkMarket', 'StockMarket'].flatMap((market) => [
      answerEntry(market, linkMarketAbi, 'config', [], config),
      answerEntry(market, linkMarketAbi, 'gate', [], gate),
    ]),
    answerEntry('OperatorPool', operatorPoolAbi, 'isRouter', [router], true),
    ...plan.quotes.flatMap(({ address, params, threshold }) => [
      answerEntry('Config', configAbi, 'getQuoteParam', [address], params),
      answerEntry('Config', configAbi, 'restrictLp', [address], false),
      answerEntry('Gate', gateAbi, 'thresholdOf', [address], threshold),
    ]),
    ...(await feederAnswers(addresses, plan)),
  ]
}

/** Both beacons, by which instruments find their code. */
const beaconAbi = parseAbi([
  'function owner() view returns (address)',
  'function implementation() view returns (address)',
])

async function feederAnswers(addresses: Addresses, { instruments }: PerpDeploymentPlan) {
  return Promise.all(
    instruments.map(async (instrument) => {
      const { type, feed, heartBeatSec } = instrument
      const aggregator = feed?.address ?? addressOf(addresses, feederName(instrument))
      const scaler = 10n ** BigInt(18 - (feed?.decimals ?? STOCK_FEEDER_DECIMALS))
      const market = type === LINK ? 'LinkMarket' : 'StockMarket'
      const answer = [1, scaler, aggregator, heartBeatSec, 0n, zeroAddress, 0] as const
      return answerEntry(market, linkMarketAbi, 'feeders', [await instrumentAddress(addresses, instrument)], answer)
    }),
  )
}
