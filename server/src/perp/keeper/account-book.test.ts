import { describe, expect, it } from 'vitest'
import type { Rpc } from '../../chain/rpc.ts'
import type { Hex } from '../../chain/types.ts'
import { AccountBook } from './account-book.ts'

const INSTRUMENT: Hex = `0x${'a1'.repeat(20)}`
const EXPIRY = 4_294_967_295
const START = 10n
const RANGE = 100
const account = (n: number): Hex => `0x${n.toString(16).padStart(40, '0')}`
const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`

/** A chain that says which account has an event in which block. */
class Chain {
  readonly events = new Map<number, Hex>()
  readonly asked: [from: number, to: number][] = []
  fork = 0

  readonly rpc = {
    call: async (method: string, params: readonly unknown[]) => {
      if (method === 'eth_getBlockByNumber') return { hash: `${params[0]}:${this.fork}` }
      const { fromBlock, toBlock } = params[0] as { fromBlock: Hex; toBlock: Hex }
      this.asked.push([Number(fromBlock), Number(toBlock)])
      const within = [...this.events].filter(([block]) => block >= Number(fromBlock) && block <= Number(toBlock))
      return within.map(([block, trader]) => ({
        address: INSTRUMENT,
        blockNumber: `0x${block.toString(16)}`,
        topics: ['0x', word(BigInt(EXPIRY)), word(BigInt(trader))],
      }))
    },
  } as unknown as Rpc
}

const holders = (book: AccountBook) => [...book.holders(INSTRUMENT, EXPIRY)].sort()

describe('the book of accounts', () => {
  it('reads every block once, in ranges that a node answers', async () => {
    const chain = new Chain()
    chain.events.set(10, account(1)).set(250, account(2)).set(251, account(3))
    const book = new AccountBook(chain.rpc, START, RANGE)
    book.begin(null)
    await book.follow([INSTRUMENT], 250n)
    expect(holders(book)).toEqual([account(1), account(2)])
    await book.follow([INSTRUMENT], 252n)
    expect(holders(book)).toEqual([account(1), account(2), account(3)])
    expect(chain.asked).toEqual([
      [10, 109],
      [110, 209],
      [210, 250],
      [251, 252],
    ])
  })

  it('begins with what the tables say, and reads the old blocks bit by bit as well', async () => {
    const chain = new Chain()
    // Recorded by nobody, long ago.
    chain.events.set(50, account(9)).set(9990, account(2))
    const book = new AccountBook(chain.rpc, START, RANGE)
    const recorded = { instrument: INSTRUMENT, expiry: EXPIRY, account: account(1) }
    book.begin({ block: 9000n, holders: [recorded] })
    await book.follow([INSTRUMENT], 10_000n)
    expect(holders(book)).toEqual([account(1), account(2), account(9)])
    const oldest = () => Math.max(...chain.asked.filter(([from]) => from < 7000).map(([, to]) => to))
    for (let block = 10_001n; oldest() < 7000 && block < 10_100n; block++) await book.follow([INSTRUMENT], block)
    expect(oldest()).toBe(7000)
    const before = chain.asked.length
    await book.follow([INSTRUMENT], 10_050n)
    expect(chain.asked).toHaveLength(before + 1)
  })

  it('leaves out who holds nothing until its next event', async () => {
    const chain = new Chain()
    chain.events.set(20, account(1))
    const book = new AccountBook(chain.rpc, START, RANGE)
    book.begin(null)
    await book.follow([INSTRUMENT], 30n)
    book.leave(INSTRUMENT, EXPIRY, account(1), 30n)
    await book.follow([INSTRUMENT], 31n)
    expect(holders(book)).toEqual([])
    chain.events.set(32, account(1))
    await book.follow([INSTRUMENT], 32n)
    expect(holders(book)).toEqual([account(1)])
  })

  it('looks again at everybody, and at all late blocks, when the chain has lost the one that it read to', async () => {
    const chain = new Chain()
    chain.events.set(20, account(1))
    const book = new AccountBook(chain.rpc, START, RANGE)
    book.begin(null)
    await book.follow([INSTRUMENT], 30n)
    book.leave(INSTRUMENT, EXPIRY, account(1), 30n)
    // What emptied the account is gone, and another account came in a block that was read.
    chain.fork = 1
    chain.events.set(29, account(2))
    await book.follow([INSTRUMENT], 31n)
    expect(holders(book)).toEqual([account(1), account(2)])
    // Looked at in the block that is gone.
    book.leave(INSTRUMENT, EXPIRY, account(1), 30n)
    expect(holders(book)).toEqual([account(1), account(2)])
    book.leave(INSTRUMENT, EXPIRY, account(1), 31n)
    expect(holders(book)).toEqual([account(2)])
  })

  it('keeps who has had an event after the block in which it held nothing', async () => {
    const chain = new Chain()
    chain.events.set(20, account(1)).set(31, account(1))
    const book = new AccountBook(chain.rpc, START, RANGE)
    book.begin(null)
    await book.follow([INSTRUMENT], 30n)
    await book.follow([INSTRUMENT], 31n)
    book.leave(INSTRUMENT, EXPIRY, account(1), 30n)
    expect(holders(book)).toEqual([account(1)])
    book.leave(INSTRUMENT, EXPIRY, account(1), 31n)
    expect(holders(book)).toEqual([])
  })

  it('keeps who was recorded as holding something in a later block', () => {
    const book = new AccountBook(new Chain().rpc, START, RANGE)
    book.begin({ block: 40n, holders: [{ instrument: INSTRUMENT, expiry: EXPIRY, account: account(1) }] })
    book.leave(INSTRUMENT, EXPIRY, account(1), 39n)
    expect(holders(book)).toEqual([account(1)])
    book.leave(INSTRUMENT, EXPIRY, account(1), 40n)
    expect(holders(book)).toEqual([])
  })

  it('begins once, whoever else begins it meanwhile', async () => {
    const chain = new Chain()
    const book = new AccountBook(chain.rpc, START, RANGE)
    book.begin({ block: 9000n, holders: [] })
    await book.follow([INSTRUMENT], 9000n)
    const old = () => chain.asked.filter(([from]) => from === Number(START))
    book.begin({ block: 9000n, holders: [] })
    await book.follow([INSTRUMENT], 9001n)
    expect(old()).toHaveLength(1)
  })

  it.each([
    ['in their order', [250n, 252n]],
    ['the later block first', [252n, 250n]],
  ])('reads every block once for those who ask at the same time, %s', async (_, blocks) => {
    const chain = new Chain()
    chain.events.set(10, account(1)).set(252, account(2)).set(253, account(3))
    const book = new AccountBook(chain.rpc, START, RANGE)
    book.begin(null)
    await Promise.all(blocks.map((block) => book.follow([INSTRUMENT], block)))
    expect(holders(book)).toEqual([account(1), account(2)])
    await book.follow([INSTRUMENT], 253n)
    expect(holders(book)).toEqual([account(1), account(2), account(3)])
    const read = chain.asked.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (__, nth) => from + nth))
    expect([read.length, new Set(read).size]).toEqual([244, 244])
  })

  it('can be asked again after a reading that failed, also by who waited for it', async () => {
    const chain = new Chain()
    chain.events.set(20, account(1))
    const { call } = chain.rpc
    let failing = true
    const rpc = {
      call: async (method: string, params: readonly unknown[]) => {
        if (method === 'eth_getLogs' && failing) {
          failing = false
          throw new Error('the node does not answer')
        }
        return call(method, params)
      },
    } as unknown as Rpc
    const book = new AccountBook(rpc, START, RANGE)
    book.begin(null)
    const asked = await Promise.allSettled([book.follow([INSTRUMENT], 30n), book.follow([INSTRUMENT], 31n)])
    expect(asked.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
    expect(holders(book)).toEqual([account(1)])
  })
})
