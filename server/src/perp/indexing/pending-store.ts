import type { ChainEvent } from '../../chain/follow/event-module.ts'
import type { ChainBlock, Hex } from '../../chain/types.ts'
import { asTable } from '../../db/named-rows.ts'
import type { Tx } from '../../db/pool.ts'

/** The sum of an account in a token that waits to be withdrawn (migration 131). */
interface Pending {
  readonly token: Hex
  readonly trader: Hex
  readonly amountRaw: bigint
  /** Unix second. */
  readonly sinceSec: number
}

const keyOf = ({ token, trader }: Pick<Pending, 'token' | 'trader'>): string => `${token} ${trader}`

/** Sums that a block changes. */
export class PendingChanges {
  readonly #block: ChainBlock
  readonly #recordedRaw: Map<string, bigint>
  readonly #changed = new Map<string, Pending>()

  private constructor(block: ChainBlock, recordedRaw: Map<string, bigint>) {
    this.#block = block
    this.#recordedRaw = recordedRaw
  }

  static async load(tx: Tx, block: ChainBlock, events: readonly ChainEvent[]): Promise<PendingChanges> {
    const traders = events.flatMap(({ name, args }) => (name === 'UpdatePending' ? [args.trader as Hex] : []))
    if (traders.length === 0) return new PendingChanges(block, new Map())
    const rows = await tx<Pick<Pending, 'token' | 'trader' | 'amountRaw'>[]>`
      select token, trader, amount_raw as "amountRaw" from perp_pending_withdrawals
      where chain_id = ${block.chainId} and trader = any(${traders as string[]})`
    return new PendingChanges(block, new Map(rows.map((row) => [keyOf(row), row.amountRaw])))
  }

  /** Returns by how much the sum grew, negative where it was released. */
  set(pending: Pending): bigint {
    const key = keyOf(pending)
    const beforeRaw = this.#changed.get(key)?.amountRaw ?? this.#recordedRaw.get(key) ?? 0n
    this.#changed.set(key, pending)
    return pending.amountRaw - beforeRaw
  }

  async write(tx: Tx): Promise<void> {
    if (this.#changed.size === 0) return
    const rows = [...this.#changed.values()].map(({ token, trader, amountRaw, sinceSec }) => ({
      ...{ chain_id: this.#block.chainId, token, trader, amount_raw: amountRaw, since_sec: sinceSec },
    }))
    await tx`
      insert into perp_pending_withdrawals (chain_id, token, trader, amount_raw, since_sec)
      select chain_id, token, trader, amount_raw, since_sec from ${asTable(tx, 'perp_pending_withdrawals', rows)}
      on conflict (chain_id, token, trader) do update
      set amount_raw = excluded.amount_raw, since_sec = excluded.since_sec`
  }
}
