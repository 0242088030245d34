import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Hex } from '../../chain/types.ts'
import { inTransaction } from '../../db/pool.ts'
import { WAD } from '../../lib/wad.ts'
import { reopenExecutions } from '../../market/broker-orders.ts'
import { REJECTION_CODE } from '../orders/rejection-reason.ts'
import { CHAIN_ID, closed, filled, LONG_AGO_SEC, limitFilled, placed, randomHash, TestChain } from '../testing/chain.ts'
import { KeeperWorld, revert, type SentIntent, START_MS, usd } from '../testing/keeper.ts'
import { oldestUnsettledSec } from './backlog-store.ts'
import { bookHedges, sumHedges } from './hedges.ts'
import { settlementMemory, settleOrders } from './settle-orders.ts'

let world: KeeperWorld
let memory: ReturnType<typeof settlementMemory>
beforeEach(async () => {
  world = await KeeperWorld.open()
  memory = settlementMemory()
})
afterEach(() => world.drop())

const PRICE8 = 200_00000000n
const PRICE_WAD = 200n * WAD

async function round(): Promise<SentIntent[]> {
  await settleOrders(world.venue, memory)
  return world.newIntents()
}

const ordersOf = (intent: SentIntent | undefined): Hex[] =>
  (intent?.args[2] ?? []).map(({ orderId }: { orderId: Hex }) => orderId)

async function orders(count: number): Promise<Hex[]> {
  const ids: Hex[] = []
  for (let index = 0; index < count; index++) ids.push((await world.filledOrder(usd(200), PRICE8)).orderId)
  return ids
}

const fillOf = (orderId: Hex) => filled({ orderId, quantity: WAD, price: PRICE_WAD })
const hedge = (shares: bigint) => [{ symbol: 'AAPL', quantityWad: shares * WAD, cashWad: -shares * PRICE_WAD }]

describe('a settlement that reverts', () => {
  it('over one order lets that one wait and tries the others at once', async () => {
    const [a, b, c] = (await orders(3)) as [Hex, Hex, Hex]
    const [batch] = await round()
    const revertData = revert('FillPriceOutsideBand', [b, PRICE_WAD, 1n])
    await world.end(batch as SentIntent, { state: 'rejected', revertData })
    const [again, ...others] = await round()
    expect([ordersOf(again), others]).toEqual([[a, c], []])
    await world.chain.emit(fillOf(a), closed(a, 'filled'), fillOf(c), closed(c, 'filled'))
    await world.end(again as SentIntent, { state: 'mined' })
    expect(await round()).toEqual([])
    world.nowMs += 5000
    expect(ordersOf((await round())[0])).toEqual([b])
  })

  it.each([
    ['OraclePriceStale', revert('OraclePriceStale', [1n])],
    ['EnforcedPause', '0xd93c0665'],
  ] as const)(
    'over a general cause (%s) lets the token wait, and then goes on with everything',
    async (_, revertData) => {
      const ids = await orders(2)
      let delayMs = 5000
      for (let attempt = 0; attempt < 5; attempt++) {
        const [batch] = await round()
        expect(ordersOf(batch)).toEqual(ids)
        await world.end(batch as SentIntent, { state: 'rejected', revertData })
        expect(await round()).toEqual([])
        expect(await world.hedge()).toEqual(hedge(2n))
        world.nowMs += delayMs - 1
        expect(await round()).toEqual([])
        world.nowMs += 1
        delayMs = Math.min(30_000, delayMs * 2)
      }
    },
  )

  it.each([
    ['an unknown reason', '0xdeadbeef'],
    ['none', undefined],
    ['more cash than there is', revert('InsufficientCash')],
  ] as const)('for %s lets each order go alone, in turns with new ones', async (_, revertData) => {
    const [a, b] = (await orders(2)) as [Hex, Hex]
    const [batch] = await round()
    const data = revertData ? { revertData } : {}
    await world.end(batch as SentIntent, { state: 'mined', outcome: 'reverted', ...data })
    expect(await round()).toEqual([])
    world.nowMs += 5000
    const [c] = (await orders(1)) as [Hex]
    const [alone] = await round()
    expect(ordersOf(alone)).toEqual([a])
    await world.end(alone as SentIntent, { state: 'failed' })
    const [fresh] = await round()
    expect(ordersOf(fresh)).toEqual([c])
    await world.chain.emit(fillOf(c), closed(c, 'filled'))
    await world.end(fresh as SentIntent, { state: 'mined' })
    expect(ordersOf((await round())[0])).toEqual([b])
  })
})

