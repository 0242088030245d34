import type { Hex } from '../../chain/types.ts'

/** An account in a pair, as rows and events name it. */
interface Holder {
  readonly instrument: Hex
  readonly expiry: number | bigint
  readonly trader: Hex
}

const keyOf = ({ instrument, expiry, trader }: Holder): string => `${instrument} ${expiry} ${trader}`

/**
 * Sizes that accounts hold in pairs, WAD, positive where long: those of their positions before the blocks, and what executions have added since.
 * Positions themselves are ahead of some events: that of an account is empty before its `Settle` tells the price.
 */
export class HeldSizes {
  readonly #sizes = new Map<string, bigint>()

  add(holder: Holder, sizeWad: bigint): void {
    this.#sizes.set(keyOf(holder), this.of(holder) + sizeWad)
  }

  of(holder: Holder): bigint {
    return this.#sizes.get(keyOf(holder)) ?? 0n
  }
}
