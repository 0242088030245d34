import { RpcError } from './rpc-error.ts'

/**
 * The number of a JSON-RPC quantity. Throws `RpcError` for whatever else a node gave with an answer that calls itself good: `null`
 * above all, from nodes that stand behind or lack what was asked for.
 */
export function quantityOf(method: string, value: unknown): bigint {
  if (typeof value === 'string' && /^0x[0-9a-f]+$/i.test(value)) return BigInt(value)
  throw new RpcError('rpc_malformed', method, `the answer has ${JSON.stringify(value)} where a number belongs`)
}