describe('what the chain does not show', () => {
  it('a skipped fill is tried again', async () => {
    const [a] = (await orders(1)) as [Hex]
    const [batch] = await round()
    await world.chain.emit([
      'FillSkipped',
      { orderId: a, settler: a.slice(0, 42), reason: 3, filledBefore: 0n, quantity: WAD },
    ])
    await world.end(batch as SentIntent, { state: 'mined' })
    expect(await round()).toEqual([])
    expect(await world.hedge()).toEqual(hedge(1n))
    world.nowMs += 5000
    expect(ordersOf((await round())[0])).toEqual([a])
  })

  it('half of an order’s fills goes on where the chain stands', async () => {
    const orderId = await world.place(usd(400))
    await world.trade()
    world.broker.fill(orderId, WAD, PRICE8, 'partially_filled')
    world.broker.fill(orderId, WAD, PRICE8)
    await world.trade()
    const [batch] = await round()
    await world.chain.emit(fillOf(orderId))
    await world.end(batch as SentIntent, { state: 'mined' })
    await round()
    world.nowMs += 5000
    const [rest] = await round()
    expect(rest?.args[2]).toEqual([{ orderId, filledBefore: WAD, quantity: WAD, price: PRICE_WAD, last: true }])
  })

  it('waits until the indexer has the intent’s block', async () => {
    await orders(1)
    const [batch] = await round()
    await world.end(batch as SentIntent, { state: 'mined', block: { number: 1000n, hash: randomHash() } })
    expect(await round()).toEqual([])
    expect(await world.openExecutions()).toBe(0)
  })

  it('after a restart of the keeper is found as well', async () => {
    const [a] = (await orders(1)) as [Hex]
    const [batch] = await round()
    await world.end(batch as SentIntent, { state: 'rejected', revertData: revert('FillPriceOutsideBand', [a, 1n, 1n]) })
    memory = settlementMemory()
    await round()
    expect(await world.openExecutions()).toBe(1)
    memory = settlementMemory()
    expect(ordersOf((await round())[0])).toEqual([a])
  })
})

describe('an order that its user took back', () => {
  it('before its settlement keeps the hedge booked to the venue and is never tried again', async () => {
    const [a] = (await orders(1)) as [Hex]
    await world.chain.emit(closed(a, 'takenBack', usd(200)))
    for (let attempt = 0; attempt < 3; attempt++) expect(await round()).toEqual([])
    expect(await world.hedge()).toEqual(hedge(1n))
  })

  it('while its settlement was under way gives the hedge back to the venue', async () => {
    const [a] = (await orders(1)) as [Hex]
    const [batch] = await round()
    expect(await world.hedge()).toEqual([])
    await world.chain.emit(closed(a, 'takenBack', usd(200)))
    await world.end(batch as SentIntent, { state: 'mined' })
    expect(await round()).toEqual([])
    expect(await world.hedge()).toEqual(hedge(1n))
    world.nowMs += 3_600_000
    expect(await round()).toEqual([])
  })

  it('before the broker had it is not given to the broker', async () => {
    const orderId = await world.place(usd(200))
    await world.chain.emit(closed(orderId, 'takenBack', usd(200)))
    await world.trade()
    expect(world.broker.orderIds).toEqual([])
  })

  it('in any number does not hold back the settlement of others', async () => {
    const taken = await orders(3)
    await world.chain.emit(...taken.map((id) => closed(id, 'takenBack', usd(200))))
    const [a] = await orders(1)
    expect(ordersOf((await round())[0])).toEqual([a])
    expect(await world.hedge()).toEqual(hedge(3n))
  })
})

