/** What the endpoints record; on the wire stock moves are deposits and withdrawals too (stock-api 3.1). */
export type OperationType = 'trade' | 'deposit' | 'withdraw' | 'stock_deposit' | 'stock_withdraw'

/**
 * What a claim leads to. Beside what its endpoint records that is, for a trade, the order that the transaction cancels,
 * and the deposit that it makes in the same step.
 */
export type ClaimType = OperationType | 'cancel' | 'trade_deposit' | 'trade_stock_deposit'

/** The claims by which a key has an operation of an endpoint. */
export const CLAIM_TYPES: Readonly<Record<OperationType, readonly ClaimType[]>> = {
  trade: ['trade', 'cancel'],
  deposit: ['deposit', 'trade_deposit'],
  withdraw: ['withdraw'],
  stock_deposit: ['stock_deposit', 'trade_stock_deposit'],
  stock_withdraw: ['stock_withdraw'],
}

/** The deposits that a trade may make in the same step: a claim to one shows only once there is one. */
export const STEP_DEPOSITS = ['trade_deposit', 'trade_stock_deposit'] as const

/** The key and the kind of the mappings. */
export interface MappingScope {
  readonly chainId: number
  readonly apiKeyId: string
  readonly operationType: OperationType
}

export interface Page {
  readonly limit: number
  readonly offset: number
}

/** The caller's mappings of one kind. */
export const mappingScope = (
  { chainId }: { readonly chainId: number },
  { keyId }: { readonly keyId: string },
  operationType: OperationType,
): MappingScope => ({ chainId, apiKeyId: keyId, operationType })
