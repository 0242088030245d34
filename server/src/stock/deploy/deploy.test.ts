import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Abi, type ContractFunctionName, encodeFunctionData, numberToHex, zeroHash } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stockAbi } from '../../chain/abi/stock.ts'
import type { ArgumentsOf } from '../../chain/calls.ts'
import { readArtifact } from '../../chain/deploy/artifacts.ts'
import { deployCommand } from '../../chain/deploy/deploy-command.ts'
import { Deployer } from '../../chain/deploy/deployer.ts'
import { ADMIN_ROLE, roleHash, rolesAbi } from '../../chain/deploy/roles.ts'
import { readDeployment } from '../../chain/deployment.ts'
import { DEVELOPMENT_MNEMONIC } from '../../chain/embedded/accounts.ts'
import { type Anvil, startAnvil } from '../../chain/embedded/anvil.ts'
import { chainProfile } from '../../chain/profiles.ts'
import { contractRead, readContract } from '../../chain/read.ts'
import { createRpc, type Rpc } from '../../chain/rpc.ts'
import type { Hex } from '../../chain/types.ts'
import { EXAMPLE_PLAN, examplePlan, type Plan, planAccounts } from '../testing/plan.ts'
import { stockDeployment } from './stock-deployment.ts'

/** Base has real value: its profile asks for a timelock of 48 hours. */
const BASE = 8453
const DELAY_SEC = 518_400

const accounts = planAccounts()
const { proposer, guardian, outsider, admin: deployer } = accounts
type Account = typeof proposer

let anvil: Anvil
let rpc: Rpc
let folder: string
let usdc: Hex
let environment: Record<string, string>
beforeAll(async () => {
  anvil = await startAnvil({ chainId: BASE, blockTimeSec: 0.1, mnemonic: DEVELOPMENT_MNEMONIC })
  rpc = createRpc({ url: anvil.rpcUrl })
  folder = await mkdtemp(join(tmpdir(), 'bourse-deploy-'))
  environment = {
    CHAIN_RPC_URL: anvil.rpcUrl,
    CHAIN_ID: String(BASE),
    DEPLOYMENT_FILE: join(folder, 'deployments', 'base.json'),
    DEPLOYER_KEY: deployer.privateKey,
    SIGNER_SETTLE_KEY: accounts.settle.privateKey,
  }
  const profile = { ...chainProfile(BASE), blockTimeMs: 200 }
  const issuer = await Deployer.connect({
    rpcUrl: anvil.rpcUrl,
    profile,
    privateKey: outsider.privateKey,
    pace: 'confirmed',
  })
  usdc = (await issuer.deploy('TestUSDC', [])).address
})
afterAll(async () => {
  await anvil.stop()
  await rm(folder, { recursive: true })
})

async function plan(change: (plan: Plan) => void = () => {}): Promise<string> {
  const own = await examplePlan(usdc)
  change(own)
  const file = join(folder, 'plan.json')
  await writeFile(file, JSON.stringify(own))
  return file
}

const deploy = (args: readonly string[], env: Record<string, string | undefined> = {}): Promise<string> =>
  deployCommand(args, { env: { ...environment, ...env }, products: [stockDeployment], progress: () => {} })

const sentBy = async (address: Hex) => Number(await rpc.call<Hex>('eth_getTransactionCount', [address, 'latest']))

/** Sends as an account and waits; false when it reverts. */
async function sends<const A extends Abi, Name extends ContractFunctionName<A>>(
  from: Account,
  to: Hex,
  abi: A,
  functionName: Name,
  args: ArgumentsOf<A, Name>,
): Promise<boolean> {
  const profile = { ...chainProfile(BASE), blockTimeMs: 200 }
  const sender = await Deployer.connect({
    rpcUrl: anvil.rpcUrl,
    profile,
    privateKey: from.privateKey,
    pace: 'confirmed',
  })
  return sender.call<A, Name>({ address: to, abi }, functionName, args).then(
    () => true,
    () => false,
  )
}

