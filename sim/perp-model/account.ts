/** What one trader holds in one pair. Source: perp-protocol 2.6. */
import { NO_POSITION, type Position } from './position.ts'
import { type Range, toInt24, toUint24 } from './range.ts'

export type Order = {
  /** Margin, WAD. */
  readonly balance: bigint
  /** Base, positive for a buy, WAD. */
  readonly size: bigint
}

/** `oids` and `rids` keep the contract's order: a removed key's place is taken by the last one. */
export type Account = {
  position: Position
  oids: number[]
  rids: number[]
  orders: Map<number, Order>
  ranges: Map<number, Range>
}

const UINT24 = 0x100_0000

export function emptyAccount(): Account {
  return { position: NO_POSITION, oids: [], rids: [], orders: new Map(), ranges: new Map() }
}

/** The storage key `uint24(tick) << 24 | nonce`. */
export function orderKey(tick: number, nonce: number): number {
  return toUint24(tick) * UINT24 + nonce
}

export function orderKeyParts(oid: number): { readonly tick: number; readonly nonce: number } {
  return { tick: toInt24(Math.floor(oid / UINT24)), nonce: oid % UINT24 }
}

/** The key of the trader's order at `tick`, of whatever generation. */
export function orderAt(account: Account, tick: number): number | undefined {
  return account.oids.find((oid) => orderKeyParts(oid).tick === tick)
}

export function addOrder(account: Account, oid: number, order: Order): void {
  account.oids.push(oid)
  account.orders.set(oid, order)
}

export function deleteOrder(account: Account, oid: number): void {
  dropKey(account.oids, oid)
  account.orders.delete(oid)
}

export function addRange(account: Account, rid: number, range: Range): void {
  account.rids.push(rid)
  account.ranges.set(rid, range)
}

export function deleteRange(account: Account, rid: number): void {
  dropKey(account.rids, rid)
  account.ranges.delete(rid)
}

function dropKey(keys: number[], key: number): void {
  const last = keys.pop()
  const hole = keys.indexOf(key)
  if (hole >= 0 && last !== undefined) keys[hole] = last
}
