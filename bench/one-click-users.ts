import { type Abi, encodeFunctionData, erc20Abi, keccak256, toBytes, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { complianceAbi } from '../server/src/chain/abi/compliance.ts'
import { oneClickRouterAbi } from '../server/src/chain/abi/one-click-router.ts'
import { operatorPoolAbi } from '../server/src/chain/abi/operator-pool.ts'
import { stockRouterAbi } from '../server/src/chain/abi/stock-router.ts'
import { developmentAccounts } from '../server/src/chain/embedded/accounts.ts'
import type { Rpc, RpcCall } from '../server/src/chain/rpc.ts'
import type { Deployment, Hex } from '../server/src/chain/types.ts'
import { signPayload } from '../server/src/delegation/typed-data.ts'
import { sleep } from '../server/src/lib/clock.ts'

const GAS: Hex = toHex(2_000_000)
/** Wallets that one transaction approves within that gas. */
const APPROVED_AT_ONCE = 32
const BALANCE_WEI: Hex = toHex(10n ** 24n)
const USDC = 1_000_000n
/** Credited at once, so that an order can follow. */
const DEPOSIT_RAW = 50n * USDC
const DEADLINE_SEC = 4_000_000_000
const MINED_WITHIN_MS = 60_000

const TEST_TOKEN_ABI = [
  {
    type: 'function',
    name: 'mint',
    stateMutability: 'nonpayable',
    inputs: [{ type: 'address' }, { type: 'uint256' }],
    outputs: [],
  },
] as const

/** The contracts and the node of a development chain, whose accounts the node lets act without their keys. */
export interface DevelopmentChain {
  readonly rpc: Rpc
  readonly deployment: Omit<Deployment, 'startBlock'>
}

interface Act {
  readonly from: Hex
  readonly contract: string
  readonly abi: Abi
  readonly functionName: string
  readonly args: readonly unknown[]
}

/** The private key of the n-th account of a kind, the same in every run. */
const privateKeyOf = (kind: string, n: number): Hex => keccak256(toBytes(`bourse bench ${kind} ${n}`))

/**
 * Wallets that are approved at the venue, hold USDC which the router may take and a cash balance, and have delegated to
 * the pool by their own signature.
 */
export async function delegatedUsers(chain: DevelopmentChain, users: number): Promise<readonly Hex[]> {
  const { deployment } = chain
  const { OneClickRouter: router, OperatorPool: pool, StockRouter: stockRouter, USDC: usdc } = deployment.contracts
  if (!router || !pool || !stockRouter || !usdc) throw new Error('the deployment lacks One Click')
  const accounts = Array.from({ length: users }, (_, n) => privateKeyToAccount(privateKeyOf('user', n)))
  const addresses = accounts.map(({ address }) => address.toLowerCase() as Hex)
  const admin = developmentAccounts().admin.address
  const delegations = await Promise.all(
    accounts.map((account) => {
      const delegate = { user: account.address, delegatee: pool, nonce: 0n, deadlineSec: DEADLINE_SEC }
      const { message, ...payload } = signPayload({ chainId: deployment.chainId, router }, delegate)
      return account.signTypedData({ ...payload, message: { ...message, nonce: delegate.nonce } })
    }),
  )
  await act(chain, [grant(admin, 'Compliance', 'COMPLIANCE_MANAGER_ROLE', admin)])
  const approve = { from: admin, contract: 'Compliance', abi: complianceAbi, functionName: 'addUsers' }
  const groups = Array.from({ length: Math.ceil(users / APPROVED_AT_ONCE) }, (_, nth) =>
    addresses.slice(nth * APPROVED_AT_ONCE, (nth + 1) * APPROVED_AT_ONCE),
  )
  await act(
    chain,
    groups.map((group) => ({ ...approve, args: [group] })),
  )
  await act(
    chain,
    addresses.flatMap((from, n): Act[] => {
      const delegation = [from, pool, DEADLINE_SEC, delegations[n]]
      const deposit = [usdc, DEPOSIT_RAW]
      return [
        { from, contract: 'USDC', abi: TEST_TOKEN_ABI, functionName: 'mint', args: [from, 10n ** 15n] },
        { from, contract: 'USDC', abi: erc20Abi, functionName: 'approve', args: [stockRouter, 2n ** 255n] },
        { from, contract: 'StockRouter', abi: stockRouterAbi, functionName: 'deposit', args: deposit },
        { from, contract: 'OneClickRouter', abi: oneClickRouterAbi, functionName: 'delegateBySig', args: delegation },
      ]
    }),
  )
  return addresses
}

/** Private keys of accounts that are operators of the pool and can pay for many transactions. */
export async function poolSigners(chain: DevelopmentChain, signers: number): Promise<readonly Hex[]> {
  const keys = Array.from({ length: signers }, (_, n) => privateKeyOf('signer', n))
  const addresses = keys.map((key) => privateKeyToAccount(key).address.toLowerCase() as Hex)
  const admin = developmentAccounts().admin.address
  await chain.rpc.batch(addresses.map((address) => ({ method: 'anvil_setBalance', params: [address, BALANCE_WEI] })))
  await act(
    chain,
    addresses.map((address) => grant(admin, 'OperatorPool', 'OPERATOR_ROLE', address)),
  )
  return keys
}

const grant = (from: Hex, contract: 'Compliance' | 'OperatorPool', role: string, account: Hex): Act => ({
  from,
  contract,
  abi: contract === 'Compliance' ? complianceAbi : operatorPoolAbi,
  functionName: 'grantRole',
  args: [keccak256(toBytes(role)), account],
})

/** Sends calls and waits until all are mined; throws when one reverts. */
async function act({ rpc, deployment }: DevelopmentChain, acts: readonly Act[]): Promise<void> {
  const senders = [...new Set(acts.map(({ from }) => from))]
  await rpc.batch(
    senders.flatMap((from): RpcCall[] => [
      { method: 'anvil_setBalance', params: [from, BALANCE_WEI] },
      { method: 'anvil_impersonateAccount', params: [from] },
    ]),
  )
  const hashes: Hex[] = []
  for (const { from, contract, abi, functionName, args } of acts) {
    const data = encodeFunctionData({ abi, functionName, args })
    const transaction = { from, to: deployment.contracts[contract], data, gas: GAS }
    hashes.push(await rpc.call<Hex>('eth_sendTransaction', [transaction]))
  }
  const receipts = await untilMined(rpc, hashes)
  const failed = receipts.findIndex(({ status }) => status !== '0x1')
  if (failed >= 0) throw new Error(`${acts[failed]?.contract}.${acts[failed]?.functionName} reverted`)
}

interface Receipt {
  readonly status: Hex
}

async function untilMined(rpc: Rpc, hashes: readonly Hex[]): Promise<readonly Receipt[]> {
  const deadlineMs = Date.now() + MINED_WITHIN_MS
  for (;;) {
    const calls = hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] }))
    const receipts = (await rpc.batch<Receipt | null>(calls)).filter((receipt) => receipt !== null)
    if (receipts.length === hashes.length) return receipts
    if (Date.now() > deadlineMs) throw new Error(`${hashes.length - receipts.length} transactions are not mined`)
    await sleep(100)
  }
}
