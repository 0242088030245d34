import { erc20Abi } from 'viem'
import { cashierAbi } from '../../chain/abi/cashier.ts'
import { contractAddress } from '../../chain/deployment.ts'
import { contractRead, readContracts } from '../../chain/read.ts'
import { signersFor } from '../../chain/send/status.ts'
import type { Hex } from '../../chain/types.ts'
import type { Venue } from '../../http/product.ts'
import { WAD_DECIMALS } from '../../lib/wad.ts'
import { type CashTokenRow, listCashTokens } from '../store.ts'
import { SETTLE } from './settlement-intent.ts'

const RATE_DECIMALS = 6
/** Above the notional of a batch: its third-party fees go the same way. */
const MARGIN_PERCENT = 106n

/** A cash token with what there is of it on the side that pays: the Cashier's free cash, or the settler's balance. */
export interface CashSource {
  readonly token: Hex
  readonly availableRaw: bigint
  readonly usdRateE6: bigint
  readonly decimals: number
  /** A token whose deposits are paused (it may have lost its peg) pays the Cashier nothing, and is the last it pays in. */
  readonly paused: boolean
}

/**
 * The token in which a batch is settled: the first that covers it, else the one of which there is most. Null while there is
 * no cash token, or no relayer with a settle signer is known.
 */
export async function settlementCash(venue: Venue, netNotionalWad: bigint): Promise<Hex | null> {
  const { sql, deployment } = venue
  const tokens = await listCashTokens(sql, deployment.chainId)
  const [settler] = await signersFor(sql, deployment.chainId, SETTLE)
  const [only] = tokens
  if (!only || settler === undefined) return null
  if (tokens.length === 1) return only.token
  const available = await availableOf(venue, tokens, netNotionalWad >= 0n ? null : settler)
  const sources = tokens.map(({ token, usdRateE6, decimals, depositPaused }, index) => ({
    token,
    availableRaw: available[index] ?? 0n,
    usdRateE6,
    decimals,
    paused: depositPaused,
  }))
  return chooseCash(sources, netNotionalWad)?.token ?? null
}

/** The source for a batch of this worth; null without any. */
export function chooseCash(sources: readonly CashSource[], netNotionalWad: bigint): CashSource | null {
  const neededWad = ((netNotionalWad < 0n ? -netNotionalWad : netNotionalWad) * MARGIN_PERCENT) / 100n
  const unpaused = sources.filter(({ paused }) => !paused)
  // With none to pay in the contract refuses the batch, and its orders go alone: buys still settle.
  const usable = netNotionalWad < 0n && unpaused.length > 0 ? unpaused : sources
  const inOrder = usable.toSorted((a, b) => Number(a.paused) - Number(b.paused))
  const covering = inOrder.find((source) => worthWad(source) >= neededWad)
  if (covering) return covering
  return inOrder.reduce<CashSource | null>((most, one) => (most && worthWad(most) >= worthWad(one) ? most : one), null)
}

const worthWad = ({ availableRaw, usdRateE6, decimals }: CashSource): bigint =>
  (availableRaw * usdRateE6 * 10n ** BigInt(WAD_DECIMALS - decimals)) / 10n ** BigInt(RATE_DECIMALS)

/** What `holder` has of each token; of the Cashier (null) what no queued deposit reserves. */
async function availableOf(
  { rpc, deployment }: Venue,
  tokens: readonly CashTokenRow[],
  holder: Hex | null,
): Promise<bigint[]> {
  const cashier = { address: contractAddress(deployment, 'Cashier'), abi: cashierAbi }
  const reads = tokens.map(({ token }) =>
    holder === null
      ? contractRead(cashier, 'freeCash', token)
      : contractRead({ address: token, abi: erc20Abi }, 'balanceOf', holder),
  )
  return await readContracts(rpc, reads)
}
