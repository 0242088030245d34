import type { TransactionSerializableEIP1559 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { RpcError } from '../rpc-error.ts'
import type { Hex } from '../types.ts'
import { classifySend, classifySimulation, revertDataIn } from './classify.ts'
import { createSigners, type TransactionFields } from './signer.ts'
import { CHAIN_ID, devAccount, startWorld, type World } from './testing/harness.ts'
import { hit, hitAfter, tooEarly } from './testing/tally.ts'

let world: World
beforeAll(async () => {
  world = await startWorld({ noMining: true })
})
afterAll(() => world.stop())

const GWEI = 1_000_000_000n
const to: Hex = `0x${'22'.repeat(20)}`
const [rich, poor] = createSigners([
  { purpose: 'rich', privateKey: devAccount(0).privateKey },
  { purpose: 'poor', privateKey: `0x${'11'.repeat(32)}` },
])

async function broadcast(rawTx: Hex | undefined) {
  const [outcome] = await world.rpc.outcomes([{ method: 'eth_sendRawTransaction', params: [rawTx] }])
  if (!outcome) throw new Error('no outcome')
  return classifySend(outcome)
}

async function send(changes: Partial<TransactionFields>, feeWei = 3n * GWEI, signer = rich) {
  const fields = { nonce: 0n, to, data: '0x' as Hex, valueWei: 1n, gasLimit: 21_000n, ...changes }
  const fees = { maxFeeWei: feeWei, maxPriorityFeeWei: feeWei < GWEI ? feeWei : GWEI }
  return await broadcast((await signer?.sign(CHAIN_ID, fields, fees))?.rawTx)
}

/** Bytes as the relayer never signs them. */
const signAnything = (changes: Partial<TransactionSerializableEIP1559>): Promise<Hex> =>
  privateKeyToAccount(devAccount(0).privateKey).signTransaction({
    type: 'eip1559',
    chainId: CHAIN_ID,
    nonce: 1,
    to,
    gas: 21_000n,
    maxFeePerGas: 3n * GWEI,
    maxPriorityFeePerGas: GWEI,
    ...changes,
  })

const TOO_MUCH_INIT_CODE: Hex = `0x${'60'.repeat(49_153)}`

test("a live node's answers fall into their classes", async () => {
  const never = (message: RegExp) => ({ kind: 'refused', cause: 'never', message })
  expect(await send({})).toMatchObject({ kind: 'accepted', message: '' })
  expect(await send({}), 'the same bytes again').toMatchObject({ kind: 'accepted', message: /already imported/ })
  expect(await send({ valueWei: 2n })).toMatchObject({ kind: 'refused', cause: 'replacement' })
  expect(await send({ nonce: 9n }), 'a nonce gap').toMatchObject({ kind: 'accepted', message: '' })
  expect(await send({ nonce: 1n }, 1n)).toMatchObject({
    kind: 'refused',
    cause: 'fee',
    message: /less than block base fee/,
  })
  expect(await send({}, GWEI * 3n, poor)).toMatchObject({
    kind: 'refused',
    cause: 'funds',
    message: /Insufficient funds/,
  })
  expect(await send({ nonce: 1n, gasLimit: 20_000n })).toMatchObject(never(/intrinsic gas too low/))
  expect(await send({ nonce: 1n, gasLimit: 400_000_000n })).toMatchObject(never(/CallerGasLimitMoreThanBlock/))
  const creation = await signAnything({ to: null, data: TOO_MUCH_INIT_CODE, gas: 16_000_000n })
  expect(await broadcast(creation)).toMatchObject(never(/max initcode size exceeded/))
  await world.rpc.call('evm_mine')
  expect(await send({})).toMatchObject({ kind: 'nonce_too_low', message: /nonce too low/ })
})

test('what is no answer of a node, or none that is known, is unknown', async () => {
  expect(await broadcast('0x02'), 'no transaction').toMatchObject({ kind: 'unknown' })
  expect(await broadcast(await signAnything({ chainId: 1 })), 'of another chain').toMatchObject({ kind: 'unknown' })
  for (const failure of ['rpc_timeout', 'rpc_http_status', 'rpc_interrupted', 'rpc_malformed'] as const) {
    // Words of a proxy or of a broken connection are never taken for the node's.
    const error = new RpcError(failure, 'eth_sendRawTransaction', 'nonce too low, insufficient funds')
    expect(classifySend({ ok: false, error }).kind).toBe('unknown')
  }
  expect(classifySend({ ok: true, value: null })).toMatchObject({ kind: 'unknown' })
})

async function simulateLive(data: Hex, more: Record<string, Hex> = {}, block = 'latest') {
  const call = { from: rich?.address, to: world.tally, data, ...more }
  const [outcome] = await world.rpc.outcomes([{ method: 'eth_estimateGas', params: [call, block] }])
  if (!outcome || outcome.ok) throw new Error('the simulation passed')
  return classifySimulation(outcome.error)
}

test('failed simulations fall into their classes', async () => {
  expect(await simulateLive(hitAfter(7n, 8n))).toMatchObject({ kind: 'reverted', data: tooEarly(7n) })
  expect(await simulateLive(hit(7n), { gas: '0x5300' })).toMatchObject({ kind: 'reverted', data: '0x' })
  expect(await simulateLive(hit(7n), { from: poor?.address ?? '0x', value: '0x1' })).toMatchObject({ kind: 'funds' })
  expect(await simulateLive(hit(7n), {}, '0x99'), 'a block the node lacks').toMatchObject({ kind: 'unavailable' })
  expect(classifySimulation(new RpcError('rpc_timeout', 'x', 'reverted')).kind).toBe('unavailable')
})

const simulated = (message: string, data?: Hex) =>
  classifySimulation(new RpcError('rpc_error', 'eth_call', message, { rpc: { code: -32_000, message, data } }))

test('of what a contract reverts with the beginning is kept', () => {
  const kept = `0x${'ab'.repeat(4096)}`
  for (const data of [kept, `${kept}${'cd'.repeat(2 ** 20)}`]) expect(revertDataIn(data)).toBe(kept)
  expect(revertDataIn('Reverted')).toBeNull()
})

test.each([
  ['go-ethereum', 'stack limit reached 1024 (1023)'],
  ['go-ethereum', 'return data out of bounds'],
  ['go-ethereum', 'gas uint64 overflow'],
  ['go-ethereum', 'write protection'],
  ['go-ethereum and Nethermind', 'max call depth exceeded'],
  ['Nethermind', 'invalid instruction'],
  ['Besu', 'Transaction processing could not be completed due to an exception'],
  ['Besu', 'Transaction processing could not be completed due to an exception: INVALID_OPERATION'],
  ['Besu', 'Transaction processing could not be completed due to an exception (Out of stack)'],
  ['Besu', 'Transaction processing could not be completed due to an exception (Bad jump destination)'],
  ['Monad', 'reserve balance violation'],
])('a contract that ends at %s with "%s" has failed by itself', (_, message) => {
  expect(simulated(message)).toMatchObject({ kind: 'reverted', data: '0x' })
})

test.each(['header not found', 'Internal error', 'limit exceeded', 'request timed out'])(
  'a node that says "%s" has not asked the contract',
  (message) => {
    expect(simulated(message).kind).toBe('unavailable')
  },
)

test("a contract's own words about funds are a revert, and say nothing of the signer", () => {
  expect(simulated('execution reverted: insufficient funds', '0x08c379a0')).toMatchObject({ kind: 'reverted' })
  expect(simulated('execution reverted: insufficient balance')).toMatchObject({ kind: 'reverted', data: '0x' })
  expect(simulated('insufficient funds for gas * price + value: balance 0')).toMatchObject({ kind: 'funds' })
  expect(simulated('Upfront cost exceeds account balance')).toMatchObject({ kind: 'funds' })
  expect(simulated('insufficient balance'), 'monad').toMatchObject({ kind: 'funds' })
  expect(simulated('out of gas')).toMatchObject({ kind: 'reverted', data: '0x' })
})
