// Values of the references' examples that operations of every product show: the same thing has the same value in all.

export const WALLET = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
export const TX_HASH = '0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b'
/** Unix seconds: when something was asked for, when it was settled, and a deadline far away. */
export const CREATED_AT = 1_700_000_000
export const SETTLED_AT = 1_700_000_004
export const DEADLINE = 4_000_000_000
