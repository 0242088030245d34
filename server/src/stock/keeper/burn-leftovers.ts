import type { Abi } from 'viem'
import { stockTokenAbi } from '../../chain/abi/stock-token.ts'
import { readContracts } from '../../chain/read.ts'
import type { Hex } from '../../chain/types.ts'
import type { Venue } from '../../http/product.ts'
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
  if (clock.nowMs() < memory.leftoversDueMs) return
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
  memory.leftoversDueMs = clock.nowMs() + INTERVAL_MS
}
