import { decodeEventLog, getAbiItem, numberToHex, parseAbi, toEventSelector } from 'viem'
import { min } from '../../lib/bigints.ts'
import { AppError } from '../../lib/errors.ts'
import { oneClickRouterAbi } from '../abi/one-click-router.ts'
import { logsThrough } from '../on-block.ts'
import { contractRead, readContract, readContracts } from '../read.ts'
import type { Rpc } from '../rpc.ts'
import type { Deployment, Hex } from '../types.ts'
import { timelockRoles } from './hand-over.ts'
import { type Patience, patientRpc } from './patient-reads.ts'
import type { VenuePlan } from './plan-file.ts'
import { type AnswerEntry, textOfAnswer } from './product-deployment.ts'
import { deployReasons } from './reasons.ts'
import { type Addresses, addressOf, type RoleEntry, roleHash, rolesAbi } from './roles.ts'

/** Where an ERC-1967 proxy keeps the address of its code. */
const IMPLEMENTATION_SLOT = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc'

const timelockAbi = parseAbi([
  'function getMinDelay() view returns (uint256)',
  'event RoleGranted(bytes32 indexed role, address indexed account, address indexed sender)',
  'event RoleRevoked(bytes32 indexed role, address indexed account, address indexed sender)',
])

/** What was compared. */
export interface CheckedVenue {
  readonly roles: number
  readonly proxies: number
  readonly allowedCalls: number
  readonly answers: number
}

/** Where the chain is compared. */
export interface CheckedAt {
  /** Of several nodes behind one address one that does not have it fails, and is asked again. */
  readonly block: bigint
  readonly logsRangeBlocks: number
  readonly repeated: Patience
}

/**
 * Compares the chain with the plan: every role of every contract and of the timelock, the timelock's delay, the code behind
 * every proxy, every function that delegatees may call, owners and what else products say. Throws `deployment_wrong` naming every difference.
 */
export async function checkVenue(
  node: Rpc,
  deployment: Deployment,
  { timelock, products }: VenuePlan,
  at: CheckedAt,
): Promise<CheckedVenue> {
  const { block } = at
  const rpc = patientRpc(node, at.repeated)
  const { contracts } = deployment
  const admin = addressOf(contracts, 'Timelock')
  const entries = products.flatMap((product) => product.finalRoles(admin, contracts))
  const guardians = products.flatMap((product) => product.guardians)
  const ofTimelock = timelockRoles(admin, timelock, guardians)
  const proxies = products.flatMap((product) => product.proxies)
  const allowed = products.flatMap((product) => product.allowedCalls(contracts))
  const answers = (await Promise.all(products.map((product) => product.finalAnswers(admin, contracts)))).flat()
  const wrong = [
    ...(await wrongRoles(rpc, block, contracts, entries)),
    ...(await wrongDelay(rpc, block, admin, timelock.delaySec)),
    ...(await wrongImplementations(rpc, block, deployment, proxies)),
    ...(await wrongCalls(rpc, block, allowed)),
    ...(await wrongAnswers(rpc, block, contracts, answers)),
    // Last: of an old venue it takes longer than nodes keep a block's state.
    ...(await wrongTimelockRoles(node, at, deployment, admin, ofTimelock)),
  ]
  if (wrong.length > 0) throw new AppError(deployReasons.deployment_wrong, wrong.join('\n'))
  return {
    roles: entries.length + ofTimelock.length,
    proxies: proxies.length,
    allowedCalls: allowed.length,
    answers: answers.length,
  }
}

/** The code behind each of these proxies at a block, by the proxy's name. */
export async function readImplementations(rpc: Rpc, block: bigint, addresses: Addresses, proxies: readonly string[]) {
  const calls = proxies.map((name) => ({
    method: 'eth_getStorageAt',
    params: [addressOf(addresses, name), IMPLEMENTATION_SLOT, numberToHex(block)],
  }))
  const words = await rpc.batch<Hex>(calls)
  return Object.fromEntries(proxies.map((name, index) => [name, addressIn(words[index] as Hex)]))
}

async function wrongRoles(
  rpc: Rpc,
  block: bigint,
  addresses: Addresses,
  entries: readonly RoleEntry[],
): Promise<string[]> {
  const reads = entries.map(({ contractName, role }) => {
    const contract = { address: addressOf(addresses, contractName), abi: rolesAbi }
    return contractRead(contract, 'getRoleMembers', roleHash(role))
  })
  const results = await readContracts(rpc, reads, block)
  return entries.flatMap((entry, index) => difference(entry, results[index] ?? []))
}

