import { type Client, type ClientOptions, clientOf } from '../core/client.ts'
import { amountReader } from '../core/json.ts'
import { ERRORS } from './errors.ts'
import { DECIMALS } from './operations.ts'
import { KEY_READ, stockHeaders } from './signer.ts'

export interface StockClientOptions extends ClientOptions {
  /** The venue's name for the product, exactly. */
  readonly productType: string
}

/** A client of the stock API of one venue. */
export function createClient({ productType, ...options }: StockClientOptions): Client<'stock'> {
  const product = {
    name: 'stock' as const,
    errors: ERRORS,
    successCode: 200,
    read: amountReader(DECIMALS),
    keyRead: KEY_READ,
    sign: (client: Client, request: { method: string; uri: string; body: string }) =>
      stockHeaders(client, productType, request),
  }
  return clientOf(product, options)
}
