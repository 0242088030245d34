import { describe, expect, it } from 'vitest'
import type { Rpc, RpcCall, RpcOutcome } from './rpc.ts'
import { RpcError } from './rpc-error.ts'
import { sharedRpc } from './shared-rpc.ts'

/** A node that answers each call with its method when told to, and notes how many calls came in each request. */
function node() {
  const requests: {
    calls: readonly RpcCall[]
    answer: (outcomes?: RpcOutcome<unknown>[]) => void
    fail: (error: unknown) => void
  }[] = []
  const outcomes = (calls: readonly RpcCall[]) =>
    new Promise<RpcOutcome<unknown>[]>((resolve, reject) => {
      const echo = calls.map(({ method }) => ({ ok: true, value: method }) as const)
      requests.push({ calls, answer: (outcomes = echo) => resolve(outcomes), fail: reject })
    })
  const rpc = { outcomes } as unknown as Rpc
  return { rpc: sharedRpc(rpc), sizes: () => requests.map(({ calls }) => calls.length), requests }
}

const call = (method: string): RpcCall => ({ method, params: [] })
const values = async (outcomes: Promise<RpcOutcome<unknown>[]>) =>
  (await outcomes).map((outcome) => (outcome.ok ? outcome.value : outcome.error.message))

describe('a shared client', () => {
  it('sends what comes alone at once, and what must wait together; each gets its own', async () => {
    const { rpc, requests, sizes } = node()
    const asked = Array.from({ length: 10 }, (_, n) => rpc.outcomes([call(`a${n}`), call(`b${n}`)]))
    expect(sizes()).toEqual([2, 2, 2, 2])
    requests[0]?.answer()
    expect(await values(asked[0] as never)).toEqual(['a0', 'b0'])
    await expect.poll(sizes).toEqual([2, 2, 2, 2, 12])
    for (const { answer } of requests) answer()
    expect(await Promise.all(asked.map((one) => values(one)))).toEqual(
      Array.from({ length: 10 }, (_, n) => [`a${n}`, `b${n}`]),
    )
  })

  it('bounds what goes together', async () => {
    const { rpc, requests, sizes } = node()
    const asked = Array.from({ length: 104 }, (_, n) => rpc.outcomes([call(String(n))]))
    requests[0]?.answer()
    await expect.poll(() => sizes().length).toBe(5)
    expect(sizes()[4]).toBe(60)
    for (let done = 1; done < 6; done++) {
      await expect.poll(() => requests.length).toBeGreaterThan(done)
      requests[done]?.answer()
    }
    expect((await Promise.all(asked)).flat()).toHaveLength(104)
    expect(sizes()).toEqual([1, 1, 1, 1, 60, 40])
  })

  it('gives a failure to those whose request failed, and goes on', async () => {
    const { rpc, requests } = node()
    const asked = Array.from({ length: 6 }, (_, n) => rpc.outcomes([call(String(n))]))
    const error = new RpcError('rpc_timeout', 'batch', 'no answer')
    requests[0]?.answer([{ ok: false, error }])
    const gone = expect(asked[1]).rejects.toThrow('gone')
    requests[1]?.fail(new Error('gone'))
    await gone
    expect(await values(asked[0] as never)).toEqual([error.message])
    await expect.poll(() => requests.length).toBeGreaterThan(4)
    for (const { answer } of requests) answer()
    expect(await values(asked[2] as never)).toEqual(['2'])
    await expect.poll(() => requests.flatMap(({ calls }) => calls).length).toBe(6)
    for (const { answer } of requests) answer()
    expect(await Promise.all(asked.slice(4).map((one) => values(one)))).toEqual([['4'], ['5']])
  })

  it('leaves calls with options of their own to the client', async () => {
    const { rpc, requests } = node()
    const asked = Array.from({ length: 6 }, () => rpc.outcomes([call('x')], { timeoutMs: 1 }))
    expect(requests).toHaveLength(6)
    for (const { answer } of requests) answer()
    expect((await Promise.all(asked)).flat()).toHaveLength(6)
  })
})
