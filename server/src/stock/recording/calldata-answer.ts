import type { BlockRef } from '../../chain/follow/store.ts'
import type { Rpc } from '../../chain/rpc.ts'
import type { Hex } from '../../chain/types.ts'
import type { Caller } from '../../http/caller.ts'
import type { Calldata } from '../calldata/calldata.ts'
import { calldataHash } from '../calldata-hash.ts'
import type { StockContext } from '../context.ts'
import { ROUTER } from '../examples.ts'
import { insertBuiltCalldata } from './claim-store.ts'

/**
 * The answer of every calldata operation (stock-api 2.0). For an unbound key it is remembered that the key built this
 * calldata, and behind which block: it may record only such transactions.
 */
export function answerCalldata(context: StockContext, caller: Caller, calldata: Calldata) {
  const { chainId, productType } = context
  const { to, data, valueWei, method } = calldata
  const answer = { chainId, productType, toAddress: to, value: valueWei.toString(), callData: data, method }
  return caller.userAddress === null ? remember(context, caller, calldata).then(() => answer) : answer
}

async function remember(
  { venue, chainId }: StockContext,
  { keyId }: Caller,
  { to, data, valueWei }: Calldata,
): Promise<void> {
  const head = await newestBlock(venue.rpc)
  await insertBuiltCalldata(venue.sql, chainId, keyId, calldataHash(to, valueWei, data), head)
}

/** A node that is slower says nothing: then the newest indexed block counts. */
const TIMEOUT_MS = 2000

/** The node's newest block, behind which is whatever is built now; null when the node does not say. */
async function newestBlock(rpc: Rpc): Promise<BlockRef | null> {
  try {
    const options = { timeoutMs: TIMEOUT_MS }
    const block = await rpc.call<{ number: Hex; hash: Hex }>('eth_getBlockByNumber', ['latest', false], options)
    return { number: BigInt(block.number), hash: block.hash }
  } catch {
    return null
  }
}

/** Such an answer for the reference; its calldata shows the function's selector alone. */
export const calldataExample = (
  { chainId, productType }: StockContext,
  method: Calldata['method'],
  selector = '0xc0c16b76',
) => ({ chainId, productType, toAddress: ROUTER, value: '0', callData: selector, method })
