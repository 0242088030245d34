import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Abi,
  type ContractFunctionName,
  encodeAbiParameters,
  erc20Abi,
  maxUint256,
  parseAbi,
  zeroAddress,
} from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addWords } from '../../sim/perp-chain/words.ts'
import { configAbi } from '../src/chain/abi/config.ts'
import { gateAbi } from '../src/chain/abi/gate.ts'
import { linkMarketAbi } from '../src/chain/abi/link-market.ts'
import { relayRouterAbi } from '../src/chain/abi/relay-router.ts'
import { type ArgumentsOf, encodeCall } from '../src/chain/calls.ts'
import { deployCommand } from '../src/chain/deploy/deploy-command.ts'
import { Deployer } from '../src/chain/deploy/deployer.ts'
import { roleHash, rolesAbi } from '../src/chain/deploy/roles.ts'
import { readDeployment } from '../src/chain/deployment.ts'
import { DEVELOPMENT_MNEMONIC } from '../src/chain/embedded/accounts.ts'
import { type Anvil, startAnvil } from '../src/chain/embedded/anvil.ts'
import { chainProfile } from '../src/chain/profiles.ts'
import { createRpc, type Rpc } from '../src/chain/rpc.ts'
import { instrumentAddress, LINK } from '../src/perp/deploy/core.ts'
import { perp } from '../src/perp/index.ts'
import { readInstruments } from '../src/perp/listing/catalogue.ts'
import { stock } from '../src/stock/index.ts'
import { examplePlan, planAccounts } from '../src/stock/testing/plan.ts'

type Hex = `0x${string}`

const PRODUCTS = [stock, perp].flatMap(({ deployment }) => deployment ?? [])

/** Both products deployed by one plan where there is real value, handed over to a timelock, and every difference found. */

const BASE = 8453
const LAUNCH_MARGIN_WAD = 10_000n * 10n ** 18n
const PERPETUAL = 4_294_967_295
const ANY = { limitTickLower: -8_388_608, limitTickUpper: 8_388_607, deadline: 0 }
const accounts = planAccounts()
const { guardian, outsider, user, admin: deployer } = accounts

let anvil: Anvil
let rpc: Rpc
let folder: string
let environment: Record<string, string>
let [usdc, weth, feed]: Hex[] = []
let contracts: Readonly<Record<string, Hex>>
const at = (name: string): Hex => contracts[name] as Hex

const connect = (privateKey: Hex) => {
  const profile = { ...chainProfile(BASE), blockTimeMs: 200 }
  return Deployer.connect({ rpcUrl: anvil.rpcUrl, profile, privateKey, pace: 'confirmed' })
}

type PerpPlan = Record<string, unknown> & { quotes: Record<string, unknown>[]; instruments: Record<string, unknown>[] }

/** The perpetual product's part of a plan. */
const perpPlan = (): PerpPlan => ({
  guardian: guardian.address,
  wrappedNative: weth as Hex,
  delegationSec: 7_776_000,
  quotes: [
    {
      address: usdc as Hex,
      type: 'STABLE',
      minMarginAmount: '10',
      tip: '0.5',
      tradingFeeRatio: 5,
      protocolFeeRatio: 2,
      withdrawalThreshold: '1000000',
    },
  ],
  instruments: [{ base: 'BTC', quote: usdc as Hex, feed: feed as Hex, heartBeatSec: 3600 }],
  stockInstruments: [{ ticker: 'AAPL', quote: usdc as Hex, heartBeatSec: 120 }],
})

async function planFile(change: (perp: PerpPlan) => void = () => {}): Promise<string> {
  const perp = perpPlan()
  change(perp)
  const file = join(folder, 'plan.json')
  await writeFile(file, JSON.stringify({ ...(await examplePlan(usdc as Hex)), perp }))
  return file
}

const deploy = (...args: string[]): Promise<string> =>
  deployCommand(args, { env: environment, products: PRODUCTS, progress: () => {} })

beforeAll(async () => {
  anvil = await startAnvil({ chainId: BASE, blockTimeSec: 0.1, mnemonic: DEVELOPMENT_MNEMONIC })
  rpc = createRpc({ url: anvil.rpcUrl })
  folder = await mkdtemp(join(tmpdir(), 'bourse-perp-deploy-'))
  environment = {
    CHAIN_RPC_URL: anvil.rpcUrl,
    CHAIN_ID: String(BASE),
    DEPLOYMENT_FILE: join(folder, 'base.json'),
    DEPLOYER_KEY: deployer.privateKey,
  }
  const issuer = await connect(outsider.privateKey)
  const token = await issuer.deploy('TestUSDC', [])
  usdc = token.address
  weth = (await issuer.deploy('WETH', [])).address
  feed = (await issuer.deploy('TestFeed', [8, 100_000n * 10n ** 8n])).address
  await issuer.call(token, 'mint', [user.address, 100_000n * 10n ** 6n])
})
afterAll(async () => {
  await anvil?.stop()
  await rm(folder, { recursive: true })
})

