import { decodeFunctionData, encodeFunctionData } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { oneClickRouterAbi } from '../chain/abi/one-click-router.ts'
import { operatorPoolAbi } from '../chain/abi/operator-pool.ts'
import type { Rpc, RpcCall } from '../chain/rpc.ts'
import { RpcError } from '../chain/rpc-error.ts'
import { getIntent } from '../chain/send/intents.ts'
import { OUT_OF_GAS } from '../chain/send/out-of-gas.ts'
import { rejectQueued, saveSigner } from '../chain/send/store.ts'
import type { Hex } from '../chain/types.ts'
import { inTransaction } from '../db/pool.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import type { Caller } from '../http/caller.ts'
import { systemClock } from '../lib/clock.ts'
import {
  type DelegationContext,
  delegationStatus,
  disableDelegation,
  enableDelegation,
  prepareDelegation,
} from './delegation.ts'

const CHAIN_ID = 31_337
const address = (digit: string): Hex => `0x${digit.repeat(40)}`
const [ROUTER, POOL, SIGNER] = ['1', '2', '3'].map(address) as [Hex, Hex, Hex]
const oneClick = { chainId: CHAIN_ID, router: ROUTER, pool: POOL }
const account = privateKeyToAccount(generatePrivateKey())
const USER = account.address.toLowerCase() as Hex
const HEAD: Hex = `0x${'7'.repeat(64)}`
const FUTURE = 4_000_000_000
const word = (value: bigint | string): Hex => `0x${BigInt(value).toString(16).padStart(64, '0')}`

let database: TestDatabase
/** What the chain says of the user. */
let state: { delegatee: Hex; nonce: bigint; timestamp: bigint; away: boolean }
beforeEach(async () => {
  database = await testDatabase()
  state = { delegatee: word(0n), nonce: 4n, timestamp: 1n, away: false }
  const seen = { purposes: ['submit'], balanceWei: 1n, chainNonce: 0n, stoppedReason: null }
  await saveSigner(database.sql, { chainId: CHAIN_ID, signer: SIGNER }, seen)
})
afterEach(() => {
  vi.restoreAllMocks()
  return database.drop()
})

function answer({ method, params }: RpcCall): unknown {
  if (method === 'eth_getCode') return '0x'
  if (method === 'eth_getBlockByNumber') return { number: '0x7', hash: HEAD, timestamp: word(state.timestamp) }
  if (method === 'eth_estimateGas') return word(100_000n)
  // What is told with the head is read at it.
  if (method === 'eth_call' && params[1] !== 'latest') expect(params[1]).toEqual({ blockHash: HEAD })
  const { data } = params[0] as { data: Hex }
  const { functionName } = decodeFunctionData({ abi: [...oneClickRouterAbi, ...operatorPoolAbi], data })
  if (functionName === 'nonces') return word(state.nonce)
  if (functionName === 'endsAt') return word(1_900_000_000n)
  if (functionName === 'dailyAmount') return `${word(50_000n * 10n ** 18n)}${word(0n).slice(2)}`
  if (functionName === 'availableAmount') return word(49_000n * 10n ** 18n + 5n * 10n ** 17n)
  return word(state.delegatee)
}

const rpc = {
  outcomes: async (calls: readonly RpcCall[]) =>
    calls.map((call) =>
      state.away
        ? { ok: false, error: new RpcError('rpc_timeout', call.method, 'no answer') }
        : { ok: true, value: answer(call) },
    ),
} as unknown as Rpc

const context = (): DelegationContext => ({
  venue: { sql: database.sql, rpc, clock: systemClock },
  oneClick,
  budget: 10_000_000n,
  prefix: '/api/v1/1ct',
  explain: () => null,
})
const caller: Caller = { keyId: 'key', access: 'WRITABLE', userAddress: USER }

async function consent(): Promise<{ signature: Hex; deadlineSec: number }> {
  const { terms } = await prepareDelegation(context(), { caller }, FUTURE)
  return { signature: await account.signTypedData(terms.signPayload as never), deadlineSec: FUTURE }
}
const intents = async () => [...(await database.sql<{ id: bigint }[]>`select id from tx_intents order by id`)]

