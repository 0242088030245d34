import { once } from 'node:events'
import { afterEach, expect, test, vi } from 'vitest'
import { chainProfile } from '../profiles.ts'
import type { Rpc } from '../rpc.ts'
import { RpcError } from '../rpc-error.ts'
import type { Hex } from '../types.ts'
import type { SendContext } from './context.ts'
import { simulate } from './simulate.ts'
import type { ChainView } from './view.ts'

afterEach(() => vi.restoreAllMocks())

const revert = { rpc: { code: 3, message: 'execution reverted', data: '0x' } }
const reverted = { ok: false, error: new RpcError('rpc_error', 'eth_estimateGas', 'execution reverted', revert) }
const contextOf = (outcomes: Rpc['outcomes']): SendContext =>
  ({
    rpc: { outcomes },
    profile: chainProfile(31_337),
    lane: { chainId: 31_337, signer: '0x01' },
  }) as unknown as SendContext

const call = { to: '0x02', data: '0x', valueWei: 0n, gasLimit: null, leastGas: null } as const

test('all requests of a simulation have one deadline: a revert that is not certain by then is none, and what has passed stands', async () => {
  const deadline = new AbortController()
  const deadlines = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(deadline.signal)
  const outcomes: Rpc['outcomes'] = async (calls, { signal } = {}) => {
    if (calls[0]?.method === 'eth_estimateGas') return [reverted, { ok: true, value: '0x5208' }] as never
    // Whether the head is still the same is asked, and not answered.
    const aborted = once(signal as AbortSignal, 'abort')
    deadline.abort(new Error('too late'))
    await aborted
    throw signal?.reason
  }
  const simulations = await simulate(contextOf(outcomes), { headNumber: 5n } as ChainView, [call, call])
  const unavailable = { kind: 'unavailable', message: expect.stringContaining('not known to be the newest') }
  expect(simulations).toEqual([unavailable, { kind: 'passed', gasLimit: expect.any(BigInt) }])
  expect(deadlines).toHaveBeenCalledOnce()
})

const VIEW = { headNumber: 5n, headHash: '0xa5' } as unknown as ChainView

/** A node that runs calls as `runs` says by the block, and else reverts them; its newest block, and the hashes that it has afterwards. */
function nodeAt(newest: Hex, kept: Record<string, string>, runs: Record<string, unknown> = {}): Rpc['outcomes'] {
  return async (calls) =>
    calls.map(({ method, params }) => {
      if (method === 'eth_estimateGas') return runs[String(params[1])] ?? reverted
      const number = params[0] === 'latest' ? newest : String(params[0])
      const hash = params[0] === 'latest' ? `0xa${newest.slice(2)}` : kept[number]
      return { ok: true, value: { number, hash } }
    }) as never
}

const passes = { ok: true, value: '0x5208' }
const doubtful = { kind: 'unavailable', message: expect.stringContaining('not known to be the newest') }

const STANDS = { '0x5': '0xa5', '0x7': '0xa7' }

test.each([
  ['while the view’s block is still the newest', nodeAt('0x5', STANDS), { kind: 'reverted' }],
  ['on the newest, where blocks come quicker than it is asked', nodeAt('0x7', STANDS), { kind: 'reverted' }],
  ['not where the newest lets it pass', nodeAt('0x7', STANDS, { '0x7': passes }), { kind: 'passed' }],
  ['not where the view’s block has gone', nodeAt('0x7', { ...STANDS, '0x5': '0xb5' }), doubtful],
  ['not on a newest that has gone by then', nodeAt('0x7', { ...STANDS, '0x7': '0xb7' }), doubtful],
  ['not by a node that stands behind the view', nodeAt('0x4', STANDS), doubtful],
])('a revert counts %s', async (_when, outcomes, expected) => {
  expect(await simulate(contextOf(outcomes), VIEW, [call])).toMatchObject([expected])
})
