/** The end of a pair: every account is closed at one price and paid. Source: perp-protocol 3.13. */
import { type Account, emptyAccount } from './account.ts'
import { CONDITION, countClose, countSettlement, STATUS } from './amm.ts'
import { log, logFunding } from './events.ts'
import { accountOf, type Context, emptyPair, type Pair, payMargin } from './instrument.ts'
import { touch } from './lifecycle.ts'
import { closeRange } from './liquidity.ts'
import { absorbDeficit } from './losses.ts'
import { cancelOne } from './orders.ts'
import { combine, equity, fundingFee, type Position } from './position.ts'
import type { Range } from './range.ts'
import { require } from './revert.ts'
import { max } from './wad.ts'

/**
 * Closes all that `target` holds in a settled pair and pays it: ranges, then orders, then the position, all as one. Reverts
 * `BadInstrumentCondition`, `BadAmmStatus`, `PositionNotExist`.
 */
export function settle(context: Context, operator: string, target: string): void {
  const { pair, instrument } = context
  const { amm } = pair
  require(instrument.condition !== CONDITION.FROZEN, 'BadInstrumentCondition')
  if (instrument.condition === CONDITION.NORMAL && amm.status !== STATUS.DORMANT) touch(context)
  require(amm.status === STATUS.SETTLED, 'BadAmmStatus')

  const account = accountOf(pair, target)
  require(!isEmpty(account), 'PositionNotExist')
  let main = account.position
  const join = (produced: Position) => {
    const { position, closedSize, funding } = combine(amm, main, produced)
    countClose(amm, closedSize)
    logFunding(context, target, funding)
    main = position
  }
  for (const rid of [...account.rids]) {
    const range = account.ranges.get(rid) as Range
    join(closeRange(context, account, rid, range, { target, operator, tip: 0n }).pic)
  }
  for (const oid of [...account.oids]) join(endOrder(context, operator, target, oid))

  logFunding(context, target, fundingFee(amm, main))
  const worth = equity(amm, main, amm.settlementPrice)
  log(context, 'Settle', { trader: target, settlement: amm.settlementPrice, balance: max(0n, worth), operator })
  if (main.size !== 0n) countSettlement(amm, main.size)
  if (worth < 0n) absorbDeficit(pair, -worth, main.size > 0n, amm.settlementPrice)
  else payMargin(context, target, worth)
  pair.accounts.set(target, emptyAccount())
  closeIfCleared(context)
}

/** Logged as what it was at the end: taken whole, or not. */
function endOrder(context: Context, operator: string, target: string, oid: number): Position {
  const { tick, nonce, order, pic, fee } = cancelOne(context, target, oid)
  const ended = { trader: target, tick, nonce, fee, pic }
  if (pic.size === order.size) log(context, 'Fill', { ...ended, operator, tip: 0n })
  else log(context, 'Cancel', ended)
  return pic
}

function isEmpty({ position, oids, rids }: Account): boolean {
  return position.size === 0n && oids.length === 0 && rids.length === 0
}

/** Whether everybody has left a pair. */
export function isCleared({ accounts }: Pair): boolean {
  return [...accounts.values()].every(isEmpty)
}

/** Forgets a settled pair that nobody has anything in, once both funds are paid out. What rounding left stays. */
export function closeIfCleared(context: Context): void {
  const { instrument, pair } = context
  const { amm } = pair
  if (amm.status !== STATUS.SETTLED || amm.insuranceFund !== 0n || amm.protocolFee !== 0n || !isCleared(pair)) return
  log(context, 'DeleteContext', {})
  instrument.leftWad += amm.involvedFund
  instrument.pairs.set(amm.expiry, emptyPair(amm.expiry))
}
