import { describe, expect, it } from 'vitest'
import type { Rpc, RpcCall } from '../../chain/rpc.ts'
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
  /** Calls of each request. */
  readonly requests: number[] = []
  fork = 0
  /** Forks of the nodes that answer the next requests; whatever comes after them is answered by one on `fork`. */
  readonly nextForks: number[] = []
  newest = Number.POSITIVE_INFINITY

  readonly rpc = {
    call: async (method: string, params: readonly unknown[]) => this.#answerAll([{ method, params }])[0],
    outcomes: async (calls: readonly RpcCall[]) => this.#answerAll(calls).map((value) => ({ ok: true, value })),
  } as unknown as Rpc

  /** A block as the node names it now. */
  at(block: bigint): { height: bigint; hash: Hex; parentHash: Hex } {
    return { height: block, hash: this.#hash(Number(block)), parentHash: this.#hash(Number(block) - 1) }
  }

  #hash(block: number, fork = this.fork): Hex {
    return `0x${block.toString(16)}:${fork}`
  }

  #answerAll(calls: readonly RpcCall[]): unknown[] {
    this.requests.push(calls.length)
    const fork = this.nextForks.shift() ?? this.fork
    return calls.map((call) => this.#answer(call, fork))
  }

  #answer({ method, params }: RpcCall, fork: number): unknown {
    if (method === 'eth_getBlockByNumber') {
      const block = Number(params[0])
      return block > this.newest ? null : { hash: this.#hash(block, fork) }
    }
    const { blockHash, ...range } = params[0] as { fromBlock: Hex; toBlock: Hex; blockHash?: Hex }
    const named = blockHash?.split(':')[0]
    const [from, to] = [Number(named ?? range.fromBlock), Number(named ?? range.toBlock)]
    if (blockHash !== undefined && blockHash !== this.#hash(from, fork))
      throw new Error(`there is no block ${blockHash}`)
    this.asked.push([from, to])
    const within = [...this.events].filter(([block]) => block >= from && block <= to)
    return within.map(([block, trader]) => ({
      address: INSTRUMENT,
      blockNumber: `0x${block.toString(16)}`,
      topics: ['0x', word(BigInt(EXPIRY)), word(BigInt(trader))],
    }))
  }
}

const holders = (book: AccountBook) => [...book.holders(INSTRUMENT, EXPIRY)].sort()

/** A book that has read to block 30, in the place of which another has come, with an event of the first account. */
async function replacedBlock() {
  const chain = new Chain()
  const book = new AccountBook(chain.rpc, START, RANGE)
  book.begin(null)
  await book.follow([INSTRUMENT], chain.at(30n))
  chain.fork = 1
  chain.events.set(30, account(1))
  return { chain, book }
}

