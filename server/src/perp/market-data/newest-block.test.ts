import { beforeEach, describe, expect, it } from 'vitest'
import type { Hex } from '../../chain/types.ts'
import type { Sql } from '../../db/pool.ts'
import { AtBlock } from '../../http/product.ts'
import { answersAtNewest, ofNewestBlock, openNewestBlock } from './newest-block.ts'

let hash: Hex
let reads: string[]
const block = { height: 7n, timestampSec: 1_764_000_000n }
const newest = async () => ({ ...block, hash })

beforeEach(() => {
  hash = '0x01'
  reads = []
})

const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('the newest block', () => {
  /** Tells of every statement how many had asked when it began, and answers with that as the height. */
  const asking = () => {
    let asked = 0
    const sql = (async () => [{ ...block, height: BigInt(asked), hash }]) as unknown as Sql
    const ask = openNewestBlock({ sql, deployment: { chainId: 1, contracts: {}, startBlock: 0n } })
    return async () => {
      const nth = ++asked
      const { height } = await ask()
      // Whoever asked after the statement began must not be told of it.
      expect(height).toBeGreaterThanOrEqual(BigInt(nth))
      return height
    }
  }

  it('is asked for once by those of one turn, and of the turns after it while more come', async () => {
    const ask = asking()
    const first = [ask(), ask()]
    await turn()
    const second = ask()
    expect(await Promise.all([...first, second])).toEqual([3n, 3n, 3n])
  })

  it('is asked for though more come in every turn', async () => {
    const ask = asking()
    const all: Promise<bigint>[] = []
    for (let n = 0; n < 50; n++) {
      all.push(ask())
      await turn()
    }
    const heights = await Promise.all(all)
    expect(heights[0]).toBeLessThan(20n)
    expect(new Set(heights).size).toBeGreaterThan(1)
  })
})

describe('an answer', () => {
  const asking = () => {
    const atNewest = answersAtNewest(newest)
    return async (key: string, value: unknown = key) => {
      const { data } = await atNewest(key, async () => {
        reads.push(key)
        return new AtBlock(block, value)
      })
      return JSON.parse(data.text)
    }
  }

  it('is read once a block and key, by those who ask together too', async () => {
    const ask = asking()
    expect(await Promise.all([ask('a'), ask('a'), ask('b')])).toEqual(['a', 'a', 'b'])
    expect(await ask('a', 'changed')).toBe('a')
    expect(reads).toEqual(['a', 'b'])
  })

  it('is read anew of another block, at the same height too', async () => {
    const ask = asking()
    await ask('a', 1)
    hash = '0x02'
    expect(await ask('a', 2)).toBe(2)
    hash = '0x01'
    expect(await ask('a', 3)).toBe(3)
  })

  it('is not kept beyond the limit of a block', async () => {
    const ask = asking()
    const long = 'x'.repeat(16_000_000)
    await ask('long', long)
    await ask('a')
    await ask('a')
    expect(reads).toEqual(['long', 'a', 'a'])
    hash = '0x02'
    await ask('a')
    await ask('a')
    expect(reads).toEqual(['long', 'a', 'a', 'a'])
  })

  it('that fails is asked for again', async () => {
    const atNewest = answersAtNewest(newest)
    const failing = async () => Promise.reject(new Error('gone'))
    await expect(atNewest('a', failing)).rejects.toThrow('gone')
    expect((await atNewest('a', async () => new AtBlock(block, 1))).data.text).toBe('1')
  })
})

describe('a reading of the newest block', () => {
  it('is made once a block, and again after a failure', async () => {
    let fails = true
    const read = ofNewestBlock(newest, async ({ hash: of }) => {
      reads.push(of)
      if (fails) throw new Error('gone')
      return of
    })
    await expect(read()).rejects.toThrow('gone')
    fails = false
    expect([await read(), await read()]).toEqual(['0x01', '0x01'])
    hash = '0x02'
    expect(await read()).toBe('0x02')
    expect(reads).toEqual(['0x01', '0x01', '0x02'])
  })
})
