import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WAD } from '../../lib/wad.ts'
import { unsettledExecutions } from '../testing-executions.ts'
import { USD8, until } from './testing/harness.ts'
import { Stage } from './testing/stage.ts'

const CHAIN = 31_337

let stage: Stage
beforeEach(async () => {
  stage = await Stage.open()
})
afterEach(() => stage.close())

describe('collecting what was executed', () => {
  it('shows fills that no update told of, after the connection was lost', async () => {
    await stage.place(stage.limit('a'))
    await stage.collect()
    await until(() => stage.server.updateSockets.size === 1)
    stage.server.faults.update = () => 'drop'
    stage.server.cutStreams()
    stage.server.account.fill('a', WAD, 199n * USD8)
    stage.server.account.fill('a', 2n * WAD, 198n * USD8)
    await stage.collect()
    expect(await stage.order('a')).toMatchObject({ status: 'filled', filledQuantityWad: 3n * WAD })
  })

  it('has the fills of an order that a database put back to an earlier state does not have, and the order', async () => {
    await stage.place(stage.limit('a'))
    await stage.db.sql`delete from alpaca_orders`
    stage.server.account.fill('a', 3n * WAD, 199n * USD8)
    await stage.collect()
    expect(await stage.db.sql`select client_order_id, status, journaled_quantity_wad from alpaca_orders`).toEqual([
      { client_order_id: 'a', status: 'filled', journaled_quantity_wad: 3n * WAD },
    ])
  })

  it('looks at once after a word of the stream, and seldom without one', async () => {
    await stage.reopen({ pace: { hintedMs: 0, pollMs: 3_600_000, reconcileMs: 3_600_000 } })
    const isFilled = (id: string) => async () => {
      await stage.collect()
      return (await stage.order(id))?.status === 'filled'
    }
    await stage.place(stage.limit('first'))
    await stage.place(stage.limit('second'))
    await stage.collect()
    await until(() => stage.server.updateSockets.size === 1)
    stage.server.account.fill('first', 3n * WAD, 199n * USD8)
    // Only the stream can have told of it, so all that it said before has been heard.
    await until(isFilled('first'))
    await stage.collect()
    const looks = stage.server.requests.length
    for (let i = 0; i < 5; i++) await stage.collect()
    expect(stage.server.requests.length).toBe(looks)
    stage.clock.advance(1)
    stage.server.account.fill('second', 3n * WAD, 199n * USD8)
    await until(isFilled('second'))
    const paths = stage.server.requests.slice(looks).map((request) => request.split('?')[0])
    expect(paths[0]).toBe('GET /v2/account/activities/FILL')
    expect(paths.length).toBeLessThanOrEqual(2)
  })

  it.each([
    ['twice', ['twice', 'twice', 'twice']],
    ['late and in another order', ['late', 'late', 'none']],
  ] as const)('is not misled by updates that come %s', async (_, faults) => {
    await stage.place(stage.limit('a'))
    await stage.collect()
    await until(() => stage.server.updateSockets.size === 1)
    let update = 0
    stage.server.faults.update = () => faults[update++] ?? 'none'
    for (const dollars of [199n, 198n, 197n]) {
      stage.server.account.fill('a', WAD, dollars * USD8)
      stage.clock.advance(1)
    }
    await until(async () => {
      await stage.collect()
      return (await stage.order('a'))?.status === 'filled'
    })
    const executions = await unsettledExecutions(stage.db.sql, CHAIN)
    expect(executions.map(({ price8, filledBeforeWad }) => [price8, filledBeforeWad])).toEqual([
      [199n * USD8, 0n],
      [198n * USD8, WAD],
      [197n * USD8, 2n * WAD],
    ])
  })

  it('waits for fills that the order counts and the activities do not show yet, before it says that it is filled', async () => {
    await stage.place(stage.limit('early'))
    await stage.place(stage.limit('a'))
    stage.server.account.hideLooks = () => 6
    stage.server.account.fill('early', 3n * WAD, 199n * USD8)
    stage.server.account.hideLooks = () => 0
    stage.clock.advance(3_600_000)
    stage.server.account.fill('a', 3n * WAD, 199n * USD8)
    await stage.collect()
    expect(await stage.order('a')).toMatchObject({ status: 'filled' })
    expect(await stage.order('early')).toMatchObject({ status: 'accepted', filledQuantityWad: 0n })
    await until(async () => {
      await stage.collect()
      return (await stage.order('early'))?.status === 'filled'
    })
    expect(await unsettledExecutions(stage.db.sql, CHAIN)).toHaveLength(2)
  })

  it('reads more than one page, and every execution once', async () => {
    await stage.place(stage.limit('a', { quantityWad: 250n * WAD }))
    for (let i = 0; i < 250; i++) {
      stage.clock.advance(1)
      stage.server.account.fill('a', WAD, 199n * USD8 + BigInt(i))
    }
    await stage.collect()
    const prices = (await unsettledExecutions(stage.db.sql, CHAIN)).map(({ price8 }) => price8 - 199n * USD8)
    expect(prices).toEqual(Array.from({ length: 250 }, (_, i) => BigInt(i)))
    expect(await stage.order('a')).toMatchObject({ status: 'filled' })
  })

  it('gives out what it knows while the broker is away', async () => {
    await stage.place(stage.limit('a'))
    stage.server.account.fill('a', WAD, 199n * USD8)
    const { executions } = await stage.market.broker.executionsSince(null, 10)
    stage.server.faults.request = () => '500'
    expect(await stage.market.broker.executionsSince(null, 10)).toMatchObject({ executions })
    await expect(stage.market.broker.executionsSince('1', 10)).rejects.toMatchObject({
      reason: { name: 'broker_unavailable' },
    })
  })

  it('reports the executions of others, and keeps their orders apart', async () => {
    stage.server.account.place({
      symbol: 'MSFT',
      side: 'buy',
      type: 'market',
      notional: '430',
      time_in_force: 'day',
      client_order_id: 'by hand',
    })
    const { foreign } = await stage.collect()
    expect(foreign).toMatchObject([{ clientOrderId: 'by hand', quantityWad: WAD }])
    expect(await unsettledExecutions(stage.db.sql, CHAIN)).toEqual([])
  })

  it('reads amounts to their last digit', async () => {
    await stage.place(stage.limit('a', { quantityWad: 123_456_789n * 10n ** 9n }))
    stage.server.account.fill('a', 123_456_788n * 10n ** 9n, 19_999_999_999n)
    await stage.collect()
    expect(await unsettledExecutions(stage.db.sql, CHAIN)).toMatchObject([
      { quantityWad: 123_456_788n * 10n ** 9n, price8: 19_999_999_999n },
    ])
  })
})
