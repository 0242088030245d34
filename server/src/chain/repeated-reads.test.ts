import { describe, expect, it } from 'vitest'
import { repeatedReads } from './repeated-reads.ts'
import type { Rpc, RpcCall, RpcOutcome } from './rpc.ts'
import { RpcError } from './rpc-error.ts'

const read = (name: string, block: number): RpcCall => ({
  method: 'eth_call',
  params: [{ to: '0xa', data: name }, `0x${block.toString(16)}`],
})

/** A node that answers a call with its name and block, unless it fails; with the requests it got. */
class Node {
  readonly requests: string[][] = []
  readonly failing = new Map<string, string>()
  mostAtOnce = Number.POSITIVE_INFINITY

  readonly rpc: Rpc = {
    call: async () => {
      throw new Error('nobody calls')
    },
    batch: async <T>(calls: readonly RpcCall[]) =>
      (await this.#outcomes<T>(calls)).map((outcome) => {
        if (!outcome.ok) throw outcome.error
        return outcome.value
      }),
    outcomes: <T>(calls: readonly RpcCall[]) => this.#outcomes<T>(calls),
  }

  async #outcomes<T>(calls: readonly RpcCall[]): Promise<RpcOutcome<T>[]> {
    if (calls.length === 0) return []
    const names = calls.map(({ method, params }) =>
      method === 'eth_call' ? `${(params[0] as { data: string }).data}@${Number(params[1])}` : method,
    )
    this.requests.push(names)
    const problem = (name: string) =>
      calls.length > this.mostAtOnce ? 'batch too large' : this.failing.get(name.split('@')[0] ?? '')
    return names.map((name) => {
      const message = problem(name)
      if (message === undefined) return { ok: true, value: name as T }
      const rpc = { code: -32_000, message }
      return { ok: false, error: new RpcError('rpc_error', 'eth_call', message, { rpc }) }
    })
  }
}

const named = (outcomes: readonly RpcOutcome<unknown>[]) =>
  outcomes.map((outcome) => (outcome.ok ? outcome.value : outcome.error.message))

describe('reads that are repeated block after block', () => {
  it('go in one request as a round begins, each answered of its block, with what is new asked for after it', async () => {
    const node = new Node()
    const at = repeatedReads(node.rpc)
    const first = at(7n)
    expect(await first.batch([read('list', 7)])).toEqual(['list@7'])
    expect(await first.batch([read('a', 7), read('b', 7)])).toEqual(['a@7', 'b@7'])
    const second = at(8n)
    expect(await second.batch([read('list', 8)])).toEqual(['list@8'])
    expect(await second.batch([read('c', 8), read('b', 8), read('d', 8)])).toEqual(['c@8', 'b@8', 'd@8'])
    expect(node.requests).toEqual([['list@7'], ['a@7', 'b@7'], ['list@8', 'a@8', 'b@8'], ['c@8', 'd@8']])
    // What the second has not asked is not asked for any more.
    expect(named(await at(9n).outcomes([read('d', 9)]))).toEqual(['d@9'])
    expect(node.requests.slice(4)).toEqual([['list@9', 'c@9', 'b@9', 'd@9']])
  })

  it('are of no other block, and nothing else is taken for them', async () => {
    const node = new Node()
    const at = repeatedReads(node.rpc)
    await at(7n).batch([read('a', 7), { method: 'eth_gasPrice', params: [] }])
    const round = at(8n)
    expect(await round.batch([read('a', 8), read('a', 7), { method: 'eth_gasPrice', params: [] }])).toEqual([
      'a@8',
      'a@7',
      'eth_gasPrice',
    ])
    expect(node.requests.slice(1)).toEqual([['a@8'], ['a@7', 'eth_gasPrice']])
  })

  it('fail for those who ask for them, and for nobody else', async () => {
    const node = new Node()
    const at = repeatedReads(node.rpc)
    await at(7n).batch([read('a', 7), read('b', 7)])
    node.failing.set('b', 'execution reverted')
    const round = at(8n)
    expect(await round.batch([read('a', 8)])).toEqual(['a@8'])
    await expect(round.batch([read('a', 8), read('b', 8)])).rejects.toThrow('execution reverted')
    expect(named(await round.outcomes([read('b', 8), read('a', 8)]))).toEqual(['eth_call: execution reverted', 'a@8'])
    expect(node.requests).toHaveLength(2)
  })

  it('are asked as ever by who asks, and fewer ahead, where a node finds them too many', async () => {
    const node = new Node()
    const at = repeatedReads(node.rpc)
    const names = ['a', 'b', 'c', 'd']
    const round = async (block: number) => {
      const rpc = at(BigInt(block))
      for (const name of names) expect(await rpc.batch([read(name, block)])).toEqual([`${name}@${block}`])
    }
    await round(1)
    node.mostAtOnce = 2
    node.requests.length = 0
    await round(2)
    expect(node.requests.map(({ length }) => length)).toEqual([4, 1, 1, 1, 1])
    node.requests.length = 0
    await round(3)
    expect(node.requests).toEqual([['a@3', 'b@3'], ['c@3'], ['d@3']])
  })

  it('may overlap', async () => {
    const node = new Node()
    const at = repeatedReads(node.rpc)
    await at(1n).batch([read('a', 1)])
    const [older, newer] = [at(2n), at(3n)]
    expect(await newer.batch([read('a', 3)])).toEqual(['a@3'])
    expect(await older.batch([read('a', 2)])).toEqual(['a@2'])
  })
})
