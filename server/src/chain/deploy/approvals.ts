import { type Abi, erc20Abi } from 'viem'
import { cashierAbi } from '../abi/cashier.ts'
import { stockAbi } from '../abi/stock.ts'
import { readContracts } from '../read.ts'
import type { Rpc } from '../rpc.ts'
import type { Hex } from '../types.ts'
import type { Deployer } from './deployer.ts'

const UNLIMITED = 2n ** 256n - 1n
/** An allowance below this is given anew. */
const PLENTY = 2n ** 255n

/**
 * Lets Cashier take the cash that the settler delivers, and Stock its stock tokens, where they may not yet: for every token
 * that they deal in. Sent by the settler itself; repeating it sends nothing. Resolves to the tokens approved now.
 */
export async function approveSettlement(
  settler: Deployer,
  rpc: Rpc,
  { Stock: stock, Cashier: cashier }: Readonly<Record<string, Hex>>,
): Promise<readonly Hex[]> {
  if (!stock || !cashier) throw new Error('the deployment lacks Stock or Cashier')
  const cash = { address: cashier, abi: cashierAbi as Abi }
  const { results } = await readContracts(rpc, [
    { ...cash, functionName: 'getSupportedTokenList' },
    { address: stock, abi: stockAbi as Abi, functionName: 'tokenCount' },
  ])
  const [cashTokens, stockCount] = results as [Hex[], number]
  const wanted = [
    ...cashTokens.map((token) => ({ token, spender: cashier })),
    ...(await listedTokens(rpc, stock, stockCount)).map((token) => ({ token, spender: stock })),
  ]
  const reads = wanted.map(({ token, spender }) => ({
    ...{ address: token, abi: erc20Abi as Abi, functionName: 'allowance', args: [settler.address, spender] },
  }))
  const allowances = (await readContracts(rpc, reads)).results as bigint[]
  const missing = wanted.filter((_, index) => (allowances[index] as bigint) < PLENTY)
  for (const { token, spender } of missing) {
    await settler.call({ address: token, abi: erc20Abi as Abi }, 'approve', [spender, UNLIMITED])
  }
  await settler.finish()
  return missing.map(({ token }) => token)
}

/** The stock tokens of the exchange; their numbers begin at 1. */
async function listedTokens(rpc: Rpc, stock: Hex, count: number): Promise<readonly Hex[]> {
  const reads = Array.from({ length: count }, (_, index) => ({
    ...{ address: stock, abi: stockAbi as Abi, functionName: 'tokenAt', args: [index + 1] },
  }))
  return (await readContracts(rpc, reads)).results as Hex[]
}
