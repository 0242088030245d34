import { expect, it, onTestFinished } from 'vitest'
import { testDatabase } from '../../db/testing.ts'
import { WAD } from '../../lib/wad.ts'
import { adoptOrder, copyOf, findCopies, takeOrder } from './order-store.ts'
import type { WireOrder } from './order-wire.ts'

const ROUNDS = 300
const AT_ONCE = 6

const wire = (clientOrderId: string, filledQuantityWad: bigint): WireOrder => ({
  clientOrderId,
  brokerOrderId: `broker ${clientOrderId}`,
  symbol: 'AAPL',
  side: 'buy',
  terms: 'AAPL buy 3',
  status: filledQuantityWad === 0n ? 'accepted' : 'partially_filled',
  filledQuantityWad,
  submittedMs: 1_000,
  changedMs: 1_000 + Number(filledQuantityWad / WAD),
  canceledMs: null,
})

// The answer, the stream and the collector tell of a new order within the same milliseconds.
it('an order that several connections store at once is stored, with the most that was filled', async () => {
  const { sql, drop } = await testDatabase()
  onTestFinished(drop)
  for (let round = 0; round < ROUNDS; round++) {
    const id = `order ${round}`
    const terms = { symbol: 'AAPL', side: 'buy', type: 'limit', quantityWad: 9n * WAD, limitPrice8: 1n } as const
    if (round % 2 === 0) await copyOf(sql, { clientOrderId: id, ...terms, expiresAtMs: null })
    await Promise.all(Array.from({ length: AT_ONCE }, (_, filled) => adoptOrder(sql, wire(id, BigInt(filled) * WAD))))
    expect(await findCopies(sql, [id])).toMatchObject([{ filledQuantityWad: 5n * WAD, brokerOrderId: `broker ${id}` }])
  }
})

it('of an order without a copy nothing is kept, unless it is adopted', async () => {
  const { sql, drop } = await testDatabase()
  onTestFinished(drop)
  await takeOrder(sql, wire('of others', WAD))
  expect(await findCopies(sql, ['of others'])).toEqual([])
  await adoptOrder(sql, wire('of others', 0n))
  await takeOrder(sql, wire('of others', WAD))
  expect(await findCopies(sql, ['of others'])).toMatchObject([{ filledQuantityWad: WAD, terms: 'AAPL buy 3' }])
})
