interface Waiting<Key, Found> {
  readonly key: Key
  readonly resolve: (found: Found) => void
  readonly reject: (error: unknown) => void
}

/**
 * Lets those who look for something by a key share what they ask: alone one asks at once, and who comes while a look is under way goes
 * with the next one, so that nobody is told anything from before it asked. `look` gives what it finds in the order of its keys;
 * when it fails, all that it was for are told so.
 */
export function sharedLookUps<Key, Found>(
  look: (keys: readonly Key[]) => Promise<readonly Found[]>,
): (key: Key) => Promise<Found> {
  let waiting: Waiting<Key, Found>[] = []
  let isLooking = false
  async function lookForAll(): Promise<void> {
    isLooking = true
    while (waiting.length > 0) {
      const together = waiting
      waiting = []
      try {
        const found = await look(together.map(({ key }) => key))
        for (const [nth, { resolve }] of together.entries()) resolve(found[nth] as Found)
      } catch (error) {
        for (const { reject } of together) reject(error)
      }
    }
    isLooking = false
  }
  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject })
      if (!isLooking) void lookForAll()
    })
}
