// Nothing is signed that the page has not shown: a wallet's provider behind a guard. It takes the venue's chain only, calls of
// the venue's contracts only, and of them only those whose meaning it can show; then it asks the user.
import { signal } from '@preact/signals'
import type { Abi, Hex } from 'viem'
import { maxUint256 } from 'viem'
import { decodeFunctionData, formatUnits, hexToString, isHex } from 'viem/utils'
import { formatQuantity, formatTime } from '../lib/format.ts'
import { walletWords } from '../strings.ts'
import { type Provider, ProviderError } from './eip1193.ts'
import { unitsOf } from './units.ts'

/** A contract that may be called: its name on the screen, and its calls. */
export interface KnownContract {
  readonly name: string
  readonly abi: Abi
  /** What packed arguments mean, by name; null where it does not know, which the guard refuses. */
  readonly explain?: (call: string, args: readonly unknown[]) => readonly (readonly [string, string])[] | null
  /** What a call would do, in amounts that people read; it is shown beside the arguments. */
  readonly meaning?: (call: string, args: readonly unknown[]) => readonly (readonly [string, string])[]
  /**
   * What may be signed for it as typed data (EIP-712), by the primary type, with what that gives away: a signature can as much as a
   * call.
   */
  readonly signed?: Readonly<Record<string, string>>
}

/** By address in lower case. */
export type KnownContracts = ReadonlyMap<string, KnownContract>

export interface Shown {
  readonly chain: string
  /** Whose signature it is to be; null where the request does not say. */
  readonly account: string | null
  readonly kind: 'call' | 'text' | 'typed'
  readonly target: { readonly name: string; readonly address: string } | null
  /** The called function, or the signed type. */
  readonly call: string | null
  /** What it would do, in amounts that people read; empty where the arguments say it. */
  readonly meaning: readonly (readonly [string, string])[]
  readonly args: readonly (readonly [string, string])[]
  readonly value: string
  readonly text: string | null
}

/** What waits for the user's consent, and how the answer is given. */
export const asked = signal<{ readonly shown: Shown; answer(agreed: boolean): void } | null>(null)

/** The guard refused, before any wallet was asked. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
}

/** The user said no to what the page showed: the same to callers as a no in the wallet. */
class Declined extends Error {
  override readonly name = 'UserRejectedRequestError'
  readonly code = 4001
}

export interface GuardOptions {
  readonly chainId: number
  readonly chainName: string
  readonly contracts: () => KnownContracts
}

const SIGNING = new Set(['eth_sendTransaction', 'personal_sign', 'eth_signTypedData_v4'])
/** What the client library reads of the chain. Wallets know ever more methods that sign or send: none but these passes. */
const READING = new Set([
  'eth_blockNumber',
  'eth_call',
  'eth_chainId',
  'eth_estimateGas',
  'eth_getBlockByNumber',
  'eth_getTransactionByHash',
  'eth_getTransactionReceipt',
])
/** As a wallet says that it has no such method: viem, which tries some of them by itself, then tells what it was told before. */
const METHOD_NOT_FOUND = -32_601

/** The provider of a wallet, behind the guard. */
export function guard(provider: Provider, options: GuardOptions): Provider {
  return {
    ...provider,
    async request(call) {
      if (SIGNING.has(call.method)) {
        await checkChain(provider, options)
        await consent(shownOf(call.method, call.params as readonly unknown[], options))
        // It may have gone to another one while the user read.
        await checkChain(provider, options)
      } else if (!READING.has(call.method)) {
        throw new ProviderError(METHOD_NOT_FOUND, walletWords.unknownCall)
      }
      return provider.request(call)
    },
  }
}

async function checkChain(provider: Provider, { chainId, chainName }: GuardOptions): Promise<void> {
  requireChain(await provider.request({ method: 'eth_chainId' }), { chainId, chainName })
}

function requireChain(actual: unknown, { chainId, chainName }: Pick<GuardOptions, 'chainId' | 'chainName'>): void {
  if (Number(actual) !== chainId) throw new Refusal(walletWords.wrongChain(chainName, chainId))
}

function shownOf(method: string, params: readonly unknown[], options: GuardOptions): Shown {
  const chain = `${options.chainName} (${options.chainId})`
  if (method === 'personal_sign') return { chain, account: accountOf(params[1]), ...shownText(params[0]) }
  if (method === 'eth_signTypedData_v4') {
    return { chain, account: accountOf(params[0]), ...shownTyped(params[1], options) }
  }
  const { from } = params[0] as Transaction
  return { chain, account: accountOf(from), ...shownCall(params[0], options) }
}

const accountOf = (account: unknown): string | null => (typeof account === 'string' ? account : null)

/** What is the same for whoever signs it, wherever. */
type Content = Omit<Shown, 'chain' | 'account'>

