import { createWalletClient, type Hex, http, isHex, type TransactionRequest } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import type { DevelopmentAccount } from '../chain/embedded/accounts.ts'
import type { Rpc } from '../chain/rpc.ts'
import { RpcError } from '../chain/rpc-error.ts'
import type { JsonRpc } from '../http/dev-rpc.ts'
import type { Logger } from '../lib/logger.ts'

/** Methods that the chain answers itself. */
const READS = new Set([
  'eth_chainId',
  'net_version',
  'eth_getBalance',
  'eth_call',
  'eth_estimateGas',
  'eth_gasPrice',
  'eth_feeHistory',
  'eth_maxPriorityFeePerGas',
  'eth_blockNumber',
  'eth_getBlockByNumber',
  'eth_getTransactionReceipt',
  'eth_getTransactionByHash',
  'eth_getTransactionCount',
  'eth_getCode',
])

interface DevChain {
  readonly rpc: Rpc
  readonly rpcUrl: string
  /** They sign for whoever asks. */
  readonly accounts: readonly DevelopmentAccount[]
  readonly log: Logger
}

type Method = (params: readonly unknown[]) => Promise<unknown>

/** An error of EIP-1193 or JSON-RPC 2.0. */
class Refusal extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

/** JSON-RPC of the embedded chain that signs with the development accounts here, so that no key enters a page (EIP-1193). */
export function devJsonRpc(chain: DevChain): JsonRpc {
  const methods = signingMethods(chain)
  return async (request) => {
    const { id = null, method, params = [] } = (request ?? {}) as { id?: unknown; method?: unknown; params?: unknown }
    const respond = (outcome: object) => ({ jsonrpc: '2.0', id, ...outcome })
    try {
      if (Array.isArray(request) || typeof method !== 'string' || !Array.isArray(params)) {
        throw new Refusal(-32_600, 'send one request: {"jsonrpc":"2.0","id":1,"method":"…","params":[…]}, no batch')
      }
      const own = methods.get(method)
      if (own) return respond({ result: await own(params) })
      if (READS.has(method)) return respond({ result: await chain.rpc.call(method, params) })
      throw new Refusal(4200, `${method.slice(0, 100)} is not served here`)
    } catch (error) {
      return respond({ error: errorOf(error, chain.log) })
    }
  }
}

function errorOf(error: unknown, log: Logger): object {
  if (error instanceof Refusal) return { code: error.code, message: error.message }
  const rpc = nodeError(error)
  if (rpc) return rpc
  log.warn({ err: error }, 'a request to the development wallet failed')
  return { code: -32_603, message: error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : 'internal error' }
}

/** What the node said, with its revert data; viem wraps it several times. */
function nodeError(error: unknown): object | null {
  if (error instanceof RpcError && error.rpc) return error.rpc
  for (let one = error; one instanceof Error; one = one.cause) {
    const { code, data } = one as { code?: unknown; data?: unknown }
    const { details } = one as { details?: string }
    if (typeof code === 'number')
      return { code, message: details ?? one.message, ...(data === undefined ? {} : { data }) }
  }
  return null
}

function signingMethods({ accounts, rpcUrl }: DevChain): ReadonlyMap<string, Method> {
  const signers = new Map(accounts.map(({ address, privateKey }) => [address, privateKeyToAccount(privateKey)]))
  const clients = new Map(
    [...signers].map(([address, account]) => [
      address,
      createWalletClient({ account, transport: http(rpcUrl, { retryCount: 0 }) }),
    ]),
  )
  const sending = new Map<string, Promise<unknown>>()

  /** One after another: each takes the next nonce of its account. */
  function inTurn<T>(address: string, work: () => Promise<T>): Promise<T> {
    const done = (sending.get(address) ?? Promise.resolve()).then(work, work)
    sending.set(
      address,
      done.catch(() => {}),
    )
    return done
  }

  function clientOf(address: unknown) {
    const client = clients.get(signerOf(address).address.toLowerCase() as Hex)
    if (!client) throw new Error('a signer has no client')
    return client
  }

  function signerOf(address: unknown): PrivateKeyAccount {
    const account = signers.get(String(address).toLowerCase() as Hex)
    if (account) return account
    throw new Refusal(4100, `${String(address).slice(0, 100)} is none of the development accounts`)
  }

  const list: Method = async () => [...signers.values()].map(({ address }) => address)
  return new Map<string, Method>([
    ['eth_accounts', list],
    ['eth_requestAccounts', list],
    [
      'eth_sendTransaction',
      async ([sent]) => {
        const client = clientOf((sent as { from?: unknown } | null)?.from)
        const transaction = transactionOf(sent)
        return inTurn(client.account.address, () => client.sendTransaction({ ...transaction, chain: null } as never))
      },
    ],
    [
      'eth_signTransaction',
      async ([sent]) => {
        const client = clientOf((sent as { from?: unknown } | null)?.from)
        const prepared = await client.prepareTransactionRequest({ ...transactionOf(sent), chain: null } as never)
        return client.signTransaction(prepared as never)
      },
    ],
    [
      'personal_sign',
      async ([text, address]) => {
        const message = isHex(text) ? { raw: text } : String(text)
        return signerOf(address).signMessage({ message })
      },
    ],
    [
      'eth_signTypedData_v4',
      async ([address, typed]) => {
        const account = signerOf(address)
        const data = typeof typed === 'string' ? JSON.parse(typed) : typed
        if (data === null || typeof data !== 'object') throw new Refusal(-32_602, 'the typed data must be an object')
        return account.signTypedData(data as never)
      },
    ],
  ])
}

const QUANTITIES = ['value', 'gas', 'gasPrice', 'maxFeePerGas', 'maxPriorityFeePerGas', 'nonce'] as const

/** A transaction as EIP-1193 has it, with hex quantities; unknown fields are refused, never dropped. */
function transactionOf(sent: unknown): TransactionRequest {
  const { from: _from, to, data, input, chainId: _chain, type: _type, ...rest } = sent as Record<string, unknown>
  const unknown = Object.keys(rest).find((name) => !(QUANTITIES as readonly string[]).includes(name))
  if (unknown !== undefined) throw new Refusal(-32_602, `unknown field ${unknown} in the transaction`)
  const quantities = Object.entries(rest).flatMap(([name, value]) =>
    value === undefined || value === null ? [] : [[name, quantity(name, value)] as const],
  )
  const bytes = data ?? input
  return { ...(to ? { to } : {}), ...(bytes ? { data: bytes } : {}), ...Object.fromEntries(quantities) } as never
}

function quantity(name: string, value: unknown): bigint | number {
  if (!/^0x[0-9a-fA-F]+$/.test(String(value))) throw new Refusal(-32_602, `${name} must be a hex quantity such as 0x1`)
  return name === 'nonce' ? Number(value) : BigInt(String(value))
}
