import { afterAll, beforeAll, expect, test } from 'vitest'
import { RpcError } from '../rpc-error.ts'
import type { Hex } from '../types.ts'
import { classifySend, classifySimulation } from './classify.ts'
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

async function send(changes: Partial<TransactionFields>, feeWei = 3n * GWEI, signer = rich) {
  const fields = { nonce: 0n, to, data: '0x' as Hex, valueWei: 1n, gasLimit: 21_000n, ...changes }
  const fees = { maxFeeWei: feeWei, maxPriorityFeeWei: feeWei < GWEI ? feeWei : GWEI }
  const signed = await signer?.sign(CHAIN_ID, fields, fees)
  const [outcome] = await world.rpc.settle([{ method: 'eth_sendRawTransaction', params: [signed?.rawTx] }])
  if (!outcome) throw new Error('no outcome')
  return classifySend(outcome)
}

test("a live node's answers fall into their classes", async () => {
  expect(await send({})).toMatchObject({ kind: 'accepted' })
  expect(await send({}), 'the same bytes again').toMatchObject({ kind: 'accepted', message: /already imported/ })
  expect(await send({ valueWei: 2n })).toMatchObject({ kind: 'refused', cause: 'replacement' })
  expect(await send({ nonce: 9n }), 'a nonce gap').toMatchObject({ kind: 'accepted' })
  expect(await send({ nonce: 1n }, 1n)).toMatchObject({ kind: 'refused', cause: 'fee' })
  expect(await send({}, GWEI * 3n, poor)).toMatchObject({ kind: 'refused', cause: 'funds' })
  expect(await send({ nonce: 1n, gasLimit: 20_000n })).toMatchObject({ kind: 'refused', cause: 'never' })
  expect(await send({ nonce: 1n, gasLimit: 400_000_000n })).toMatchObject({ kind: 'refused', cause: 'never' })
  await world.rpc.call('evm_mine')
  expect(await send({})).toMatchObject({ kind: 'nonce_too_low' })
})

const answered = (message: string) =>
  classifySend({ ok: false, error: new RpcError('rpc_error', 'x', message, { rpc: { code: -32_000, message } }) })

test('go-ethereum messages fall into their classes', () => {
  expect(answered('already known').kind).toBe('accepted')
  expect(answered('nonce too low: address 0xF39f…, tx: 3 state: 9').kind).toBe('nonce_too_low')
  expect(answered('replacement transaction underpriced')).toMatchObject({ cause: 'replacement' })
  expect(answered('transaction underpriced: tip needed 1000000, tip permitted 1')).toMatchObject({ cause: 'fee' })
  expect(answered('max fee per gas less than block base fee: address 0x…')).toMatchObject({ cause: 'fee' })
  expect(answered('insufficient funds for gas * price + value: balance 0')).toMatchObject({ cause: 'funds' })
  expect(answered('oversized data: transaction size 200124, limit 131072')).toMatchObject({ cause: 'never' })
  expect(answered('exceeds block gas limit')).toMatchObject({ cause: 'never' })
})

test('what is not certain is unknown', () => {
  expect(answered('nonce too high: tx: 9 state: 3').kind).toBe('unknown')
  expect(answered('txpool is full').kind).toBe('unknown')
  expect(answered('rate limit exceeded').kind).toBe('unknown')
  for (const failure of ['rpc_timeout', 'rpc_http_status', 'rpc_interrupted', 'rpc_malformed'] as const) {
    // Words of a proxy or of a broken connection are never taken for the node's.
    const error = new RpcError(failure, 'eth_sendRawTransaction', 'nonce too low, insufficient funds')
    expect(classifySend({ ok: false, error }).kind).toBe('unknown')
  }
})

async function simulateLive(data: Hex, more: Record<string, Hex> = {}, block = 'latest') {
  const call = { from: rich?.address, to: world.tally, data, ...more }
  const [outcome] = await world.rpc.settle([{ method: 'eth_estimateGas', params: [call, block] }])
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
