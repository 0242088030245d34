import { type Client, type ClientOptions, clientOf } from '../core/client.ts'
import { amountReader } from '../core/json.ts'
import { ERRORS } from './errors.ts'
import { DECIMALS } from './operations.ts'
import { perpHeaders } from './signer.ts'

export type PerpClientOptions = ClientOptions

/** A client of the perpetual API of one venue. */
export const createClient = (options: PerpClientOptions): Client<'perp'> =>
  clientOf({ name: 'perp', errors: ERRORS, successCode: 0, read: amountReader(DECIMALS), sign: perpHeaders }, options)
