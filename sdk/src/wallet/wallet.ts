import type { Account, BaseError, Chain, LocalAccount, Transport, Client as ViemClient } from 'viem'
import type { signTypedData as signTypedDataOf } from './viem.ts'

/** viem's part, loaded when something is signed or sent: a page that only shows prices does without it. */
export const viem = () => import('./viem.ts')

export type Hex = `0x${string}`

/** A viem client with an account, such as a wallet client; for signatures alone an account of viem's will do. */
export type Wallet = ViemClient<Transport, Chain | undefined, Account | undefined>
export type MessageSigner = Wallet | LocalAccount

/** A transaction was mined, and did nothing. */
export class Reverted extends Error {
  override readonly name = 'Reverted'
  readonly hash: Hex

  constructor(hash: Hex) {
    super(`the transaction ${hash} reverted`)
    this.hash = hash
  }
}

/** The wallet has put another transaction in the place of this one, such as to cancel it: this one can never be mined. */
export class Replaced extends Error {
  override readonly name = 'Replaced'
  readonly hash: Hex
  /** The one that was mined. */
  readonly by: Hex

  constructor(hash: Hex, by: Hex) {
    super(`the transaction ${hash} did not happen: the wallet cancelled it or sent another one in its place, ${by}`)
    this.hash = hash
    this.by = by
  }
}

/** What was built is not for this wallet: another chain, or a contract that is none of the venue's. */
export class TransactionRefused extends Error {
  override readonly name = 'TransactionRefused'
}

/** Calldata as the stock API builds it, or a transaction as the perpetual API does, or either one’s answer. */
export type Built = StockBuilt | PerpBuilt | { readonly transaction: PerpBuilt }
interface StockBuilt {
  readonly chainId: number
  readonly toAddress: string
  readonly value: string
  readonly callData: string
}
interface PerpBuilt {
  readonly chainId: number
  readonly from: string
  readonly to: string
  readonly value: string
  readonly data: string
  readonly gas: string
}

export interface SendBuiltOptions {
  /** The contracts that may be called; anything else is refused. */
  readonly allowed: readonly string[]
}

const isAccount = (signer: MessageSigner): signer is LocalAccount => signer.type === 'local'

/** The wallet's address, in lower case. */
export function addressOf(signer: MessageSigner): Hex {
  const address = isAccount(signer) ? signer.address : signer.account?.address
  if (!address) throw new TypeError('the wallet has no account: give createWalletClient one')
  return address.toLowerCase() as Hex
}

/** Signs a text (EIP-191). */
export async function signText(signer: MessageSigner, message: string): Promise<Hex> {
  if (isAccount(signer)) return signer.signMessage({ message })
  const { signMessage } = await viem()
  return signMessage(signer, { account: accountOf(signer), message })
}

/** What `prepareOneClick` answers. */
export interface OneClickConsent {
  readonly deadline: number
  readonly signPayload: {
    readonly domain: object
    readonly types: object
    readonly primaryType: string
    readonly message: { readonly user: string }
  }
}

type TypedData = Parameters<typeof signTypedDataOf>[1]

/** Signs what One Click asks for (EIP-712); the result is what `enableOneClick` takes. */
export async function signOneClick(
  signer: MessageSigner,
  { signPayload, deadline }: OneClickConsent,
): Promise<{ signature: Hex; deadline: number }> {
  const { user } = signPayload.message
  if (user.toLowerCase() !== addressOf(signer)) {
    throw new TransactionRefused(`One Click is asked for ${user}, and the wallet is ${addressOf(signer)}`)
  }
  const payload = signPayload as Parameters<LocalAccount['signTypedData']>[0]
  const signature = isAccount(signer)
    ? await signer.signTypedData(payload)
    : await (await viem()).signTypedData(signer, { ...payload, account: accountOf(signer) } as TypedData)
  return { signature, deadline }
}

/** What a transaction meets can cost more until it is mined: a deposit is queued that would have been instant a second before. */
const GAS_BUFFER = 2n

/**
 * Sends what the venue built, and answers the hash at once; `waitMined` waits. The gas limit is the one that the venue gives, else twice
 * what the node estimates. Throws TransactionRefused before anything is signed.
 */
export async function sendBuilt(wallet: Wallet, built: Built, { allowed }: SendBuiltOptions): Promise<Hex> {
  const { chainId, to, data, value, from, gas } = callOf(built)
  const { estimateGas } = await viem()
  await requireChain(wallet, chainId)
  if (!allowed.some((one) => one.toLowerCase() === to.toLowerCase())) {
    throw new TransactionRefused(`${to} is none of the contracts that may be called: ${allowed.join(', ')}`)
  }
  if (from !== undefined && from.toLowerCase() !== addressOf(wallet)) {
    throw new TransactionRefused(`the transaction is for ${from}, and the wallet is ${addressOf(wallet)}`)
  }
  const limit = gas ?? (await estimateGas(wallet, { account: accountOf(wallet), to, data, value })) * GAS_BUFFER
  return send(wallet, { chainId, to, data, value, gas: limit })
}

