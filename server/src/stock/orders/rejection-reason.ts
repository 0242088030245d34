/** `reasonCode` of an order's end on chain (`Stock.rejectMarketOrders`, `settleCancels`); 0 is an order that ended otherwise. */
export const REJECTION_CODE = {
  rejected: 1,
  canceled: 2,
  expired: 3,
  /** A reorganisation put another order of the user under an id that the broker already had. */
  replaced: 4,
  /** What is left of the quantity is finer than the broker trades. */
  tooFine: 5,
  /** Given by the contract itself (`IStock.OrderClosed`): a fill that came too late has closed the order. */
  tooLate: 65_534,
  /** The same: a buy of a wallet that has lost its approval. */
  notApproved: 65_535,
} as const

const TEXT: Readonly<Record<number, string>> = {
  [REJECTION_CODE.rejected]: 'the broker rejected the order',
  [REJECTION_CODE.canceled]: 'the broker ended the order before it was filled',
  [REJECTION_CODE.expired]: 'the order expired before it was filled',
  [REJECTION_CODE.replaced]: 'a reorganisation of the chain changed the order after the broker had it; place it again',
  [REJECTION_CODE.tooFine]: 'the rest of the quantity is finer than the broker trades',
  [REJECTION_CODE.tooLate]: 'it could not be settled in time',
  [REJECTION_CODE.notApproved]: 'the wallet is no longer approved, so nothing is bought for it',
}

/** What a rejection's code says to people; null when the order was not rejected. */
export const rejectionText = (reasonCode: number): string | null => TEXT[reasonCode] ?? null