describe('a reorganisation', () => {
  it('that takes an order away for good leaves its hedge with the venue', async () => {
    await world.filledOrder(usd(200), PRICE8)
    const [batch] = await round()
    await world.chain.undo(1)
    await world.chain.block({ events: [] })
    await world.end(batch as SentIntent, { state: 'mined' })
    expect(await round()).toEqual([])
    expect(await world.hedge()).toEqual(hedge(1n))
  })

  it('that takes the settlement’s block away waits for the relayer to bring it back', async () => {
    const [a] = (await orders(1)) as [Hex]
    const [batch] = await round()
    await world.chain.emit(fillOf(a), closed(a, 'filled'))
    await world.end(batch as SentIntent, { state: 'mined' })
    expect(await round()).toEqual([])
    await world.chain.undo(1)
    await world.chain.block()
    await world.chain.block()
    expect(await round()).toEqual([])
    expect(await world.openExecutions()).toBe(0)
    await world.end(batch as SentIntent, { state: 'broadcast' })
    expect(await round()).toEqual([])
    await world.chain.emit(fillOf(a), closed(a, 'filled'))
    await world.end(batch as SentIntent, { state: 'mined' })
    expect(await round()).toEqual([])
    expect(await world.hedge()).toEqual([])
  })

  it('that puts another order under the same id has it rejected, and what was bought stays with the venue', async () => {
    const { orderId } = await world.filledOrder(usd(200), PRICE8)
    await world.chain.undo(1)
    await world.chain.emit(placed({ orderId, amount: -WAD }))
    const [intent, ...others] = await round()
    expect(others).toEqual([])
    expect(intent?.args[0]).toEqual([{ orderId, filledBefore: 0n, reasonCode: REJECTION_CODE.replaced }])
    expect(await world.hedge()).toEqual(hedge(1n))
  })

  it('that does so while the broker still has the first one has the other rejected at once', async () => {
    const orderId = await world.place(usd(200))
    await world.trade()
    await world.chain.undo(1)
    await world.chain.emit(placed({ orderId, amount: usd(201) }))
    await world.trade()
    const [intent] = await round()
    expect(intent?.args[0]).toEqual([{ orderId, filledBefore: 0n, reasonCode: REJECTION_CODE.replaced }])
  })

  it('that brings the same order back gives it to the broker once', async () => {
    const orderId = await world.place(usd(200))
    await world.trade()
    await world.chain.undo(1)
    await world.place(usd(200), undefined, orderId)
    await world.trade()
    expect(world.broker.orderIds).toEqual([orderId])
  })
})

