import { accountOf, type Hex, requireChain, send, viem, type Wallet, waitMined } from './wallet.ts'

export interface Approval {
  /** The venue's. */
  readonly chainId: number
  readonly token: string
  readonly spender: string
  /** In the token's smallest unit. */
  readonly amount: bigint
}

/**
 * Lets a contract take tokens of the wallet; waits until that is mined. Where the token wants it, what was allowed before is taken back
 * first, by a signature of its own. Throws TransactionRefused, before anything is signed, where the wallet is on another chain.
 */
export async function approve(wallet: Wallet, approval: Approval): Promise<Hex> {
  await clearAllowance(wallet, approval)
  return setAllowance(wallet, approval)
}

/**
 * Takes back what is allowed already where the token refuses another amount over it, as USDT does; waits until that is mined. Tells
 * whether it was needed. It is only where the node finds that the approval itself would revert: every other token would cost its
 * user a signature and a fee for nothing.
 */
export async function clearAllowance(wallet: Wallet, approval: Approval): Promise<boolean> {
  await requireChain(wallet, approval.chainId)
  if (approval.amount === 0n || (await isTaken(wallet, approval)) || (await allowanceOf(wallet, approval)) === 0n) {
    return false
  }
  await setAllowance(wallet, { ...approval, amount: 0n })
  return true
}

/** `approve` by one signature, for a token that takes it as it is, as after `clearAllowance`. */
export async function setAllowance(wallet: Wallet, { chainId, token, spender, amount }: Approval): Promise<Hex> {
  await requireChain(wallet, chainId)
  const data = await approvalData(spender, amount)
  return waitMined(wallet, await send(wallet, { chainId, to: token as Hex, data, value: 0n }))
}

async function approvalData(spender: string, amount: bigint): Promise<Hex> {
  const { encodeFunctionData, erc20Abi } = await viem()
  return encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender as Hex, amount] })
}

/** Whether the token would take it as it is. */
async function isTaken(wallet: Wallet, { token, spender, amount }: Approval): Promise<boolean> {
  const { estimateGas } = await viem()
  const data = await approvalData(spender, amount)
  return estimateGas(wallet, { account: accountOf(wallet), to: token as Hex, data }).then(
    () => true,
    () => false,
  )
}

async function allowanceOf(wallet: Wallet, { token, spender }: Approval): Promise<bigint> {
  const { decodeFunctionResult, encodeFunctionData, erc20Abi } = await viem()
  const { address } = accountOf(wallet)
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'allowance', args: [address, spender as Hex] })
  const answer = await wallet.request({ method: 'eth_call', params: [{ to: token as Hex, data }, 'latest'] })
  return decodeFunctionResult({ abi: erc20Abi, functionName: 'allowance', data: answer })
}
