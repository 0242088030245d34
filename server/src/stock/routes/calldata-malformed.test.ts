import fc from 'fast-check'
import { decodeFunctionData, parseUnits } from 'viem'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { stockRouterAbi } from '../../chain/abi/stock-router.ts'
import type { Hex } from '../../chain/types.ts'
import { ScriptedNode, serveApi } from '../testing/api.ts'
import { AAPL, ALICE, BOB, MSFT, USDC } from '../testing/chain.ts'
import { KeeperWorld, START_MS } from '../testing/keeper.ts'

// Bodies that are nearly sound: each either builds a transaction that says exactly what the body says, or is refused with
// the field that is wrong. Nothing is built from a guess.

let world: KeeperWorld
let api: Awaited<ReturnType<typeof serveApi>>
beforeAll(async () => {
  world = await KeeperWorld.open()
  api = await serveApi({ ...world.venue, rpc: new ScriptedNode() })
}, 60_000)
afterAll(async () => {
  await api?.close()
  await world?.drop()
})

const deadline = START_MS / 1000 + 600
const order = { stockAddress: AAPL, deadline }
const limit = { ...order, type: 'Limit', quantity: '2', price: '100', timeInForce: 'DAY' }
const SOUND: readonly (readonly [path: string, body: Record<string, unknown>])[] = [
  ['/orders/calldata', { ...order, type: 'Market', side: 'Buy', notional: '10' }],
  ['/orders/calldata', { ...order, type: 'Market', side: 'Sell', quantity: '10' }],
  ['/orders/calldata', { ...limit, side: 'Buy' }],
  ['/orders/calldata', { ...limit, side: 'Sell' }],
  ['/orders/with-deposit/calldata', { ...limit, side: 'Buy', depositTokenAddress: USDC, depositAmount: '400' }],
  ['/orders/with-deposit/calldata', { ...limit, side: 'Sell', depositAmount: '400' }],
  ['/stock/deposits/calldata', { userAddress: ALICE, tokenAddress: AAPL, tokenAmount: '3' }],
  ['/stock/withdrawals/calldata', { userAddress: ALICE, tokenAddress: MSFT, tokenAmount: '3' }],
]

/** The fields that an operation takes in one or the other of its forms. */
const fieldsOf = (path: string) => [
  ...new Set(SOUND.flatMap(([of, body]) => (of === path ? Object.keys(body) : []))).add('colour'),
]
const amount = fc.oneof(
  fc.bigInt(1n, 10n ** 24n).map((wad) => `${wad / 10n ** 18n}.${String(wad % 10n ** 18n).padStart(18, '0')}`),
  fc.nat().map(String),
  fc.nat(),
)
const value = fc.oneof(
  { weight: 3, arbitrary: amount },
  fc.constantFrom<unknown>(AAPL, MSFT, USDC, BOB, AAPL.toUpperCase().replace('0X', '0x'), 'DAY', 'GTC', 'Buy', 'Sell'),
  fc.constantFrom<unknown>('Market', 'Limit', '', '0', '-1', '1e3', ' 1', '0.0000000000000000001', '9'.repeat(90)),
  fc.constantFrom<unknown>(null, true, [], {}, 1.5, -1, 0, deadline, 2 ** 32, 2 ** 53, undefined),
  fc.string({ maxLength: 12 }),
)
const nearlySound = fc
  .constantFrom(...SOUND)
  .chain(([path, body]) =>
    fc
      .dictionary(fc.constantFrom(...fieldsOf(path)), value, { maxKeys: 3 })
      .map((changes) => [path, JSON.parse(JSON.stringify({ ...body, ...changes }))] as const),
  )

const wad = (text: unknown) => parseUnits(String(text), 18)
const address = (text: unknown) => String(text).toLowerCase()

/** The arguments that a body asks for, in the order of the router's functions (stock-api 4.1). */
function askedFor(body: Record<string, unknown>): unknown[] {
  if ('tokenAmount' in body) return [address(body.tokenAddress), wad(body.tokenAmount)]
  const sign = body.side === 'Buy' ? 1n : -1n
  const traded = sign * wad(body.type === 'Market' && body.side === 'Buy' ? body.notional : body.quantity)
  const terms = body.type === 'Limit' ? [traded, wad(body.price), 0, body.deadline] : [traded, body.deadline]
  const stock = address(body.stockAddress)
  if (!('depositAmount' in body)) return [stock, ...terms]
  if (body.side === 'Sell') return [stock, wad(body.depositAmount), ...terms]
  return [address(body.depositTokenAddress), parseUnits(String(body.depositAmount), 6), stock, ...terms]
}

it('builds what a body says to the last digit, or refuses it by its field', async () => {
  const outcomes = new Map<string, number>()
  await fc.assert(
    fc.asyncProperty(nearlySound, async ([path, body]) => {
      const answer = await api.post(path, body)
      outcomes.set(answer.reason ?? 'built', (outcomes.get(answer.reason ?? 'built') ?? 0) + 1)
      if (answer.code === 200) {
        const { args = [] } = decodeFunctionData({ abi: stockRouterAbi, data: answer.data.callData as Hex })
        expect(args.map((arg) => (typeof arg === 'string' ? arg.toLowerCase() : arg))).toEqual(askedFor(body))
        return
      }
      expect([answer.status, answer.code], answer.errMsg).toEqual([400, 10_000])
      expect(answer.data, answer.errMsg).toEqual({ field: expect.stringMatching(/^\w+$/) })
      expect(answer.errMsg).toMatch(/^.{10,}$/)
    }),
    { numRuns: 2000, seed: 20_260_115 },
  )
  expect(outcomes.get('built')).toBeGreaterThan(200)
  expect(outcomes.size).toBeGreaterThan(7)
}, 180_000)
