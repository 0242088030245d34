interface Asked<Key, Value> {
  readonly key: Key
  readonly resolve: (value: Value) => void
  readonly reject: (error: unknown) => void
}

/** Lets those who ask in the same moment share one piece of work, which answers a value for each key in their order. */
export function gathered<Key, Value>(
  work: (keys: readonly Key[]) => Promise<readonly Value[]>,
): (key: Key) => Promise<Value> {
  let waiting: Asked<Key, Value>[] = []
  async function answerAll() {
    const asked = waiting
    waiting = []
    try {
      const values = await work(asked.map(({ key }) => key))
      for (const [nth, { resolve }] of asked.entries()) resolve(values[nth] as Value)
    } catch (error) {
      for (const { reject } of asked) reject(error)
    }
  }
  return (key) =>
    new Promise((resolve, reject) => {
      if (waiting.push({ key, resolve, reject }) === 1) process.nextTick(answerAll)
    })
}
