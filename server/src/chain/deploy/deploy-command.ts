import { existsSync } from 'node:fs'
import { formatEther } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { AppError } from '../../lib/errors.ts'
import { deploymentFileOf, readDeployment, writeDeployment } from '../deployment.ts'
import { type ChainProfile, chainProfile } from '../profiles.ts'
import { createRpc, type Rpc } from '../rpc.ts'
import type { Deployment, Hex } from '../types.ts'
import { checkVenue, readImplementations } from './check-venue.ts'
import { Deployer } from './deployer.ts'
import { deployTimelock, handOver } from './hand-over.ts'
import { readPlan, type VenuePlan } from './plan-file.ts'
import type { ProductDeployment } from './product-deployment.ts'
import { deployReasons } from './reasons.ts'
import type { Addresses } from './roles.ts'

export const DEPLOY_USAGE = `Usage: npm run bourse -- deploy <command>     (docs/deploying.md)

  deploy venue <plan.json>
                        puts the contracts on the chain of CHAIN_RPC_URL, hands them over to a timelock, checks every
                        role and writes the deployment file; paid by DEPLOYER_KEY
  deploy approvals      lets the contracts take what the settler delivers, for every token that still lacks it; sent by
                        SIGNER_SETTLE_KEY
  deploy check <plan.json>
                        compares every role on chain, the timelock's delay, the code behind every proxy and every
                        function that may be called for users with the plan and the deployment file; of perpetuals the
                        owners, beacons and connections as well
`

export interface DeployContext {
  readonly env: Readonly<Record<string, string | undefined>>
  /** What the venue has on its chain, in the order in which it is deployed. */
  readonly products: readonly ProductDeployment[]
  /** Called with each step. */
  readonly progress: (text: string) => void
}

/** The chain and the files that a command works with. */
interface Target {
  readonly rpcUrl: string
  readonly rpc: Rpc
  readonly profile: ChainProfile
  readonly deploymentFile: string
}

/** Runs `deploy <args>` and answers what to print. Throws with what is wrong; a plan is checked before anything is sent. */
export async function deployCommand(args: readonly string[], context: DeployContext): Promise<string> {
  const [command, planFile, ...more] = args
  const isKnown = command === 'approvals' ? planFile === undefined : ['venue', 'check'].includes(command ?? '')
  if (!isKnown || more.length > 0 || (command !== 'approvals' && planFile === undefined)) throw invalid(DEPLOY_USAGE)
  const target = targetOf(context.env)
  if (command === 'approvals') return sendApprovals(target, context)
  const plan = await readPlan(planFile as string, target.profile, target.rpc, context.products)
  return command === 'venue' ? deployVenue(target, plan, context) : compareVenue(target, plan)
}

async function deployVenue(target: Target, { timelock, products }: VenuePlan, context: DeployContext): Promise<string> {
  const { deploymentFile, profile, rpc } = target
  if (existsSync(deploymentFile)) {
    throw invalid(`${deploymentFile} exists: a venue stands on ${profile.name}. Move it away, or set DEPLOYMENT_FILE`)
  }
  const deployer = await connect(target, 'DEPLOYER_KEY', context)
  const balance = BigInt(await rpc.call<Hex>('eth_getBalance', [deployer.address, 'latest']))
  if (balance === 0n) throw invalid(`the deployer ${deployer.address} holds no native coin to pay with`)
  const guardians = products.flatMap((product) => product.guardians)
  const { address: admin } = await deployTimelock(deployer, timelock, guardians)
  let addresses: Addresses = {}
  for (const product of products) {
    addresses = { ...addresses, ...(await product.deploy(deployer, admin, addresses)) }
  }
  for (const product of products) {
    await handOver(deployer, admin, addresses, product, product.finalRoles(admin, addresses))
  }
  const startBlock = (await deployer.finish()) ?? 0n
  const contracts = { ...addresses, Timelock: admin }
  const proxies = products.flatMap((product) => product.proxies)
  const implementations = await readImplementations(rpc, contracts, proxies)
  const deployment = { chainId: profile.chainId, startBlock, contracts, implementations }
  await checkVenue(rpc, deployment, { timelock, products }, profile.logsRangeBlocks)
  await writeDeployment(deploymentFile, deployment)
  const spent = balance - BigInt(await rpc.call<Hex>('eth_getBalance', [deployer.address, 'latest']))
  return [
    `The venue stands on ${profile.name} since block ${startBlock}; ${deploymentFile} has its addresses.`,
    `Its administrator is the timelock ${admin} alone (${timelock.delaySec} s). The deployer spent ${formatEther(spent)}`,
    'and has no role left. Next: npm run bourse -- deploy approvals\n',
  ].join('\n')
}

async function compareVenue(target: Target, plan: VenuePlan): Promise<string> {
  const deployment = await deploymentOf(target)
  if (!deployment.contracts.Timelock) {
    throw invalid(`${target.deploymentFile} names no Timelock: that venue was not handed over`)
  }
  const checked = await checkVenue(target.rpc, deployment, plan, target.profile.logsRangeBlocks)
  return [
    `${checked.roles} roles are with exactly those who shall have them, the timelock waits ${plan.timelock.delaySec} s,`,
    `${checked.proxies} proxies run the code that was deployed, and ${checked.allowedCalls} functions may be called for users.\n`,
    ...(checked.answers > 0 ? [`${checked.answers} owners, beacons and connections are what they shall be.\n`] : []),
  ].join('\n')
}

async function sendApprovals(target: Target, context: DeployContext): Promise<string> {
  const { contracts } = await deploymentOf(target)
  const settler = await connect(target, 'SIGNER_SETTLE_KEY', context)
  const approved: Hex[] = []
  for (const product of context.products) approved.push(...(await product.approve(settler, target.rpc, contracts)))
  return approved.length === 0 ? 'Every token is approved.\n' : `Approved: ${approved.join(', ')}\n`
}

function targetOf(env: DeployContext['env']): Target {
  const rpcUrl = env.CHAIN_RPC_URL
  if (!rpcUrl) throw invalid('CHAIN_RPC_URL is not set: say which node to deploy through')
  if (!env.CHAIN_ID || !/^\d{1,15}$/.test(env.CHAIN_ID))
    throw invalid('CHAIN_ID is not set: say which chain it shall be')
  const profile = chainProfile(Number(env.CHAIN_ID))
  const deploymentFile = env.DEPLOYMENT_FILE || deploymentFileOf(profile.chainId)
  return { rpcUrl, rpc: createRpc({ url: rpcUrl }), profile, deploymentFile }
}

const deploymentOf = ({ deploymentFile, profile }: Target): Promise<Deployment> =>
  readDeployment(deploymentFile, profile.chainId)

function connect({ rpcUrl, profile }: Target, variable: string, { env, progress }: DeployContext): Promise<Deployer> {
  const privateKey = env[variable]
  if (!privateKey || !/^0x[0-9a-fA-F]{64}$/.test(privateKey)) {
    throw invalid(`${variable} must be set to a private key (0x and 64 hex digits)`)
  }
  progress(`${variable} is of ${privateKeyToAddress(privateKey as Hex)}`)
  return Deployer.connect({ rpcUrl, profile, privateKey: privateKey as Hex, pace: 'confirmed', progress })
}

const invalid = (message: string): AppError => new AppError(deployReasons.deployment_plan_invalid, message)
