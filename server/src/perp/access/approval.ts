import { decodeFunctionData, encodeFunctionData, erc20Abi, maxUint256 } from 'viem'
import { contractAddress } from '../../chain/deployment.ts'
import type { Hex } from '../../chain/types.ts'
import { parseAmount, UINT256_MAX } from '../../lib/decimal.ts'
import type { PerpContext } from '../context.ts'
import type { QuoteToken } from '../listing/catalogue.ts'
import { callsAt, decoded, type NamedBlock, newestBlock } from '../listing/pair.ts'
import { limitToWad, quotesOf } from '../listing/quote.ts'

/** Gate is the one contract that users approve (perp-protocol 1.3). Lower-case. */
export const spenderOf = ({ venue }: Pick<PerpContext, 'venue'>): Hex =>
  contractAddress(venue.deployment, 'Gate').toLowerCase() as Hex

/** What an approval allows, in the token's own units: without limit unless told; 0 takes it back. Throws `amount_invalid`. */
export function allowedRaw(amount: string | number | undefined, { decimals }: QuoteToken): bigint {
  if (amount === undefined) return maxUint256
  if (/^0+(\.0*)?$/.test(String(amount))) return 0n
  return parseAmount(amount, { field: 'amount', decimals, max: UINT256_MAX })
}

/** `approve` of the token for Gate. */
export const approveData = (spender: Hex, amountRaw: bigint): Hex =>
  encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, amountRaw] })

/** What Gate may take of the token at the newest block, 18 decimals. Throws `perp_chain_unreachable`. */
export async function allowanceOf(
  context: PerpContext,
  user: Hex,
  token: QuoteToken,
): Promise<{ readonly block: NamedBlock; readonly allowanceWad: bigint }> {
  const { venue } = context
  const args = [user, spenderOf(context)] as const
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'allowance', args })
  const block = await newestBlock(venue)
  const [outcome] = await callsAt(venue, block, [{ to: token.address, data }])
  return { block, allowanceWad: limitToWad(decoded(erc20Abi, 'allowance', outcome), token) }
}

/** What a signed transaction calls, as far as an approval looks at it. */
interface SignedCall {
  readonly to: Hex
  readonly data: Hex
  readonly valueWei: bigint
}

/**
 * Why a signed transaction is no approval of Gate for a quote of the venue; null when it is one. Every byte of it counts: what
 * stands behind the arguments would be signed and not understood. Throws `perp_chain_unreachable`.
 */
export async function approvalProblem(
  context: PerpContext,
  { to, data, valueWei }: SignedCall,
): Promise<string | null> {
  const quotes = quotesOf(await context.instruments())
  if (!quotes.some(({ address }) => address === to)) {
    const known = quotes.map(({ symbol, address }) => `${symbol} (${address})`).join(', ')
    return `its target must be a quote token of this venue, ${known}, and is ${to}`
  }
  const approval = approvalIn(data)
  if (approval === null) return 'it must call approve(address,uint256), and nothing else'
  const gate = spenderOf(context)
  if (approval.spender !== gate) return `it must approve Gate (${gate}), and approves ${approval.spender}`
  return valueWei === 0n ? null : 'an approval takes no native coin, and it sends some'
}

function approvalIn(data: Hex): { readonly spender: Hex } | null {
  try {
    const { functionName, args } = decodeFunctionData({ abi: erc20Abi, data })
    if (functionName !== 'approve') return null
    const spender = args[0].toLowerCase() as Hex
    return approveData(spender, args[1]) === data.toLowerCase() ? { spender } : null
  } catch {
    return null
  }
}
