import { encodeFunctionData, erc20Abi, maxUint256, toHex } from 'viem'
import { contractAddress } from '../../chain/deployment.ts'
import { RpcError } from '../../chain/rpc-error.ts'
import type { Hex } from '../../chain/types.ts'
import type { Prepared } from '../actions/action.ts'
import type { PerpContext } from '../context.ts'
import { callsAt, decoded, PairRefused, type StateOverride, unreachable } from '../listing/pair.ts'

const UNLIMITED = toHex(maxUint256)

interface AccessList {
  readonly accessList: readonly { readonly address: Hex; readonly storageKeys: readonly Hex[] }[]
}

/**
 * The storage of the quote as it would be had the wallet approved Gate without limit. Where a token keeps its allowances is
 * its own affair: of the slots that `allowance` reads, the one counts that changes its answer. Null where none does, or where
 * the node does not tell. Throws `perp_chain_unreachable`.
 */
export async function allowanceOverride(
  { venue }: PerpContext,
  user: Hex,
  { pair, spending, block }: Prepared,
): Promise<StateOverride | null> {
  const token = pair?.instrument.quote.address ?? spending?.token
  if (token === undefined) return null
  const args = [user, contractAddress(venue.deployment, 'Gate')] as const
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'allowance', args })
  const [listed] = await venue.rpc.outcomes<AccessList>([
    { method: 'eth_createAccessList', params: [{ to: token, data }, toHex(block.height)] },
  ])
  if (!listed?.ok) {
    if (listed?.error instanceof RpcError && listed.error.rpc) return null
    throw unreachable(listed?.error)
  }
  const slots = listed.value.accessList.flatMap(({ address, storageKeys }) =>
    storageKeys.map((slot): StateOverride => ({ [address]: { stateDiff: { [slot]: UNLIMITED } } })),
  )
  for (const override of slots) {
    const [outcome] = await callsAt(venue, block, [{ to: token, data }], override)
    if (isUnlimited(outcome)) return override
  }
  return null
}

function isUnlimited(outcome: Parameters<typeof decoded>[2]): boolean {
  try {
    return decoded(erc20Abi, 'allowance', outcome) === maxUint256
  } catch (error) {
    if (error instanceof PairRefused) return false
    throw error
  }
}
