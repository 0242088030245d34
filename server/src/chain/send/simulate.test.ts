import { once } from 'node:events'
import { afterEach, expect, test, vi } from 'vitest'
import { chainProfile } from '../profiles.ts'
import type { Rpc } from '../rpc.ts'
import { RpcError } from '../rpc-error.ts'
import type { SendContext } from './context.ts'
import { simulate } from './simulate.ts'
import type { ChainView } from './view.ts'

afterEach(() => vi.restoreAllMocks())

const call = { to: '0x02', data: '0x', valueWei: 0n, gasLimit: null, leastGas: null } as const

test('all requests of a simulation have one deadline: a revert that is not certain by then is none, and what has passed stands', async () => {
  const deadline = new AbortController()
  const deadlines = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(deadline.signal)
  const rpc = { rpc: { code: 3, message: 'execution reverted', data: '0x' } }
  const reverted = { ok: false, error: new RpcError('rpc_error', 'eth_estimateGas', 'execution reverted', rpc) }
  const outcomes: Rpc['outcomes'] = async (calls, { signal } = {}) => {
    if (calls[0]?.method === 'eth_estimateGas') return [reverted, { ok: true, value: '0x5208' }] as never
    // Whether the head is still the same is asked, and not answered.
    const aborted = once(signal as AbortSignal, 'abort')
    deadline.abort(new Error('too late'))
    await aborted
    throw signal?.reason
  }
  const ctx = { rpc: { outcomes }, profile: chainProfile(31_337), lane: { chainId: 31_337, signer: '0x01' } }
  const simulations = await simulate(ctx as unknown as SendContext, { headNumber: 5n } as ChainView, [call, call])
  const unavailable = { kind: 'unavailable', message: expect.stringContaining('not known to be the newest') }
  expect(simulations).toEqual([unavailable, { kind: 'passed', gasLimit: expect.any(BigInt) }])
  expect(deadlines).toHaveBeenCalledOnce()
})
