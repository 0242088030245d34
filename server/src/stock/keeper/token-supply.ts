import type { Abi } from 'viem'
import { stockTokenAbi } from '../../chain/abi/stock-token.ts'
import { readContracts } from '../../chain/read.ts'
import type { Hex } from '../../chain/types.ts'
import type { Db } from '../../db/pool.ts'
import type { Venue } from '../../http/product.ts'
import { latestReading } from '../reconciliation/reading-store.ts'
import { listStockTokens } from '../store.ts'
import { signerOf } from './keeper-store.ts'
import type { SettlementMemory } from './settlement-failures.ts'
import { insertSettleIntent, SETTLE } from './settlement-intent.ts'

const INTERVAL_MS = 10_000

/**
 * Looks, now and then, what the settler holds of tokens for which nothing is under way: a failed batch has left it, and it is
 * burned, so that the supply follows the broker's position.
 */
export async function burnLeftovers(
  venue: Venue,
  memory: SettlementMemory,
  tokensUnderWay: ReadonlySet<Hex>,
): Promise<void> {
  const { sql, deployment, clock, rpc } = venue
  const { chainId } = deployment
  if (clock.nowMs() < memory.supplyDueMs) return
  const settler = await signerOf(sql, chainId, SETTLE)
  const tokens = (await listStockTokens(sql, chainId)).filter(({ token }) => !tokensUnderWay.has(token))
  if (settler === null || tokens.length === 0) return
  const { results } = await readContracts(
    rpc,
    tokens.map(({ token }) => ({
      ...{ address: token, abi: stockTokenAbi as Abi, functionName: 'balanceOf', args: [settler] },
    })),
  )
  for (const [index, { token }] of tokens.entries()) {
    const leftWad = results[index] as bigint
    if (leftWad > 0n) await insertSettleIntent(sql, venue, token, token, stockTokenAbi, 'burn', [leftWad])
  }
  memory.supplyDueMs = clock.nowMs() + INTERVAL_MS
}

/** One token's supply beside what was settled of it; tokens, 18 decimals. */
export interface SupplyComparison {
  readonly ticker: string
  /** Tokens in the hands of users and contracts: all but those of the settler. */
  readonly outstandingWad: bigint
  /** Tokens bought less sold at the broker for the venue's orders, and of them what the chain does not show as settled. */
  readonly brokerWad: bigint
  readonly openWad: bigint
  /** Outstanding less settled: 0 unless a token came into the world, or left it, without a settlement. */
  readonly differenceWad: bigint
  /** Shares that a token stands for, as the chain has it. */
  readonly sharesPerTokenWad: bigint
  readonly readAt: Date
}

/** Each token's supply, from the newest reading of the reconciliation, whose rule it is. */
export async function compareSupplies(db: Db, chainId: number): Promise<SupplyComparison[]> {
  const reading = await latestReading(db, chainId)
  if (reading === null) return []
  const find = (ticker: string, comparison: string) =>
    reading.lines.find((line) => line.subject === ticker && line.comparison === comparison)
  const supplies = reading.lines.filter(({ comparison }) => comparison === 'supply')
  return supplies.map(({ subject: ticker, chain, inFlight, difference }) => {
    const settlement = find(ticker, 'settlement')
    const amounts = (settlement?.inFlight ?? []).map(({ amount }) => amount)
    return {
      ...{ ticker, differenceWad: difference, readAt: reading.readAt },
      outstandingWad: (chain ?? 0n) - (inFlight.find(({ name }) => name === 'settler')?.amount ?? 0n),
      brokerWad: settlement?.broker ?? 0n,
      openWad: amounts.reduce((total, amount) => total + amount, 0n),
      sharesPerTokenWad: find(ticker, 'shares_per_token')?.chain ?? 0n,
    }
  })
}
