import type { TProperties } from 'typebox'
import type { Abi, ContractFunctionName } from 'viem'
import type { ArgumentsOf } from '../calls.ts'
import type { DevelopmentAccounts } from '../embedded/accounts.ts'
import type { ReturnOf } from '../read.ts'
import type { Rpc } from '../rpc.ts'
import type { Hex } from '../types.ts'
import type { Deployer } from './deployer.ts'
import type { Addresses, RoleEntry } from './roles.ts'

/** How a product comes onto a chain by a plan file (docs/deploying.md). Products are deployed in the order of their list. */
export interface ProductDeployment extends Approvals {
  /** Its fields of a plan file, beside `timelock` and those of other products. */
  readonly planFields: TProperties
  /** Reads its fields of a plan, which have the form of `planFields`. Throws with what is wrong with them. */
  plan(fields: unknown, rpc: Rpc): Promise<PlannedDeployment>
}

/** A product's contracts as a plan wants them. */
export interface PlannedDeployment extends DeployerPowers {
  /** Every name that it adds to the deployment file. */
  readonly names: readonly string[]
  /** Signers of the relayer: none of them may be a proposer or a guardian. */
  readonly signers: readonly Hex[]
  readonly guardians: readonly Hex[]
  /** The longest time after which a user gets out alone: the timelock waits longer. */
  readonly longestExitSec: number
  /** Of `names`, the contracts behind upgradeable proxies. */
  readonly proxies: readonly string[]
  /** What its OneClickRouters may call: exactly these functions. */
  allowedCalls(addresses: Addresses): readonly AllowedCall[]
  /**
   * Deploys and wires its contracts. `addresses` are those of the products before it. Afterwards the deployer administrates
   * what `administrated` names and has `deployerRoles`; the hand-over ends that.
   */
  deploy(deployer: Deployer, admin: Hex, addresses: Addresses): Promise<Addresses>
  /** Every role of every contract of it once `admin` administrates them all. */
  finalRoles(admin: Hex, addresses: Addresses): readonly RoleEntry[]
  /** What else its contracts must answer then: owners, the code that beacons name, what contracts believe of each other. */
  finalAnswers(admin: Hex, addresses: Addresses): Promise<readonly AnswerEntry[]>
}

/** A view function of a contract and what it must answer. */
export interface AnswerEntry {
  readonly contractName: string
  readonly abi: Abi
  readonly functionName: string
  readonly args: readonly unknown[]
  /** As `textOfAnswer` writes it. */
  readonly answer: string
}

/** What a view function must answer, checked against the contract's ABI. */
export const answerEntry = <const A extends Abi, Name extends ContractFunctionName<A>>(
  contractName: string,
  abi: A,
  functionName: Name,
  args: ArgumentsOf<A, Name>,
  answer: ReturnOf<A, Name>,
): AnswerEntry => ({ contractName, abi, functionName, args, answer: textOfAnswer(answer) })

/** An answer of a view function as text: addresses in lower case, lists and structs as JSON. */
export function textOfAnswer(value: unknown): string {
  const text = JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? String(item) : item))
  return (typeof value === 'object' ? text : String(value)).toLowerCase()
}

/** A function that delegatees may call through a OneClickRouter. */
export interface AllowedCall {
  readonly router: Hex
  readonly target: Hex
  /** Four bytes. */
  readonly selector: Hex
}

/** What the deployer may do with a product's contracts until it hands them over. */
export interface DeployerPowers {
  /** Contracts that have the deployer as their administrator. */
  readonly administrated: readonly string[]
  /** Contracts that have the deployer as their one owner (ERC-173). */
  readonly owned: readonly string[]
  /** The other roles that it needs. */
  readonly deployerRoles: readonly (readonly [contractName: string, role: string])[]
}

/** What the settler itself has to allow the contracts. */
export interface Approvals {
  /** Lets contracts take what the settler delivers where they may not yet. Resolves to the tokens approved now. */
  approve(settler: Deployer, rpc: Rpc, addresses: Addresses): Promise<readonly Hex[]>
}

/** How a product comes onto an embedded development chain, where the deployer stays the administrator. */
export interface DevelopmentDeployment extends Approvals {
  deploy(admin: Deployer, site: DevelopmentSite): Promise<Addresses>
}

export interface DevelopmentSite {
  readonly accounts: DevelopmentAccounts
  /** The cash of the development chain, a token with 6 decimals. */
  readonly usdc: Hex
  /** Addresses of the products before it. */
  readonly addresses: Addresses
}
