import { erc20Abi } from 'viem'
import { cashierAbi } from '../../chain/abi/cashier.ts'
import type { Deployer } from '../../chain/deploy/deployer.ts'
import { contractRead, readContract, readContracts } from '../../chain/read.ts'
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
  const tokens = await readContract(rpc, contractRead({ address: cashier, abi: cashierAbi }, 'getSupportedTokenList'))
  const wanted = tokens.map((token) => ({ token, spender: cashier }))
  const reads = wanted.map(({ token, spender }) =>
    contractRead({ address: token, abi: erc20Abi }, 'allowance', settler.address, spender),
  )
  const allowances = await readContracts(rpc, reads)
  const missing = wanted.filter((_, index) => (allowances[index] as bigint) < PLENTY)
  for (const { token, spender } of missing) {
    await settler.call({ address: token, abi: erc20Abi }, 'approve', [spender, UNLIMITED])
  }
  await settler.finish()
  return missing.map(({ token }) => token)
}
