/**
 * The margin centre: wallets, free reserves, withdraw throttle. Amounts here are in the token's own decimals ("raw").
 * The functions change the ledger they are given. Source: perp-protocol 1.3, 3.14.
 */
import { require } from './revert.ts'
import { divUp, max, min } from './wad.ts'

type Pending = { timestamp: number; native: boolean; amount: bigint; exemption: bigint }

/** One trader's money in one quote token. */
export type Ledger = {
  wallet: bigint
  reserve: bigint
  fundFlow: { totalIn: bigint; totalOut: bigint }
  pending: Pending
}

export type Quote = {
  readonly symbol: string
  readonly decimals: number
  /** Net outflow a trader may withdraw at once: with 0 what was brought in comes out freely and profit waits. */
  threshold: bigint
  readonly ledgers: Map<string, Ledger>
}

const WAD_DECIMALS = 18

export function ledgerOf(quote: Quote, trader: string): Ledger {
  const known = quote.ledgers.get(trader)
  if (known) return known
  const ledger: Ledger = {
    wallet: 0n,
    reserve: 0n,
    fundFlow: { totalIn: 0n, totalOut: 0n },
    pending: { timestamp: 0, native: false, amount: 0n, exemption: 0n },
  }
  quote.ledgers.set(trader, ledger)
  return ledger
}

/** One raw unit in WAD. */
export function rawUnitWad(quote: Quote): bigint {
  return 10n ** BigInt(WAD_DECIMALS - quote.decimals)
}

/** Raw units that cover a WAD amount. */
export function toRawUp(quote: Quote, amountWad: bigint): bigint {
  return divUp(amountWad, rawUnitWad(quote))
}

/** Raw units that a WAD amount covers. */
export function toRawDown(quote: Quote, amountWad: bigint): bigint {
  return amountWad / rawUnitWad(quote)
}

/** Credits a trader's reserve from the wallet. Reverts `ERC20InsufficientBalance`, the token's own error. */
export function deposit(quote: Quote, trader: string, amountRaw: bigint): void {
  const ledger = ledgerOf(quote, trader)
  require(ledger.wallet >= amountRaw, 'ERC20InsufficientBalance', trader, ledger.wallet, amountRaw)
  ledger.wallet -= amountRaw
  ledger.reserve += amountRaw
  ledger.fundFlow.totalIn += amountRaw
}

/** Pays out of the reserve, or lets the amount wait where it exceeds the throttle. Reverts `InsufficientReserve`. */
export function withdraw(quote: Quote, trader: string, amountRaw: bigint, nowSec: number): void {
  const ledger = ledgerOf(quote, trader)
  require(ledger.reserve >= amountRaw, 'InsufficientReserve', amountRaw, ledger.reserve)
  ledger.reserve -= amountRaw
  const { fundFlow, pending } = ledger
  const outflow = fundFlow.totalOut - fundFlow.totalIn + pending.amount + amountRaw
  if (outflow <= quote.threshold + pending.exemption) {
    ledger.wallet += amountRaw
    fundFlow.totalOut += amountRaw
  } else {
    ledger.pending = { ...pending, timestamp: nowSec, native: false, amount: pending.amount + amountRaw }
  }
}

/**
 * Pays what has waited long enough. It counts as paid out and as exempt, so that it is not held against the trader a second
 * time. Reverts `PendingWithdrawNotMature`.
 */
export function release(quote: Quote, trader: string, pendingDurationSec: number, nowSec: number): void {
  const ledger = ledgerOf(quote, trader)
  const { timestamp, amount, exemption } = ledger.pending
  require(amount > 0n && nowSec >= timestamp + pendingDurationSec, 'PendingWithdrawNotMature')
  ledger.pending = { timestamp: 0, native: false, amount: 0n, exemption: exemption + amount }
  ledger.wallet += amount
  ledger.fundFlow.totalOut += amount
}

/** What a withdrawal would pay at once. */
export function maxWithdrawableNow(quote: Quote, trader: string): bigint {
  const { fundFlow, pending, reserve } = ledgerOf(quote, trader)
  const room = quote.threshold + pending.exemption - fundFlow.totalOut + fundFlow.totalIn - pending.amount
  return min(max(room, 0n), reserve)
}

/**
 * Gate to instrument: out of the reserve, and what is missing out of the wallet as if deposited. The Gate's allowance is
 * unlimited here, so that a wallet with too little reverts as the token does.
 */
export function scatter(quote: Quote, trader: string, amountRaw: bigint): void {
  const ledger = ledgerOf(quote, trader)
  const missing = max(0n, amountRaw - ledger.reserve)
  if (missing > 0n) deposit(quote, trader, missing)
  ledger.reserve -= amountRaw
}

/** Instrument to Gate: credits the reserve. */
export function gather(quote: Quote, trader: string, amountRaw: bigint): void {
  ledgerOf(quote, trader).reserve += amountRaw
}
