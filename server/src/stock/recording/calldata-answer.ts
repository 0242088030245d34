import type { Caller } from '../../http/caller.ts'
import type { Calldata } from '../calldata/calldata.ts'
import { calldataHash } from '../calldata-hash.ts'
import type { StockContext } from '../context.ts'
import { ROUTER } from '../examples.ts'
import { insertBuiltCalldata } from './claim-store.ts'

/**
 * The answer of every calldata operation (stock-api 2.0). For an unbound key it is remembered that the key built this
 * calldata: it may record only such transactions (design 7, "Recording").
 */
export async function answerCalldata(
  { venue, chainId, productType }: StockContext,
  caller: Caller,
  calldata: Calldata,
) {
  const { to, data, valueWei, method } = calldata
  if (caller.userAddress === null) {
    await insertBuiltCalldata(venue.sql, chainId, caller.keyId, calldataHash(to, valueWei, data))
  }
  return { chainId, productType, toAddress: to, value: valueWei.toString(), callData: data, method }
}

/** Such an answer for the reference; its calldata shows the function's selector alone. */
export const calldataExample = (
  { chainId, productType }: StockContext,
  method: Calldata['method'],
  selector = '0xc0c16b76',
) => ({ chainId, productType, toAddress: ROUTER, value: '0', callData: selector, method })