describe('enable', () => {
  it('is one call of the pool, however often it is asked for while it is under way', async () => {
    const signed = await consent()
    const answers = await Promise.all([1, 2, 3].map(() => enableDelegation(context(), { caller }, signed)))
    expect(answers).toEqual(answers.map(() => ({ status: 'pending', txHash: null })))
    const [only, ...more] = await intents()
    expect(more).toEqual([])
    const args = [ROUTER, USER, FUTURE, signed.signature] as const
    expect(await getIntent(database.sql, CHAIN_ID, only?.id ?? 0n)).toMatchObject({
      purpose: 'submit',
      to: POOL,
      orderingKey: `user:${USER}`,
      gasLimit: 200_000n,
      data: encodeFunctionData({ abi: operatorPoolAbi, functionName: 'enable', args }),
    })
  })

  it('says why it failed when the relayer rejects it', async () => {
    const signed = await consent()
    // The clock stands still: however slow the machine, the relayer is in time.
    vi.spyOn(Date, 'now').mockReturnValue(Date.now())
    const [outcome] = await Promise.allSettled([
      enableDelegation(context(), { caller }, signed),
      (async () => {
        let [intent] = await intents()
        while (!intent) [intent] = await intents()
        // InvalidSignature()
        const why = { problem: 'reverted', revertData: '0x8baa579f' as Hex }
        await inTransaction(database.sql, (tx) => rejectQueued(tx, CHAIN_ID, intent?.id ?? 0n, why))
      })(),
    ])
    expect(outcome).toMatchObject({ status: 'rejected', reason: { reason: { name: 'would_revert' } } })
    expect((outcome as PromiseRejectedResult).reason.message).toMatch(/InvalidSignature.*Prepare and sign again/)
  })

  it('says that it ran out of gas', async () => {
    const signed = await consent()
    vi.spyOn(Date, 'now').mockReturnValue(Date.now())
    const [outcome] = await Promise.allSettled([
      enableDelegation(context(), { caller }, signed),
      (async () => {
        while ((await intents()).length === 0);
        await database.sql`
          update tx_intents set state = 'mined', outcome = 'reverted', revert_data = '0x', problem = ${OUT_OF_GAS},
            signer = ${SIGNER}, nonce = 0, tx_hash = '0x', block_number = 1, block_hash = '0x'`
      })(),
    ])
    expect(outcome).toMatchObject({ status: 'rejected', reason: { reason: { name: 'out_of_gas' } } })
  })

  it('is refused, with nothing stored, for another deadline, an older nonce, a passed deadline, another user', async () => {
    const signed = await consent()
    const refused = async (change: Promise<unknown>, name: string) => {
      await expect(change).rejects.toMatchObject({ reason: { name } })
      expect(await intents()).toEqual([])
    }
    const enable = (by: Partial<Caller> = {}, over = {}) =>
      enableDelegation(context(), { caller: { ...caller, ...by } }, { ...signed, ...over })
    await refused(enable({}, { deadlineSec: FUTURE - 1 }), 'delegation_signature_invalid')
    await refused(enable({ userAddress: POOL }), 'delegation_signature_invalid')
    await refused(enable({ userAddress: null }), 'key_not_bound')
    state.nonce = 5n
    await refused(enable(), 'delegation_signature_invalid')
    // The chain's clock is ahead of ours.
    state.timestamp = BigInt(FUTURE)
    await refused(enable(), 'delegation_deadline_expired')
    state.away = true
    await refused(enable(), 'chain_not_answering')
  })
})

describe('disable', () => {
  it('has nothing to do where the venue is not the delegatee', async () => {
    for (const other of [word(0n), SIGNER]) {
      state.delegatee = word(other)
      expect(await disableDelegation(context(), { caller })).toEqual({ status: 'disabled', txHash: null })
    }
    expect(await intents()).toEqual([])
  })

  it('is not said to be done while an enable is on its way, which would undo it', async () => {
    const signed = await consent()
    expect(await enableDelegation(context(), { caller }, signed)).toMatchObject({ status: 'pending' })
    const refused = { reason: { name: 'would_revert' }, message: expect.stringContaining('may enable it') }
    await expect(disableDelegation(context(), { caller })).rejects.toMatchObject(refused)
    state.delegatee = word(POOL)
    expect(await disableDelegation(context(), { caller })).toEqual({ status: 'pending', txHash: null })
  })

  it('is one call of the pool', async () => {
    state.delegatee = word(POOL)
    expect(await disableDelegation(context(), { caller })).toEqual({ status: 'pending', txHash: null })
    const [only] = await intents()
    const args = [ROUTER, USER] as const
    expect(await getIntent(database.sql, CHAIN_ID, only?.id ?? 0n)).toMatchObject({
      data: encodeFunctionData({ abi: operatorPoolAbi, functionName: 'disable', args }),
    })
  })
})

describe('status', () => {
  it('is enabled only by a delegation to the pool', async () => {
    const statusOf = async () => (await delegationStatus(context(), { caller })).delegation
    expect(await statusOf()).toEqual({
      status: 'disabled',
      delegatee: POOL,
      delegatedTo: null,
      nonce: 4,
      endsAt: null,
      dailyAmount: '50000',
      availableAmount: '49000.5',
      updatedAt: null,
      txHash: null,
    })
    expect((await delegationStatus(context(), { caller })).block).toEqual({ height: 7n, timestampSec: 1n })
    state.delegatee = word(SIGNER)
    expect(await statusOf()).toMatchObject({ status: 'disabled', delegatee: POOL, delegatedTo: SIGNER })
    state.delegatee = word(POOL)
    expect(await statusOf()).toMatchObject({ status: 'enable', delegatedTo: POOL, endsAt: 1_900_000_000 })
    state.away = true
    await expect(statusOf()).rejects.toMatchObject({ reason: { name: 'chain_not_answering', kind: 'upstream' } })
  })
})
