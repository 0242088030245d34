import { describe, expect, it } from 'vitest'
import { askOn, isBelow, OtherBlockError } from './on-block.ts'
import type { RpcCall, RpcOutcome } from './rpc.ts'
import { RpcError } from './rpc-error.ts'

const HEAD = { height: 7n, hash: '0xa7' } as const
const LOGS: RpcCall = { method: 'eth_getLogs', params: [{ fromBlock: '0x5', toBlock: '0x7' }] }
const TOO_MUCH = new RpcError('rpc_error', 'eth_getLogs', 'query timeout exceeded', {
  rpc: { code: -32_005, message: 'query timeout exceeded' },
})

/** Answers one request after the other, each by a node of its own, by the method of a call. */
function nodes(...answers: readonly Readonly<Record<string, unknown>>[]) {
  const left = [...answers]
  return {
    async outcomes<T>(calls: readonly RpcCall[]): Promise<RpcOutcome<T>[]> {
      const node = left.shift() ?? {}
      return calls.map(({ method }) => {
        const answer = node[method]
        return answer instanceof RpcError ? { ok: false, error: answer } : { ok: true, value: answer as T }
      })
    },
  }
}

describe('what is asked of a node that has a block', () => {
  it('is of that node, in one request', async () => {
    const rpc = nodes({ eth_getLogs: ['log'], eth_getBlockByNumber: { hash: '0xa7' } })
    expect(await askOn(rpc, HEAD, LOGS)).toEqual(['log'])
  })

  it.each([
    ['not yet', null],
    ['in another form', { hash: '0xb7' }],
  ])('is taken of none that has it %s', async (_, block) => {
    await expect(askOn(nodes({ eth_getLogs: [], eth_getBlockByNumber: block }), HEAD, LOGS)).rejects.toThrow(
      OtherBlockError,
    )
  })

  it('is not asked of another node, which may lag, where the first refuses it for its size', async () => {
    const rpc = nodes(
      { eth_getLogs: TOO_MUCH, eth_getBlockByNumber: { hash: '0xa7' } },
      { eth_getLogs: [], eth_getBlockByNumber: null },
    )
    await expect(askOn(rpc, HEAD, LOGS)).rejects.toBe(TOO_MUCH)
  })
})

it('a block lies below another by the word of a node that has both', async () => {
  const below = { height: 5n, hash: '0xa5' } as const
  const node = (five: string, seven: string) => ({
    outcomes: async <T>(calls: readonly RpcCall[]) =>
      calls.map(({ params }) => ({ ok: true as const, value: { hash: params[0] === '0x5' ? five : seven } as T })),
  })
  expect(await isBelow(node('0xa5', '0xa7'), below, HEAD)).toBe(true)
  expect(await isBelow(node('0xb5', '0xa7'), below, HEAD)).toBe(false)
  await expect(isBelow(node('0xa5', '0xb7'), below, HEAD)).rejects.toThrow(OtherBlockError)
})