/** The timelock does not list the members of its roles; its events do. */
async function wrongTimelockRoles(
  rpc: Rpc,
  { block, logsRangeBlocks, repeated }: CheckedAt,
  { startBlock }: Deployment,
  timelock: Hex,
  entries: readonly RoleEntry[],
): Promise<string[]> {
  const granted = toEventSelector(getAbiItem({ abi: timelockAbi, name: 'RoleGranted' }))
  const revoked = toEventSelector(getAbiItem({ abi: timelockAbi, name: 'RoleRevoked' }))
  const filter = { address: timelock, topics: [[granted, revoked]] }
  const members = new Map<string, Set<Hex>>()
  for (let from = startBlock; from <= block; from += BigInt(logsRangeBlocks)) {
    const to = from + BigInt(logsRangeBlocks) - 1n
    const range = { from, to: min(to, block) }
    const logs = await repeated(() => logsThrough<EventLog>(rpc, filter, range))
    for (const { topics, data } of logs) {
      const { eventName, args } = decodeEventLog({ abi: timelockAbi, topics, data })
      const holders = members.get(args.role) ?? new Set()
      const account = args.account.toLowerCase() as Hex
      if (eventName === 'RoleGranted') holders.add(account)
      else holders.delete(account)
      members.set(args.role, holders)
    }
  }
  const known = entries.flatMap((entry) => difference(entry, [...(members.get(roleHash(entry.role)) ?? [])]))
  const unknown = [...members].flatMap(([role, holders]) => {
    const isListed = entries.some((entry) => roleHash(entry.role) === role)
    return isListed || holders.size === 0
      ? []
      : [`role ${role} of Timelock: ${[...holders].join(', ')} instead of nobody`]
  })
  return [...known, ...unknown]
}

interface EventLog {
  readonly topics: [Hex, ...Hex[]]
  readonly data: Hex
}

async function wrongDelay(rpc: Rpc, block: bigint, timelock: Hex, delaySec: number): Promise<string[]> {
  const found = await readContract(rpc, contractRead({ address: timelock, abi: timelockAbi }, 'getMinDelay'), block)
  return found === BigInt(delaySec) ? [] : [`delay of Timelock: ${found} s instead of ${delaySec} s`]
}

async function wrongImplementations(
  rpc: Rpc,
  block: bigint,
  { contracts, implementations }: Deployment,
  proxies: readonly string[],
): Promise<string[]> {
  const found = await readImplementations(rpc, block, contracts, proxies)
  return proxies.flatMap((name) => {
    const wanted = implementations?.[name] ?? 'what the deployment file does not name'
    return found[name] === wanted ? [] : [`code of ${name}: ${found[name]} instead of ${wanted}`]
  })
}

interface Call {
  readonly router: Hex
  readonly target: Hex
  readonly selector: Hex
}

async function wrongCalls(rpc: Rpc, block: bigint, wanted: readonly Call[]): Promise<string[]> {
  const routers = [...new Set(wanted.map(({ router }) => router))]
  const reads = routers.map((address) => contractRead({ address, abi: oneClickRouterAbi }, 'allowedCalls'))
  const results = await readContracts(rpc, reads, block)
  const found = routers.flatMap((router, index) => (results[index] ?? []).map((call) => ({ ...call, router })))
  const [foundTexts, wantedTexts] = [found.map(textOf), wanted.map(textOf)]
  return [
    ...foundTexts.filter((text) => !wantedTexts.includes(text)).map((text) => `${text} is allowed and shall not be`),
    ...wantedTexts.filter((text) => !foundTexts.includes(text)).map((text) => `${text} is not allowed and shall be`),
  ]
}

async function wrongAnswers(
  rpc: Rpc,
  block: bigint,
  addresses: Addresses,
  entries: readonly AnswerEntry[],
): Promise<string[]> {
  const reads = entries.map(({ contractName, abi, functionName, args }) =>
    contractRead({ address: addressOf(addresses, contractName), abi }, functionName, ...args),
  )
  const results = await readContracts(rpc, reads, block)
  return entries.flatMap(({ contractName, functionName, args, answer }, index) => {
    const found = textOfAnswer(results[index])
    const call = `${functionName}(${args.map(textOfAnswer).join(', ')}) of ${contractName}`
    return found === answer ? [] : [`${call}: ${found} instead of ${answer}`]
  })
}

const textOf = ({ router, target, selector }: Call): string =>
  `${selector} of ${target} through ${router}`.toLowerCase()

function difference({ contractName, role, members }: RoleEntry, holders: readonly Hex[]): string[] {
  const found = holders.map((member) => member.toLowerCase()).sort()
  const wanted = [...new Set(members)].sort()
  if (found.join() === wanted.join()) return []
  return [`${role} of ${contractName}: ${found.join(', ') || 'nobody'} instead of ${wanted.join(', ') || 'nobody'}`]
}

const addressIn = (word: Hex): Hex => `0x${word.slice(-40).toLowerCase()}`
