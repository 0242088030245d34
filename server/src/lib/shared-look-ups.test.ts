import { describe, expect, it } from 'vitest'
import { sharedLookUps } from './shared-look-ups.ts'

/** A look that ends when the test says so. */
function openLooks() {
  const looks: { keys: readonly string[]; end: (found: readonly string[]) => void; fail: (error: Error) => void }[] = []
  const find = sharedLookUps<string, string>((keys) => new Promise((end, fail) => looks.push({ keys, end, fail })))
  const endLook = async (nth: number) => {
    await expect.poll(() => looks.length).toBeGreaterThan(nth)
    looks[nth]?.end(looks[nth].keys.map((key) => key.toUpperCase()))
  }
  return { looks, find, endLook }
}

describe('look-ups that come at the same time', () => {
  it('share one look, which begins after they asked, and each is told its own', async () => {
    const { looks, find, endLook } = openLooks()
    const first = find('a')
    const others = ['b', 'c', 'b'].map(find)
    expect(looks.map(({ keys }) => keys)).toEqual([['a']])
    await endLook(0)
    expect(await first).toBe('A')
    await endLook(1)
    expect(await Promise.all(others)).toEqual(['B', 'C', 'B'])
    expect(looks.map(({ keys }) => keys)).toEqual([['a'], ['b', 'c', 'b']])
  })

  it('are told of a look that fails, and the next ones are looked for again', async () => {
    const { looks, find, endLook } = openLooks()
    const failed = find('a')
    const later = find('b')
    looks[0]?.fail(new Error('the database is away'))
    await expect(failed).rejects.toThrow('the database is away')
    await endLook(1)
    expect(await later).toBe('B')
    const again = find('a')
    await endLook(2)
    expect(await again).toBe('A')
  })
})