/**
 * Asks the wallet once. viem's own way of asking a wallet of a browser would ask for the same transaction again, as
 * `wallet_sendTransaction`, where the wallet has answered with one of several errors, and does not name the chain: while the
 * wallet's prompt is open, its user may go to another one.
 */
export async function send(wallet: Wallet, { chainId, to, data, value, gas }: Call): Promise<Hex> {
  const { getTransactionError, numberToHex, sendTransaction } = await viem()
  const account = accountOf(wallet)
  const limit = gas === undefined ? {} : { gas }
  if (account.type !== 'json-rpc') return sendTransaction(wallet, { account, chain: null, to, data, value, ...limit })
  const request = {
    from: account.address,
    to,
    data,
    value: numberToHex(value),
    chainId: numberToHex(chainId),
    ...(gas === undefined ? {} : { gas: numberToHex(gas) }),
  }
  try {
    return await wallet.request({ method: 'eth_sendTransaction', params: [request] }, { retryCount: 0 })
  } catch (error) {
    throw getTransactionError(error as BaseError, { account, to, data, value, ...limit })
  }
}

/** An address of the venue may be anybody's on another chain. */
export async function requireChain(wallet: Wallet, chainId: number): Promise<void> {
  const { getChainId } = await viem()
  const chain = await getChainId(wallet)
  if (chain !== chainId) throw new TransactionRefused(`the wallet is on chain ${chain}, and the venue on ${chainId}`)
}

export interface WaitMinedOptions {
  /** Three minutes unless given. */
  readonly timeoutMs?: number
}

const THREE_MINUTES_MS = 180_000

/**
 * Waits until a transaction is mined, and answers the hash of the one that was: a wallet may have sped it up. Throws Reverted, and
 * Replaced where the wallet has sent something else in its place. Whatever else it throws, as viem does when the time is over, says
 * nothing of the transaction, which may still be mined.
 */
export async function waitMined(
  wallet: Wallet,
  hash: Hex,
  { timeoutMs = THREE_MINUTES_MS }: WaitMinedOptions = {},
): Promise<Hex> {
  const { waitForTransactionReceipt } = await viem()
  const over = new AbortController()
  let isReplaced = false
  try {
    const { status, transactionHash } = await waitForTransactionReceipt(await patient(wallet, over.signal), {
      hash,
      timeout: timeoutMs,
      // viem answers the receipt of whatever took its nonce.
      onReplaced({ reason }) {
        isReplaced = reason !== 'repriced'
      },
    })
    if (isReplaced) throw new Replaced(hash, transactionHash)
    if (status !== 'success') throw new Reverted(transactionHash)
    return transactionHash
  } finally {
    over.abort()
  }
}

/**
 * A reader of the wallet's chain that asks again for what it is not answered, until it is over: viem takes a node that is busy for
 * once, or a wallet that was locked, for the end of its wait.
 */
async function patient(wallet: Wallet, over: AbortSignal): Promise<ViemClient> {
  const { createClient, custom } = await viem()
  const { chain, pollingInterval } = wallet
  const answerOf = async (call: Request): Promise<unknown> => {
    for (;;) {
      try {
        return await wallet.request(call, { retryCount: 0 })
      } catch (error) {
        if (over.aborted) throw error
        await new Promise((resolve) => setTimeout(resolve, pollingInterval))
      }
    }
  }
  // viem asks the same with each block: what waits for its answer is not asked a second time beside it.
  const waiting = new Map<string, Promise<unknown>>()
  const request = (call: Request): Promise<unknown> => {
    const key = JSON.stringify(call)
    const answer = waiting.get(key) ?? answerOf(call).finally(() => waiting.delete(key))
    waiting.set(key, answer)
    return answer
  }
  return createClient({ chain, pollingInterval, transport: custom({ request }, { retryCount: 0 }) })
}

type Request = Parameters<Wallet['request']>[0]

export function accountOf({ account }: Wallet) {
  if (!account) throw new TypeError('the wallet has no account: give createWalletClient one')
  return account
}

interface Call {
  readonly chainId: number
  readonly to: Hex
  readonly data: Hex
  readonly value: bigint
  readonly gas?: bigint
}

function callOf(built: Built): Call & { readonly from?: string } {
  if ('toAddress' in built) {
    const { chainId, toAddress, callData, value } = built
    return { chainId, to: toAddress as Hex, data: callData as Hex, value: BigInt(value) }
  }
  const { chainId, to, data, value, from, gas } = 'transaction' in built ? built.transaction : built
  return { chainId, to: to as Hex, data: data as Hex, value: BigInt(value), from, gas: BigInt(gas) }
}
