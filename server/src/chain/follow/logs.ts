import type { ChainLog, Hex } from '../types.ts'

export interface RawLog {
  readonly address: Hex
  readonly topics: readonly Hex[]
  readonly data: Hex
  readonly blockHash: Hex
  readonly transactionHash: Hex
  readonly transactionIndex: Hex
  readonly logIndex: Hex
}

/** A log with its block, as the node names it. */
export interface NodeLog extends ChainLog {
  readonly blockHash: Hex
}

/** A log with its place among all logs of its transaction. */
export interface FetchedLog extends ChainLog {
  readonly indexInTransaction: number
}

export const lower = (text: Hex): Hex => text.toLowerCase() as Hex

/**
 * Reads logs as they arrive, so that the node's answer is let go at once. Neighbours are mostly of one transaction: what is the
 * same text in both is the same string afterwards, which is hashed once however often it is looked up.
 */
export function readLogs(raws: readonly RawLog[]): NodeLog[] {
  const logs: NodeLog[] = []
  let last: NodeLog | undefined
  for (const raw of raws) {
    last = readLog(raw, last)
    logs.push(last)
  }
  return logs
}

const readLog = (raw: RawLog, last: NodeLog | undefined): NodeLog => ({
  address: sameOr(raw.address, last?.address),
  topics: raw.topics.map(lower),
  data: lower(raw.data),
  logIndex: Number(raw.logIndex),
  transactionIndex: Number(raw.transactionIndex),
  transactionHash: sameOr(raw.transactionHash, last?.transactionHash),
  blockHash: sameOr(raw.blockHash, last?.blockHash),
})

const sameOr = (text: Hex, last: Hex | undefined): Hex => (text === last ? last : lower(text))

/** Those of a transaction's logs that are of these contracts. `logs` are all that it made. */
export function ownLogsOf(logs: readonly NodeLog[], addresses: ReadonlySet<Hex>): FetchedLog[] {
  let first = Number.POSITIVE_INFINITY
  for (const { logIndex } of logs) first = Math.min(first, logIndex)
  return logs
    .filter(({ address }) => addresses.has(address))
    .map(({ address, topics, data, logIndex, transactionIndex, transactionHash }) => ({
      address,
      topics,
      data,
      logIndex,
      transactionIndex,
      transactionHash,
      indexInTransaction: logIndex - first,
    }))
}
