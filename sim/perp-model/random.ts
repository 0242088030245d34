/** A small seeded generator of pseudo-random integers (Mulberry32), the same on every machine. */
export type Random = {
  /** An integer from `low` to `high`, both included. */
  int(low: number, high: number): number
  /** True in `percent` of 100 draws. */
  chance(percent: number): boolean
  pick<T>(items: readonly T[]): T
  /** `amount` times a factor from `low` to `high`, both in thousandths. */
  scale(amount: bigint, low: number, high: number): bigint
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const word = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  const int = (low: number, high: number) => low + (word() % (high - low + 1))
  return {
    int,
    chance: (percent) => int(1, 100) <= percent,
    pick: (items) => {
      const item = items[int(0, items.length - 1)]
      if (item === undefined) throw new RangeError('nothing to pick from')
      return item
    },
    scale: (amount, low, high) => (amount * BigInt(int(low, high))) / 1000n,
  }
}
