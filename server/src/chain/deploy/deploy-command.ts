import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { formatEther, toHex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { AppError } from '../../lib/errors.ts'
import { deploymentFileOf, readDeployment, writeDeployment } from '../deployment.ts'
import { type ChainProfile, chainProfile } from '../profiles.ts'
import { createRpc, type Rpc } from '../rpc.ts'
import type { Deployment, Hex } from '../types.ts'
import { type CheckedAt, type CheckedVenue, checkVenue, readImplementations } from './check-venue.ts'
import { Deployer, pollingMs } from './deployer.ts'
import { deployTimelock, handOver } from './hand-over.ts'
import { patienceOf, patientRpc } from './patient-reads.ts'
import { readPlan, type VenuePlan } from './plan-file.ts'
import type { ProductDeployment } from './product-deployment.ts'
import { deployReasons } from './reasons.ts'
import type { Addresses } from './roles.ts'

export const DEPLOY_USAGE = `Usage: npm run bourse -- deploy <command>     (docs/deploying.md)

  deploy venue <plan.json>
                        puts the contracts on the chain of CHAIN_RPC_URL, hands them over to a timelock, checks every
                        role and writes the deployment file; paid by DEPLOYER_KEY. Until the check has passed the addresses
                        are in a file of that name and .unchecked
  deploy approvals      lets the contracts take what the settler delivers, for every token that still lacks it; sent by
                        SIGNER_SETTLE_KEY
  deploy check <plan.json>
                        compares every role on chain, the timelock's delay, the code behind every proxy and every
                        function that may be called for users with the plan and the deployment file; of perpetuals the
                        owners, beacons and connections as well. Makes an .unchecked file the deployment file
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
  /** Has the addresses of a venue that is deployed and not checked yet. */
  readonly uncheckedFile: string
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

async function deployVenue(target: Target, plan: VenuePlan, context: DeployContext): Promise<string> {
  const { deploymentFile, uncheckedFile, profile, rpc } = target
  const { timelock, products } = plan
  if (existsSync(deploymentFile)) {
    throw invalid(`${deploymentFile} exists: a venue stands on ${profile.name}. Move it away, or set DEPLOYMENT_FILE`)
  }
  if (existsSync(uncheckedFile)) {
    throw invalid(
      `${uncheckedFile} exists: a venue was deployed, and deploy check finishes it. To deploy another one, move it away`,
    )
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
  await writeDeployment(uncheckedFile, { chainId: profile.chainId, startBlock, contracts })
  context.progress(`${uncheckedFile} has the addresses; should what follows fail, deploy check finishes it`)
  const at = checkedAt(target, deployer.lastBlock ?? startBlock)
  const left = await at.repeated(() => rpc.call<Hex>('eth_getBalance', [deployer.address, toHex(at.block)]))
  await acceptVenue(target, plan, at)
  return [
    `The venue stands on ${profile.name} since block ${startBlock}; ${deploymentFile} has its addresses.`,
    `Its administrator is the timelock ${admin} alone (${timelock.delaySec} s). The deployer spent ${formatEther(balance - BigInt(left))}`,
    'and has no role left. Next: npm run bourse -- deploy approvals\n',
  ].join('\n')
}

/** Checks what was deployed, and makes its addresses those of the venue. Nothing is lost where that fails: it may be repeated. */
async function acceptVenue(target: Target, plan: VenuePlan, at: CheckedAt): Promise<CheckedVenue> {
  const { deploymentFile, uncheckedFile, profile, rpc } = target
  const { chainId, startBlock, contracts } = await readDeployment(uncheckedFile, profile.chainId)
  const proxies = plan.products.flatMap((product) => product.proxies)
  const implementations = await readImplementations(patientRpc(rpc, at.repeated), at.block, contracts, proxies)
  const deployment = { chainId, startBlock, contracts, implementations }
  const checked = await checkVenue(rpc, deployment, plan, at)
  await writeDeployment(deploymentFile, deployment)
  await rm(uncheckedFile)
  return checked
}

async function compareVenue(target: Target, plan: VenuePlan): Promise<string> {
  const { deploymentFile, uncheckedFile } = target
  const at = checkedAt(target, BigInt(await target.rpc.call<Hex>('eth_blockNumber')))
  const isAccepted = existsSync(deploymentFile) || !existsSync(uncheckedFile)
  const checked = await (isAccepted ? checkAccepted(target, plan, at) : acceptVenue(target, plan, at))
  return [
    `${checked.roles} roles are with exactly those who shall have them, the timelock waits ${plan.timelock.delaySec} s,`,
    `${checked.proxies} proxies run the code that was deployed, and ${checked.allowedCalls} functions may be called for users.\n`,
    ...(checked.answers > 0 ? [`${checked.answers} owners, beacons and connections are what they shall be.\n`] : []),
    ...(isAccepted ? [] : [`${deploymentFile} has the addresses now. Next: npm run bourse -- deploy approvals\n`]),
  ].join('\n')
}

async function checkAccepted(target: Target, plan: VenuePlan, at: CheckedAt): Promise<CheckedVenue> {
  const deployment = await deploymentOf(target)
  if (!deployment.contracts.Timelock) {
    throw invalid(`${target.deploymentFile} names no Timelock: that venue was not handed over`)
  }
  return checkVenue(target.rpc, deployment, plan, at)
}

function checkedAt({ profile }: Target, block: bigint): CheckedAt {
  const { logsRangeBlocks } = profile
  return { block, logsRangeBlocks, repeated: patienceOf(pollingMs(profile)) }
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
  const uncheckedFile = `${deploymentFile}.unchecked`
  return { rpcUrl, rpc: createRpc({ url: rpcUrl }), profile, deploymentFile, uncheckedFile }
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
