import { describe, expect, it } from 'vitest'
import type { RpcCall, RpcOutcome } from './rpc.ts'
import { RpcError } from './rpc-error.ts'
import { sureOfReverts } from './sure-reverts.ts'

const call = (method: string): RpcCall => ({ method, params: [] })
const good = (value: string): RpcOutcome<unknown> => ({ ok: true, value })
const failed = (code: number): RpcOutcome<unknown> => ({
  ok: false,
  error: new RpcError('rpc_error', 'eth_call', 'execution reverted', { rpc: { code, message: 'execution reverted' } }),
})
const unheard: RpcOutcome<unknown> = { ok: false, error: new RpcError('rpc_timeout', 'eth_call', 'no answer') }

async function word(calls: readonly RpcCall[], first: RpcOutcome<unknown>[], second: RpcOutcome<unknown>[] = []) {
  const asked: (readonly RpcCall[])[] = []
  const ask = async (some: readonly RpcCall[]) => {
    asked.push(some)
    return second
  }
  return { outcomes: await sureOfReverts(calls, first, ask), asked }
}

describe('a revert', () => {
  it('is believed when the node says it twice', async () => {
    const { outcomes, asked } = await word([call('eth_call')], [failed(3)], [failed(3)])
    expect(outcomes).toMatchObject([{ ok: false, error: { rpc: { code: 3 } } }])
    expect(asked).toEqual([[call('eth_call')]])
  })

  it('that does not come again gives way to the second answer, each at its place', async () => {
    const calls = [call('eth_call'), call('eth_estimateGas'), call('eth_call'), call('eth_estimateGas')]
    const { outcomes, asked } = await word(calls, [good('a'), failed(3), good('c'), failed(3)], [good('b'), unheard])
    expect(outcomes).toEqual([good('a'), good('b'), good('c'), unheard])
    expect(asked).toEqual([[calls[1], calls[3]]])
  })

  it('that nobody waits to be certain of has failed by time, and what has passed stands', async () => {
    const ask = () => Promise.reject(new Error('too late'))
    const outcomes = await sureOfReverts([call('eth_call'), call('eth_call')], [failed(3), good('b')], ask)
    expect(outcomes).toMatchObject([{ ok: false, error: { failure: 'rpc_timeout' } }, good('b')])
  })

  it('is asked about once for runs alone: never for a send, nor for another failure', async () => {
    const calls = [call('eth_sendRawTransaction'), call('eth_call'), call('eth_call')]
    const first = [failed(3), failed(-32000), unheard]
    expect(await word(calls, first)).toEqual({ outcomes: first, asked: [] })
  })
})