describe('what cannot be deployed is refused before anything is sent', () => {
  const cases: readonly [string, (plan: Plan) => void, string][] = [
    [
      'a timelock shorter than the chain asks for',
      (p) => (p.timelock.delaySec = 3600),
      'at least 172800 on Base, got 3600',
    ],
    ['no proposer', (p) => (p.timelock.proposers = []), '/timelock/proposers'],
    ['a field that does not exist', (p) => (p.fee = 1), '/fee is no field of a plan'],
    [
      'a timelock that is not longer than an exit',
      (p) => (p.timelock.delaySec = 432_000),
      'more than the longest exit',
    ],
    [
      'a timelock that is not longer than the exit of an order and then of its cash',
      (p) => (p.timelock.delaySec = 475_200),
      'more than the longest exit delay (475200)',
    ],
    ['an exit that settlement can overrun', (p) => (p.exitDelaySec = 360_000), '/exitDelaySec'],
    [
      'an exit of orders before their late settlement ends',
      (p) => Object.assign(p, { exitDelaySec: 400_000, lateSettlementSec: 72_000 }),
      '/exitDelaySec must be at least 428400',
    ],
    [
      'an exit of cash that is no shorter than that of orders',
      (p) => (p.withdrawExitDelaySec = 432_000),
      '/withdrawExitDelaySec must be less than exitDelaySec',
    ],
    [
      'a limit band narrower than the market band',
      (p) => (p.maxLimitDeviationPpm = 40_000),
      '/maxLimitDeviationPpm must be at least maxDeviationPpm',
    ],
    ['a missing field', (p) => delete p.exitDelaySec, 'exitDelaySec'],
    ['a fee above the cap', (p) => (p.withdrawFeePpm = 50_001), '/withdrawFeePpm'],
    ['an address that is none', (p) => (p.roles.settle = '0x12'), '/roles/settle'],
    ['a signer that could also schedule', (p) => (p.roles.settle = proposer.address), 'cannot be both'],
    ['a guardian that is a signer', (p) => (p.roles.guardian = accounts.oracle.address), 'cannot be both'],
    ['an amount in exponent form', (p) => (p.creditBuffer = '2e4'), 'creditBuffer must not use an exponent'],
    [
      'a stock listed twice',
      (p) => (p.stocks = [...(p.stocks as object[]), { ticker: 'AAPL', company: 'Apple', mintCapacity: '1' }]),
      'aAAPL is listed twice',
    ],
    [
      'more decimals than the token has',
      (p) => (p.cashTokens = [{ ...(p.cashTokens as object[])[0], minAmount: '1.0000001' }]),
      'USDC.minAmount must have at most 6 decimals',
    ],
  ]
  it.each(cases)('%s', async (_, change, problem) => {
    const before = await sentBy(deployer.address)
    await expect(deploy(['venue', await plan(change)])).rejects.toThrow(problem)
    expect(await sentBy(deployer.address)).toBe(before)
  })

  it.each([
    ['no key', { DEPLOYER_KEY: undefined }, 'DEPLOYER_KEY must be set to a private key'],
    ['no node', { CHAIN_RPC_URL: undefined }, 'CHAIN_RPC_URL is not set'],
    ['no chain', { CHAIN_ID: undefined }, 'CHAIN_ID is not set'],
    ['a node of another chain', { CHAIN_ID: '1' }, 'the node is of chain 8453, expected CHAIN_ID 1'],
    ['an empty account', { DEPLOYER_KEY: `0x${'12'.repeat(32)}` }, 'holds no native coin'],
    ['a venue that stands', { DEPLOYMENT_FILE: EXAMPLE_PLAN }, 'exists: a venue stands on Base'],
  ])('%s', async (_, env, problem) => {
    const before = await sentBy(deployer.address)
    await expect(deploy(['venue', await plan()], env)).rejects.toThrow(problem)
    expect(await sentBy(deployer.address)).toBe(before)
  })

  it.each([[['venue']], [['check']], [['approvals', 'x']], [['venue', 'a', 'b']], [['burn']], [[]]])(
    'the arguments %j',
    async (args) => {
      await expect(deploy(args)).rejects.toThrow('Usage: npm run bourse -- deploy')
    },
  )
})

describe('a deployed venue', { timeout: 240_000 }, () => {
  let contracts: Readonly<Record<string, Hex>>
  beforeAll(async () => {
    const said = await deploy(['venue', await plan()])
    expect(said).toContain('The venue stands on Base')
    contracts = (await readDeployment(environment.DEPLOYMENT_FILE as string, BASE)).contracts
    expect(said).toContain(contracts.Timelock)
  }, 240_000)

  it('has every role with exactly those of the plan, and its deployer with none', async () => {
    expect(await deploy(['check', await plan()])).toMatch(
      /^38 roles are with exactly those who shall have them, the timelock waits 518400 s,\n10 proxies run the code that was deployed, and 11 functions may be called for users/,
    )
    const parts = [
      'StockRouter',
      'Cashier',
      'Stock',
      'StockOracle',
      'Compliance',
      'OneClickRouter',
      'OperatorPool',
      'aAAPL',
    ]
    for (const name of parts) {
      const contract = { address: contracts[name] as Hex, abi: rolesAbi }
      const read = contractRead(contract, 'hasRole', roleHash(ADMIN_ROLE), deployer.address)
      expect(await readContract(rpc, read), name).toBe(false)
    }
    const fees = [{ buyThirdPartyPpm: 0, buyProtocolPpm: 0, sellThirdPartyPpm: 0, sellProtocolPpm: 0 }] as const
    for (const account of [deployer, proposer, guardian, accounts.settle, outsider]) {
      expect(await sends(account, contracts.Stock as Hex, stockAbi, 'setFeeRates', fees)).toBe(false)
    }
  })

  it('lets the settler approve what it settles with, once', async () => {
    expect(await deploy(['approvals'])).toMatch(/^Approved: 0x\w+\n$/)
    const sent = await sentBy(accounts.settle.address)
    expect(await deploy(['approvals'])).toBe('Every token is approved.\n')
    expect(await sentBy(accounts.settle.address)).toBe(sent)
  })

  it('changes by the timelock alone, after its delay, and the check tells a role that the plan does not know', async () => {
    const { abi } = await readArtifact('TimelockController')
    const timelock = contracts.Timelock as Hex
    const grant = encodeFunctionData({
      abi: rolesAbi,
      functionName: 'grantRole',
      args: [roleHash('ORDER_SETTLER_ROLE'), outsider.address],
    })
    const call = [contracts.Stock, 0n, grant, zeroHash, zeroHash]
    expect(await sends(outsider, timelock, abi, 'schedule', [...call, DELAY_SEC])).toBe(false)
    expect(await sends(proposer, timelock, abi, 'schedule', [...call, DELAY_SEC - 1])).toBe(false)
    expect(await sends(proposer, timelock, abi, 'schedule', [...call, DELAY_SEC])).toBe(true)
    expect(await sends(proposer, timelock, abi, 'execute', call)).toBe(false)
    await rpc.call('evm_increaseTime', [numberToHex(DELAY_SEC)])
    await rpc.call('evm_mine')
    expect(await sends(outsider, timelock, abi, 'execute', call)).toBe(true)
    await expect(deploy(['check', await plan()])).rejects.toThrow(
      new RegExp(`ORDER_SETTLER_ROLE of Stock: .*${outsider.address}.* instead of ${accounts.settle.address}$`),
    )
  })
})
