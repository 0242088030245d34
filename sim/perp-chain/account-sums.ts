/**
 * What an account has in a pair, twice: as the contracts have it, and as the sum of the server's rows. Money is counted at cost: a
 * position is its balance, less what a long paid for its size, and what a short received for it.
 */
import { decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import type { Sql } from '../../server/src/db/pool.ts'
import { PERP_EXPIRY } from '../perp-model/amm.ts'
import { DATED_EXPIRY } from '../perp-model/markets.ts'
import type { Chain } from './chain.ts'
import type { Deployment } from './deploy.ts'
import { readMany } from './many-reads.ts'

/** Money (WAD), and size (WAD, positive is long). */
export interface Held {
  readonly cash: bigint
  readonly size: bigint
}

/** One change that a row tells of. */
export interface Flow extends Held {
  readonly place: string
  readonly txHash: Hex
  readonly what: string
  /** How much the pair may have kept of it by rounding (WAD): it transfers whole units of the token, in its own favour. */
  readonly mostKept: bigint
}

type Portfolio = {
  readonly position: { readonly balance: bigint; readonly size: bigint; readonly entryNotional: bigint }
  readonly orders: readonly { readonly balance: bigint }[]
}

export const placeOf = (trader: string, instrument: string, expiry: bigint | number): string =>
  `${trader.toLowerCase()} ${instrument.toLowerCase()} ${expiry}`

const atCost = (size: bigint, notional: bigint): bigint => (size < 0n ? notional : -notional)

/** Positions and margin of open orders, by place. What ranges hold is left out: a row tells of it when they end. */
export async function heldOnChain(
  chain: Chain,
  { observer, manyReads, instruments }: Deployment,
  accounts: readonly string[],
): Promise<Map<string, Held>> {
  const places = instruments.flatMap(({ address }) =>
    [PERP_EXPIRY, DATED_EXPIRY].flatMap((expiry) => accounts.map((account) => ({ address, expiry, account }))),
  )
  const name = 'getPortfolio'
  const calls = places.map(({ address, expiry, account }) => ({
    to: observer.address,
    data: encodeFunctionData({ abi: observer.abi, functionName: name, args: [address, expiry, account] }),
  }))
  const answers = await readMany(chain, manyReads, calls)
  const held = places.map(({ address, expiry, account }, index) => {
    const data = answers[index] as Hex
    const [portfolio] = decodeFunctionResult({ abi: observer.abi, functionName: name, data }) as [Portfolio]
    return [placeOf(account, address, expiry), heldIn(portfolio)] as const
  })
  return new Map(held)
}

function heldIn({ position, orders }: Portfolio): Held {
  const margin = orders.reduce((sum, { balance }) => sum + balance, 0n)
  return { cash: margin + position.balance + atCost(position.size, position.entryNotional), size: position.size }
}

interface Row {
  readonly tx_hash: Hex
  readonly trader: string
  readonly instrument: string
  readonly expiry: bigint
  readonly kind: string
  readonly amount: bigint
  readonly size: bigint
}

/**
 * Every row that changes what accounts have in pairs. The margin of a range leaves with `add`; what comes back with `remove` has the
 * fee in it and the tip taken off, which have rows of their own.
 */
export async function flowsOf(sql: Sql, unitOf: (instrument: string) => bigint): Promise<readonly Flow[]> {
  const rows = await sql<Row[]>`
    select tx_hash, trader, instrument, expiry, kind,
      coalesce(amount_wad, amount_raw) as amount, 0::numeric as size
    from perp_ledger where instrument is not null
    union all
    select tx_hash, trader, instrument, expiry, 'execution', notional_wad, size_wad from perp_executions
    union all
    select tx_hash, trader, instrument, expiry, kind,
      case kind when 'add' then -amount_wad else amount_wad - fee_wad + tip_wad end, 0
    from perp_liquidity_events`
  return rows.map((row) => flowOf(row, unitOf(row.instrument)))
}

function flowOf(row: Row, unit: bigint): Flow {
  const { kind: what, size, tx_hash: txHash } = row
  const { cash, mostKept } = moneyOf(row, unit)
  return { place: placeOf(row.trader, row.instrument, row.expiry), txHash, what, mostKept, cash, size }
}

function moneyOf({ kind, amount, size }: Row, unit: bigint): Pick<Flow, 'cash' | 'mostKept'> {
  if (kind === 'scatter') return { cash: amount * unit, mostKept: unit - 1n }
  if (kind === 'gather') return { cash: -amount * unit, mostKept: unit - 1n }
  return { cash: kind === 'execution' ? atCost(size, amount) : amount, mostKept: 0n }
}
