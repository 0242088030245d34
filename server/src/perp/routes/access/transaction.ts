import Type from 'typebox'
import type { Hex } from '../../../chain/types.ts'
import type { UnsignedTransaction } from '../../sending/own-transaction.ts'

/** A transaction for the wallet to sign (perp-api 2A.0). */
export const transactionSchema = Type.Object({
  chainId: Type.Integer(),
  from: Type.String({ description: 'The wallet of the API key.' }),
  to: Type.String(),
  value: Type.String({ description: 'Wei.' }),
  data: Type.String(),
  gas: Type.String({ description: 'Gas limit, as decimal text.' }),
  nonce: Type.Integer({ description: 'The wallet’s next one, pending transactions counted.' }),
})

const EXAMPLE_TOKEN = '0x5fbdb2315678afecb367f032d93f642f64180aa3'

export const transactionExample = (
  chainId: number,
  from: Hex,
  data: Hex,
  to: Hex = EXAMPLE_TOKEN,
): UnsignedTransaction => ({
  chainId,
  from,
  to,
  value: '0',
  data,
  gas: '69000',
  nonce: 0,
})
