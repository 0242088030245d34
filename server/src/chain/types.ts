/** `0x`-prefixed hex, lower-case inside the venue (a checksum is made only for people). */
export type Hex = `0x${string}`

/** One log as the node reports it. */
export interface ChainLog {
  readonly address: Hex
  readonly topics: readonly Hex[]
  readonly data: Hex
  readonly logIndex: number
  readonly transactionIndex: number
  readonly transactionHash: Hex
}

/** A block header, with the transactions that touch the venue. */
export interface ChainBlock {
  readonly chainId: number
  readonly number: bigint
  readonly hash: Hex
  readonly parentHash: Hex
  readonly timestampSec: number
}

/** A transaction sent to, or logged by, one of the venue's contracts. */
export interface ChainTransaction {
  readonly hash: Hex
  readonly index: number
  readonly from: Hex
  readonly to: Hex | null
  readonly input: Hex
  readonly valueWei: bigint
  /** False when it was mined but reverted. */
  readonly succeeded: boolean
}

/** Where the venue's contracts are on one chain; `contracts/deployments/<chainId>.json`. */
export interface Deployment {
  readonly chainId: number
  readonly startBlock: bigint
  /** Contract name to address, e.g. `StockRouter`. */
  readonly contracts: Readonly<Record<string, Hex>>
  /** The code behind each upgradeable contract as it was deployed, by the contract's name; absent on a development chain. */
  readonly implementations?: Readonly<Record<string, Hex>>
}
