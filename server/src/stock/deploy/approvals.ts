import { type Abi, erc20Abi } from 'viem'
import { cashierAbi } from '../../chain/abi/cashier.ts'
import type { Deployer } from '../../chain/deploy/deployer.ts'
import { readContracts } from '../../chain/read.ts'
import type { Rpc } from '../../chain/rpc.ts'
import type { Hex } from '../../chain/types.ts'

const UNLIMITED = 2n ** 256n - 1n
/** An allowance below this is given anew. */
const PLENTY = 2n ** 255n

/**
 * Lets Cashier take the cash that the settler delivers where it may not yet: every cash token. Sent by the settler itself; repeating it sends nothing. Resolves to the tokens approved now.
 */
export async function approveSettlement(
  settler: Deployer,
  rpc: Rpc,
  { Cashier: cashier }: Readonly<Record<string, Hex>>,
): Promise<readonly Hex[]> {
  if (!cashier) throw new Error('the deployment lacks Cashier')
  const cash = { address: cashier, abi: cashierAbi as Abi }
  const { results } = await readContracts(rpc, [{ ...cash, functionName: 'getSupportedTokenList' }])
  const wanted = (results[0] as Hex[]).map((token) => ({ token, spender: cashier }))
  const reads = wanted.map(({ token, spender }) => ({
    address: token,
    abi: erc20Abi as Abi,
    functionName: 'allowance',
    args: [settler.address, spender],
  }))
  const allowances = (await readContracts(rpc, reads)).results as bigint[]
  const missing = wanted.filter((_, index) => (allowances[index] as bigint) < PLENTY)
  for (const { token, spender } of missing) {
    await settler.call({ address: token, abi: erc20Abi as Abi }, 'approve', [spender, UNLIMITED])
  }
  await settler.finish()
  return missing.map(({ token }) => token)
}