describe('what does not go together is refused before anything is sent', () => {
  const cases: readonly [string, (perp: PerpPlan) => void, string][] = [
    ['a field that does not exist', (p) => (p.colour = 'red'), 'is no field of a plan'],
    [
      'a tip that the least range cannot pay',
      (p) => Object.assign(p.quotes[0] ?? {}, { tip: '2.3' }),
      'not be more than 2.2',
    ],
    ['a fee above the cap', (p) => Object.assign(p.quotes[0] ?? {}, { tradingFeeRatio: 1001 }), 'tradingFeeRatio'],
    [
      'an instrument in a quote that is not listed',
      (p) => (p.quotes[0] = { ...p.quotes[0], address: weth }),
      'not among quotes',
    ],
    ['an instrument listed twice', (p) => p.instruments.push({ ...p.instruments[0] }), 'is listed twice'],
    ['a guardian that is a signer', (p) => (p.guardian = accounts.settle.address), 'cannot be both'],
  ]
  it.each(cases)('%s', async (_, change, problem) => {
    const sent = () => rpc.call('eth_getTransactionCount', [deployer.address, 'latest'])
    const before = await sent()
    await expect(deploy('venue', await planFile(change))).rejects.toThrow(problem)
    expect(await sent()).toBe(before)
  })
})

/** A call that changes what was deployed, checked against the contract's ABI. */
interface Change {
  readonly contract: string
  readonly abi: Abi
  readonly functionName: string
  readonly args: readonly unknown[]
}

const change = <const A extends Abi, Name extends ContractFunctionName<A>>(
  contract: string,
  abi: A,
  functionName: Name,
  args: ArgumentsOf<A, Name>,
): Change => ({ contract, abi, functionName, args })

