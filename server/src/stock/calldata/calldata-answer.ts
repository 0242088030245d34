import type { Caller } from '../../http/product.ts'
import type { StockContext } from '../context.ts'
import { insertBuiltCalldata } from '../recording/claim-store.ts'
import type { Calldata } from './calldata.ts'
import { calldataHash } from './calldata-hash.ts'

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