describe('the book of accounts', () => {
  it('reads every block once, in ranges that a node answers', async () => {
    const chain = new Chain()
    chain.events.set(10, account(1)).set(250, account(2)).set(251, account(3))
    const book = new AccountBook(chain.rpc, START, RANGE)
    book.begin(null)
    await book.follow([INSTRUMENT], chain.at(250n))
    expect(holders(book)).toEqual([account(1), account(2)])
    await book.follow([INSTRUMENT], chain.at(252n))
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
    await book.follow([INSTRUMENT], chain.at(10_000n))
    expect(holders(book)).toEqual([account(1), account(2), account(9)])
    const oldest = () => Math.max(...chain.asked.filter(([from]) => from < 7000).map(([, to]) => to))
    for (let block = 10_001n; oldest() < 7000 && block < 10_100n; block++)
      await book.follow([INSTRUMENT], chain.at(block))
    expect(oldest()).toBe(7000)
    const before = chain.asked.length
    await book.follow([INSTRUMENT], chain.at(10_050n))
    expect(chain.asked).toHaveLength(before + 1)
  })

  it('leaves out who holds nothing until its next event', async () => {
    const chain = new Chain()
    chain.events.set(20, account(1))
    const book = new AccountBook(chain.rpc, START, RANGE)
    book.begin(null)
    await book.follow([INSTRUMENT], chain.at(30n))
    book.leave(INSTRUMENT, EXPIRY, account(1), 30n)
    await book.follow([INSTRUMENT], chain.at(31n))
    expect(holders(book)).toEqual([])
    chain.events.set(32, account(1))
    await book.follow([INSTRUMENT], chain.at(32n))
    expect(holders(book)).toEqual([account(1)])
  })

  it('looks again at everybody, and at all late blocks, when the chain has lost the one that it read to', async () => {
    const chain = new Chain()
    chain.events.set(20, account(1))
    const book = new AccountBook(chain.rpc, START, RANGE)
    book.begin(null)
    await book.follow([INSTRUMENT], chain.at(30n))
    book.leave(INSTRUMENT, EXPIRY, account(1), 30n)
    // What emptied the account is gone, and another account came in a block that was read.
    chain.fork = 1
    chain.events.set(29, account(2))
    await book.follow([INSTRUMENT], chain.at(31n))
    expect(holders(book)).toEqual([account(1), account(2)])
    // Looked at in the block that is gone.
    book.leave(INSTRUMENT, EXPIRY, account(1), 30n)
    expect(holders(book)).toEqual([account(1), account(2)])
    book.leave(INSTRUMENT, EXPIRY, account(1), 31n)
    expect(holders(book)).toEqual([account(2)])
  })

  it('keeps who has come since in the place of the block that an older reading of it is of', async () => {
    const { chain, book } = await replacedBlock()
    await book.follow([INSTRUMENT], chain.at(30n))
    // The older reading names its accounts only now, and its block has nothing of this one.
    book.leave(INSTRUMENT, EXPIRY, account(1), 30n)
    expect(holders(book)).toEqual([account(1)])
    book.leave(INSTRUMENT, EXPIRY, account(1), 31n)
    expect(holders(book)).toEqual([])
  })

  it('keeps who has had an event after the block in which it held nothing', async () => {
    const chain = new Chain()
    chain.events.set(20, account(1)).set(31, account(1))
    const book = new AccountBook(chain.rpc, START, RANGE)
    book.begin(null)
    await book.follow([INSTRUMENT], chain.at(30n))
    await book.follow([INSTRUMENT], chain.at(31n))
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
    await book.follow([INSTRUMENT], chain.at(9000n))
    const old = () => chain.asked.filter(([from]) => from === Number(START))
    book.begin({ block: 9000n, holders: [] })
    await book.follow([INSTRUMENT], chain.at(9001n))
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
    await Promise.all(blocks.map((block) => book.follow([INSTRUMENT], chain.at(block))))
    expect(holders(book)).toEqual([account(1), account(2)])
    await book.follow([INSTRUMENT], chain.at(253n))
    expect(holders(book)).toEqual([account(1), account(2), account(3)])
    const read = chain.asked.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (__, nth) => from + nth))
    expect([read.length, new Set(read).size]).toEqual([244, 244])
  })

  it('can be asked again after a reading that failed, also by who waited for it', async () => {
    const chain = new Chain()
    chain.events.set(20, account(1))
    const { outcomes } = chain.rpc
    let failing = true
    const rpc = {
      outcomes: async (calls: readonly RpcCall[]) => {
        if (failing) {
          failing = false
          throw new Error('the node does not answer')
        }
        return outcomes(calls)
      },
    } as unknown as Rpc
    const book = new AccountBook(rpc, START, RANGE)
    book.begin(null)
    const asked = await Promise.allSettled([
      book.follow([INSTRUMENT], chain.at(30n)),
      book.follow([INSTRUMENT], chain.at(31n)),
    ])
    expect(asked.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
    expect(holders(book)).toEqual([account(1)])
  })

  it('asks once for a block that stands on the one that it read to, and not at all for that one', async () => {
    const chain = new Chain()
    chain.events.set(31, account(1)).set(33, account(2))
    const book = new AccountBook(chain.rpc, START, RANGE)
    book.begin(null)
    await book.follow([INSTRUMENT], chain.at(30n))
    chain.requests.length = 0
    await book.follow([INSTRUMENT], chain.at(31n))
    expect(holders(book)).toEqual([account(1)])
    expect(chain.requests).toEqual([1])
    await book.follow([INSTRUMENT], chain.at(31n))
    expect(chain.requests).toEqual([1])
    // One block further on it asks whether the chain still has the one that it read to.
    await book.follow([INSTRUMENT], chain.at(33n))
    expect(holders(book)).toEqual([account(1), account(2)])
    expect(chain.requests).toEqual([1, 2, 2])
  })

  it('does not go on from a block that is gone because a node that is late still has it', async () => {
    const { chain, book } = await replacedBlock()
    chain.nextForks.push(0)
    await expect(book.follow([INSTRUMENT], chain.at(31n))).rejects.toThrow('the node has another block 31')
    await book.follow([INSTRUMENT], chain.at(31n))
    expect(holders(book)).toEqual([account(1)])
  })

  it('takes no logs of a node that has another block in the place of the last one', async () => {
    const chain = new Chain()
    const book = new AccountBook(chain.rpc, START, RANGE)
    book.begin(null)
    chain.nextForks.push(0, 1)
    await expect(book.follow([INSTRUMENT], { ...chain.at(150n), hash: '0x96:1' })).rejects.toThrow(
      'the node has another block 150',
    )
    chain.fork = 1
    chain.events.set(20, account(1))
    await book.follow([INSTRUMENT], chain.at(150n))
    expect(holders(book)).toEqual([account(1)])
  })

  it('takes no logs of a block that is gone, nor of a node that does not have the last one yet', async () => {
    const chain = new Chain()
    const book = new AccountBook(chain.rpc, START, RANGE)
    book.begin(null)
    await book.follow([INSTRUMENT], chain.at(30n))
    const [gone, late] = [chain.at(31n), chain.at(32n)]
    chain.newest = 31
    await expect(book.follow([INSTRUMENT], late)).rejects.toThrow('the node has no block 32 yet')
    chain.fork = 1
    chain.newest = 40
    await expect(book.follow([INSTRUMENT], gone)).rejects.toThrow('there is no block')
    chain.events.set(31, account(1)).set(32, account(2))
    await book.follow([INSTRUMENT], chain.at(32n))
    expect(holders(book)).toEqual([account(1), account(2)])
  })
})