function shownText(message: unknown): Content {
  const text = isHex(message) ? hexToString(message) : String(message)
  return { kind: 'text', target: null, call: null, meaning: [], args: [], value: '0', text }
}

interface TypedData {
  readonly domain?: { readonly chainId?: unknown; readonly verifyingContract?: string }
  readonly primaryType?: string
  readonly message?: Readonly<Record<string, unknown>>
}

function shownTyped(data: unknown, options: GuardOptions): Content {
  const { domain, primaryType, message = {} } = (typeof data === 'string' ? JSON.parse(data) : data) as TypedData
  const address = domain?.verifyingContract ?? ''
  const target = targetOf(address, options)
  requireChain(domain?.chainId, options)
  const signed = target.signed ?? {}
  if (primaryType === undefined || !Object.hasOwn(signed, primaryType)) throw new Refusal(walletWords.unknownCall)
  const args = Object.entries(message).map(([name, value]) => [name, typedText(name, value)] as const)
  return {
    kind: 'typed',
    target: { name: target.name, address },
    call: primaryType,
    meaning: [[walletWords.allows, signed[primaryType] ?? '']],
    args,
    value: '0',
    text: null,
  }
}

/** A time until when it counts is no number to whoever reads it. */
const typedText = (name: string, value: unknown): string =>
  name === 'deadline' ? formatTime(Number(value) * 1000) : textOf(value)

interface Transaction {
  readonly from?: string
  readonly to?: string
  readonly data?: Hex
  readonly value?: string
  readonly chainId?: string
}

function shownCall(transaction: unknown, options: GuardOptions): Content {
  const { to = '', data = '0x', value = '0x0', chainId } = transaction as Transaction
  requireChain(chainId, options)
  const contract = targetOf(to, options)
  const { functionName, args } = decoded(contract.abi, data)
  const item = contract.abi.find((one) => one.type === 'function' && one.name === functionName)
  const inputs = item && 'inputs' in item ? item.inputs : []
  if (functionName === 'approve') checkSpender(String(args[0]), options)
  const explained = contract.explain?.(functionName, args)
  if (explained === null) throw new Refusal(walletWords.unknownCall)
  return {
    kind: 'call',
    target: { name: contract.name, address: to },
    call: functionName,
    meaning:
      functionName === 'approve' ? allowanceOf(to, args, options) : (contract.meaning?.(functionName, args) ?? []),
    args:
      explained ??
      args.map((value, index) => [inputs?.[index]?.name ?? `${index + 1}`, named(value, options)] as const),
    value: BigInt(value).toString(),
    text: null,
  }
}

/** What an approval lets be taken, in the token's own decimals. */
function allowanceOf(token: string, [spender, amount]: readonly unknown[], options: GuardOptions) {
  const units = unitsOf(token)
  if (!units) return []
  const most =
    amount === maxUint256 ? walletWords.noLimit : formatQuantity(formatUnits(amount as bigint, units.decimals))
  return [
    [walletWords.mayTake, `${most} ${units.symbol}`],
    [walletWords.taker, options.contracts().get(String(spender).toLowerCase())?.name ?? String(spender)],
  ] as const
}

/** An allowance is as good as the token itself: only the venue's own contracts get one. */
function checkSpender(spender: string, { contracts }: GuardOptions): void {
  if (!contracts().has(spender.toLowerCase())) throw new Refusal(walletWords.unknownTarget(spender))
}

function targetOf(address: string, { contracts }: GuardOptions): KnownContract {
  const contract = contracts().get(address.toLowerCase())
  if (!contract) throw new Refusal(walletWords.unknownTarget(address))
  return contract
}

function decoded(abi: Abi, data: Hex): { functionName: string; args: readonly unknown[] } {
  try {
    const { functionName, args } = decodeFunctionData({ abi, data })
    return { functionName, args: args ?? [] }
  } catch (cause) {
    throw new Refusal(walletWords.unknownCall, { cause })
  }
}

/** An argument; one of the venue's own contracts with its name. */
function named(value: unknown, { contracts }: GuardOptions): string {
  const text = textOf(value)
  const contract = contracts().get(text.toLowerCase())
  return contract ? `${contract.name} ${text}` : text
}

const textOf = (value: unknown): string =>
  typeof value === 'object' && value !== null
    ? JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? one.toString() : one))
    : String(value)

function consent(shown: Shown): Promise<void> {
  return new Promise((resolve, reject) => {
    // One question at a time; what comes meanwhile is a second click, and is told so.
    if (asked.value) return reject(new Refusal(walletWords.confirmTitle))
    asked.value = {
      shown,
      answer(agreed) {
        asked.value = null
        if (agreed) resolve()
        else reject(new Declined(walletWords.rejected))
      },
    }
  })
}