describe('a settlement that the chain shows and the database waits for', () => {
  beforeEach(() => {
    TestChain.startSec = START_MS / 1000
  })
  afterEach(() => {
    TestChain.startSec = LONG_AGO_SEC
  })

  /** A limit buy of three tokens of which the broker has filled one, and the intent that settles that. */
  async function firstPart(): Promise<{ orderId: Hex; first: SentIntent }> {
    const orderId = await world.placeLimit(3n * WAD, PRICE_WAD)
    await world.trade()
    world.broker.fill(orderId, WAD, PRICE8, 'partially_filled')
    await world.trade()
    const [first] = await round()
    return { orderId, first: first as SentIntent }
  }
  const part = (orderId: Hex) => limitFilled({ orderId, quantity: WAD, price: PRICE_WAD })
  const filledBefores = (intents: readonly SentIntent[]) =>
    intents.flatMap(({ args }) => args[2].map(({ filledBefore }: { filledBefore: bigint }) => filledBefore))
  /** Puts the database back to before the intent, of which the chain has the transaction. */
  async function lose(intent: SentIntent): Promise<void> {
    const ids = await world.sql<{ execution_id: string }[]>`select execution_id from execution_settlements
      where intent_id = ${intent.id.toString()}::bigint`
    await inTransaction(world.sql, (tx) =>
      reopenExecutions(
        tx,
        CHAIN_ID,
        ids.map((row) => row.execution_id),
      ),
    )
    await world.sql`delete from tx_intents where id = ${intent.id.toString()}::bigint`
  }

  it('lost its intent: what follows goes on where the chain stands, and again when a reorganisation takes it away', async () => {
    const { orderId, first } = await firstPart()
    await lose(first)
    await world.chain.emit(part(orderId))
    world.broker.fill(orderId, WAD, PRICE8, 'partially_filled')
    await world.trade()
    const [second, ...others] = await round()
    expect([filledBefores([second as SentIntent]), others]).toEqual([[WAD], []])
    expect([await world.hedge(), await oldestUnsettledSec(world.sql, CHAIN_ID)]).toEqual([[], expect.any(Number)])

    await world.end(second as SentIntent, { state: 'rejected', revertData: '0xdeadbeef' })
    await world.chain.undo(1)
    expect(await round()).toEqual([])
    world.nowMs += 60_000
    expect(filledBefores(await round())).toEqual([0n, WAD])
  })

  it('was reverted in a block that a reorganisation took away, and succeeded in another', async () => {
    const { orderId, first } = await firstPart()
    await world.chain.block()
    await world.end(first, { state: 'mined', outcome: 'reverted', revertData: revert('OraclePriceStale', [1n]) })
    expect(await round()).toEqual([])
    expect(await world.openExecutions()).toBe(1)
    await world.chain.undo(1)
    await world.chain.emit(part(orderId))
    const { number, hash } = world.chain.head
    await world.sql`update tx_intents set outcome = 'succeeded', revert_data = null, block_number = ${number.toString()},
      block_hash = ${hash} where id = ${first.id.toString()}::bigint`
    world.broker.fill(orderId, WAD, PRICE8, 'partially_filled')
    await world.trade()
    world.nowMs += 60_000
    expect(filledBefores(await round())).toEqual([WAD])
  })

  it('ended its order: nothing waits, and nothing is a hedge', async () => {
    const { orderId } = await world.filledOrder(usd(200), PRICE8)
    await lose((await round())[0] as SentIntent)
    await world.chain.emit(fillOf(orderId), closed(orderId, 'filled'))
    expect(await round()).toEqual([])
    await bookHedges(world.venue)
    expect([await world.hedge(), await sumHedges(world.sql, CHAIN_ID)]).toEqual([[], []])
    expect([await world.openExecutions(), await oldestUnsettledSec(world.sql, CHAIN_ID)]).toEqual([0, 0])
  })
})

it('takes an id that a database gave out again for another settlement, once the keeper leads anew', async () => {
  const [a] = (await orders(1)) as [Hex]
  const revertData = revert('FillPriceOutsideBand', [a, 1n, 1n])
  const [lost] = await round()
  await world.end(lost as SentIntent, { state: 'rejected', revertData })
  await round()
  // A replica that took over lacks the intent and what became of it; its lock session ended with the old server.
  await world.sql`delete from tx_intents where id = ${String(lost?.id)}::bigint`
  await world.sql`select setval(pg_get_serial_sequence('tx_intents', 'id'), ${String(lost?.id)}::bigint, false)`
  memory = settlementMemory()
  await settleOrders(world.venue, memory)
  const again = { id: lost?.id } as SentIntent
  await world.end(again, { state: 'rejected', revertData })
  await round()
  expect(await world.openExecutions()).toBe(1)
})
