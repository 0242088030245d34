/** Longer texts are worked out each time: whoever sends them must not fill the memory. */
const LONGEST = 512

/**
 * The same function of a text, which remembers what it gave for the last `most` texts or fewer: of what clients send, the same
 * few come over and over. What it gives is shared, so it must not be changed; what it throws is not remembered.
 */
export function remembered<T>(of: (text: string) => T, most: number): (text: string) => T {
  const known = new Map<string, T>()
  return (text) => {
    const before = known.get(text)
    if (before !== undefined) return before
    const value = of(text)
    if (text.length > LONGEST) return value
    if (known.size >= most) known.clear()
    known.set(text, value)
    return value
  }
}
