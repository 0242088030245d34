import { addressSchema } from '../../http/schemas.ts'
import { decimalReasons } from '../../lib/decimal.ts'
import { TOKEN_REASONS } from '../listing/catalogue.ts'

// What requests to move cash or stock between wallet and venue have in common.

/** Why a move is refused. */
export const MOVE_REASONS = [decimalReasons.amount_invalid, ...TOKEN_REASONS] as const

export const senderProperties = { userAddress: addressSchema('The wallet that will send the transaction.') }

export interface MoveFields {
  readonly tokenAddress: string
  readonly tokenAmount: string | number
}
