import { describe, expect, it } from 'vitest'
import { chainProfile, withLeastBuffer } from '../chain/profiles.ts'
import type { RpcCall, RpcOutcome } from '../chain/rpc.ts'
import { type RpcError, rpcReasons } from '../chain/rpc-error.ts'
import { AppError } from '../lib/errors.ts'
import { KnownGas } from './known-gas.ts'
import { checkUserCall, type SubmitContext, type UserCall } from './submit.ts'

const address = (digit: string) => `0x${digit.repeat(40)}` as const
const call: UserCall = {
  user: address('1'),
  target: address('2'),
  data: '0x12345678aa',
  gasLimit: null,
  spending: null,
  tag: null,
}

describe('the gas that is known', () => {
  it('is that of the same user, target, function and length of arguments, for ten minutes', () => {
    let nowMs = 0
    const known = new KnownGas({ nowMs: () => nowMs })
    known.remember('router', call, 7n)
    expect(known.of('router', { ...call, data: '0x12345678bb' })).toBe(7n)
    const others: Partial<UserCall>[] = [
      { user: address('3') },
      { target: address('3') },
      { data: '0x12345679aa' },
      { data: '0x12345678aabb' },
    ]
    for (const other of others) expect(known.of('router', { ...call, ...other })).toBeNull()
    expect(known.of('router', { ...call, gasKind: 'place' })).toBeNull()
    expect(known.of('other router', call)).toBeNull()
    nowMs = 10 * 60_000
    expect(known.of('router', call)).toBeNull()
  })

  it('is forgotten for the oldest of very many', () => {
    const known = new KnownGas({ nowMs: () => 0 })
    for (let nth = 0; nth <= 10_000; nth++) known.remember(`router ${nth}`, call, 7n)
    expect([known.of('router 0', call), known.of('router 1', call), known.of('router 10000', call)]).toEqual([
      null,
      7n,
      7n,
    ])
  })
})

/** A node that tells what it was asked, and lets a call succeed with `needed` gas. */
function node(needed: () => bigint) {
  const asked: string[] = []
  const answer = ({ method, params }: RpcCall): RpcOutcome<unknown> => {
    asked.push(method)
    if (method === 'eth_estimateGas') return { ok: true, value: `0x${needed().toString(16)}` }
    const [{ gas }] = params as [{ gas: string }]
    if (BigInt(gas) >= needed()) return { ok: true, value: '0x' }
    return { ok: false, error: new AppError(rpcReasons.rpc_error, 'out of gas') as RpcError }
  }
  const rpc = { outcomes: async (calls: readonly RpcCall[]) => calls.map(answer) }
  const context = {
    venue: { rpc, sql: async () => [{ address: address('9') }] },
    oneClick: { chainId: 31_337, router: address('a'), pool: address('b') },
    knownGas: new KnownGas({ nowMs: () => 0 }),
    prefix: '/1ct',
    explain: () => null,
  } as unknown as SubmitContext
  return { asked, context }
}

describe('a call like one before it', () => {
  it('is run once, with the gas that was estimated; as much is reserved for it', async () => {
    const { asked, context } = node(() => 100_000n)
    const first = await checkUserCall(context, call)
    expect(first.gasReserved).toBeGreaterThan(100_000n)
    expect(await checkUserCall(context, { ...call, data: '0x12345678bb' })).toMatchObject({
      gasLimit: null,
      gasReserved: first.gasReserved,
    })
    expect(asked).toEqual(['eth_estimateGas', 'eth_call'])
  })

  it('is estimated anew when that gas would leave it less than the buffer', async () => {
    let needed = 100_000n
    const { asked, context } = node(() => needed)
    await checkUserCall(context, call)
    needed = 103_000n
    const second = await checkUserCall(context, call)
    expect(second.gasReserved).toBeGreaterThan(needed)
    expect(asked).toEqual(['eth_estimateGas', 'eth_call', 'eth_estimateGas'])
    await checkUserCall(context, call)
    expect(asked.at(-1)).toBe('eth_call')
  })

  it('has the buffer of its product at each way', async () => {
    let needed = 100_000n
    const { asked, context } = node(() => needed)
    const monad = { ...context, oneClick: { ...context.oneClick, chainId: 143 } }
    const product = { ...monad, gas: withLeastBuffer(chainProfile(143).gas, 150) }
    expect((await checkUserCall(product, call)).gasReserved).toBe(150_000n)
    needed = 103_000n
    expect((await checkUserCall(product, call)).gasReserved).toBe(154_500n)
    expect((await checkUserCall(monad, { ...call, user: address('5') })).gasReserved).toBe(128_750n)
    expect(asked).toEqual(['eth_estimateGas', 'eth_call', 'eth_estimateGas', 'eth_estimateGas'])
  })

  it('with a limit of its own is run with that, whatever is known', async () => {
    const { asked, context } = node(() => 100_000n)
    await checkUserCall(context, call)
    expect(await checkUserCall(context, { ...call, gasLimit: 120_000n })).toMatchObject({ gasReserved: 120_000n })
    expect(asked).toEqual(['eth_estimateGas', 'eth_call'])
  })
})
