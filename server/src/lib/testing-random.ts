export interface Random {
  /** A whole number from 0 to `count - 1`. */
  below(count: number): number
  pick<T>(items: readonly T[]): T
  /** A copy in another order. */
  shuffled<T>(items: readonly T[]): T[]
}

/** A seeded generator (mulberry32), so that a failing run can be repeated. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const below = (count: number) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * count)
  }
  const shuffled = <T>(items: readonly T[]): T[] => {
    const all = [...items]
    for (let last = all.length - 1; last > 0; last--) {
      const other = below(last + 1)
      ;[all[last], all[other]] = [all[other] as T, all[last] as T]
    }
    return all
  }
  return { below, shuffled, pick: (items) => items[below(items.length)] as (typeof items)[number] }
}