describe('a deployed venue', () => {
  beforeAll(async () => {
    expect(await deploy('venue', await planFile())).toContain('The venue stands on Base')
    contracts = (await readDeployment(environment.DEPLOYMENT_FILE as string, BASE)).contracts
  })

  it('is what the plan says, and belongs to the timelock alone', async () => {
    const said = await deploy('check', await planFile())
    expect(said).toContain('14 proxies run the code that was deployed, and 13 functions may be called for users')
    expect(said).toMatch(/\d\d owners, beacons and connections are what they shall be/)
    const calls: readonly Change[] = [
      change('Config', configAbi, 'setGuardian', [outsider.address]),
      change('Gate', gateAbi, 'setThreshold', [usdc as Hex, 0n]),
      change('RelayRouter', relayRouterAbi, 'upgradeToAndCall', [at('PerpInstrument'), '0x']),
      change('PerpBeacon', beaconAbi, 'upgradeTo', [at('Observer')]),
      change('PerpOneClickRouter', rolesAbi, 'grantRole', [roleHash('GUARDIAN_ROLE'), outsider.address]),
    ]
    for (const { privateKey } of [deployer, guardian, outsider]) {
      const sender = await connect(privateKey)
      for (const { contract, abi, functionName, args } of calls) {
        await expect(sender.call({ address: at(contract), abi }, functionName, args), contract).rejects.toThrow(
          'would fail',
        )
      }
    }
  })

  it('lets anybody launch an instrument of the plan', async () => {
    const trader = await connect(user.privateKey)
    const [token, gate] = [
      { address: usdc as Hex, abi: erc20Abi },
      { address: at('Gate'), abi: gateAbi },
    ]
    await trader.call(token, 'approve', [gate.address, maxUint256])
    const address = await instrumentAddress(contracts, { type: LINK, base: 'BTC', quote: usdc as Hex })
    const data = encodeAbiParameters([{ type: 'string' }, { type: 'address' }], ['BTC', usdc as Hex])
    const range = addWords({ ...ANY, tickDeltaLower: 2000, tickDeltaUpper: 2000, amount: LAUNCH_MARGIN_WAD }, PERPETUAL)
    await trader.call(gate, 'launch', [LINK, address, data, range])
    const { list } = await readInstruments(rpc, gate.address)
    expect(list.map(({ symbol, tip }) => [symbol, tip])).toEqual([['BTC/USDC', 5n * 10n ** 17n]])
  })

  const guardianRole = () => [roleHash('GUARDIAN_ROLE'), guardian.address] as const
  const cases: readonly [string, () => Change, RegExp][] = [
    [
      'an extra role',
      () => change('PerpOneClickRouter', rolesAbi, 'grantRole', [roleHash('GUARDIAN_ROLE'), outsider.address]),
      /GUARDIAN_ROLE of PerpOneClickRouter: .*, .* instead of/,
    ],
    [
      'a missing role',
      () => change('PerpOneClickRouter', rolesAbi, 'revokeRole', guardianRole()),
      /GUARDIAN_ROLE of PerpOneClickRouter: nobody instead of/,
    ],
    [
      'another owner',
      () => change('Config', configAbi, 'transferOwnership', [outsider.address]),
      /owner\(\) of Config: 0x\w+ instead of/,
    ],
    [
      'another guardian',
      () => change('Config', configAbi, 'setGuardian', [outsider.address]),
      /guardian\(\) of Config: 0x\w+ instead of/,
    ],
    [
      'a beacon that names other code',
      () => change('PerpBeacon', beaconAbi, 'upgradeTo', [at('Observer')]),
      /implementation\(\) of PerpBeacon: 0x\w+ instead of/,
    ],
    [
      'a proxy with other code',
      () => change('Gate', gateAbi, 'upgradeToAndCall', [freshGate as Hex, '0x']),
      /code of Gate: 0x\w+ instead of/,
    ],
    [
      'a further function for delegatees',
      () => change('PerpOneClickRouter', allowAbi, 'setAllowed', [at('Gate'), '0x12345678', true]),
      /0x12345678 of 0x\w+ through 0x\w+ is allowed and shall not be/,
    ],
    [
      'other parameters of a quote',
      () => change('Gate', gateAbi, 'setThreshold', [usdc as Hex, 1n]),
      /thresholdOf\(0x\w+\) of Gate: 1 instead of 1000000000000/,
    ],
    [
      'a price from elsewhere',
      () => change('LinkMarket', linkMarketAbi, 'setFeeder', [[freshInstrument as Hex], [otherFeeder()]]),
      /feeders\(0x\w+\) of LinkMarket: .* instead of/,
    ],
  ]
  let [freshGate, freshInstrument]: Hex[] = []
  const otherFeeder = () => ({
    ftype: 1,
    scaler0: 0n,
    aggregator0: feed as Hex,
    heartBeat0: 60,
    scaler1: 0n,
    aggregator1: zeroAddress,
    heartBeat1: 0,
  })

  it.each(cases)('the check names %s', async (_, changeOf, difference) => {
    const someone = await connect(outsider.privateKey)
    freshInstrument = await instrumentAddress(contracts, { type: LINK, base: 'BTC', quote: usdc as Hex })
    freshGate = (await someone.deploy('Gate', [weth as Hex, at('Config'), at('RelayRouter')])).address
    const snapshot = await rpc.call<Hex>('evm_snapshot')
    const { contract, abi, functionName, args } = changeOf()
    await asTimelock(at(contract), encodeCall(abi, functionName, args))
    await expect(deploy('check', await planFile())).rejects.toThrow(difference)
    await rpc.call('evm_revert', [snapshot])
    await expect(deploy('check', await planFile())).resolves.toContain('roles are with exactly those')
  })
})

const beaconAbi = parseAbi(['function upgradeTo(address newImplementation)'])
const allowAbi = parseAbi(['function setAllowed(address target, bytes4 selector, bool newAllowed)'])

/** A call that the timelock makes, as after its delay. */
async function asTimelock(to: Hex, data: Hex): Promise<void> {
  const from = at('Timelock')
  await rpc.call('anvil_impersonateAccount', [from])
  await rpc.call('anvil_setBalance', [from, '0x56bc75e2d63100000'])
  const hash = await rpc.call<Hex>('eth_sendTransaction', [{ from, to, data, gas: '0x7a1200' }])
  for (;;) {
    const receipt = await rpc.call<{ status: Hex } | null>('eth_getTransactionReceipt', [hash])
    if (receipt?.status === '0x1') return
    if (receipt) throw new Error(`the timelock's call reverted: ${data.slice(0, 10)}`)
    await new Promise((resolve) => setTimeout(resolve, 30))
  }
}
