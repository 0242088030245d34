import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Sql } from '../../db/pool.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import { WAD } from '../../lib/wad.ts'
import type { Broker } from '../ports.ts'
import { buy, openTestBroker } from '../testing-broker.ts'

const NAMES = Array.from({ length: 40 }, (_, nth) => `order-${nth}`)

let database: TestDatabase
let broker: Broker
/** Transactions that were begun, and whether the next one is to fail just before its commit. */
let begun: number
let failing: boolean
beforeEach(async () => {
  database = await testDatabase()
  broker = await openTestBroker(watched(database.sql))
  begun = 0
  failing = false
})
afterEach(() => database.drop())

function watched(sql: Sql): Sql {
  return new Proxy(sql, {
    get(from, key) {
      if (key !== 'begin') return Reflect.get(from, key)
      return (work: (tx: never) => Promise<unknown>) =>
        from.begin(async (tx) => {
          begun += 1
          const result = await work(tx as never)
          if (failing) throw new Error('the connection is gone')
          return result
        })
    },
  })
}

const submitAll = () => Promise.allSettled(NAMES.map((name) => broker.submit(buy(name, WAD))))
const books = async () => (await database.sql`select client_order_id from simulated_broker_orders`).length

describe('orders that come while the books are in use', () => {
  it('share the next transaction', async () => {
    const answers = await submitAll()
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set(['fulfilled']))
    expect(await books()).toBe(NAMES.length)
    expect(begun).toBe(2)
  })

  it('are not undone by one among them that fails', async () => {
    await broker.submit(buy('order-20', 2n * WAD))
    const answers = await submitAll()
    expect(answers.flatMap(({ status }, nth) => (status === 'rejected' ? [nth] : []))).toEqual([20])
    expect(answers[20]).toMatchObject({ reason: { message: 'client order id order-20 was used before' } })
    expect(await books()).toBe(NAMES.length)
  })

  it('all fail with their transaction, leave nothing, and can be sent again', async () => {
    failing = true
    const answers = await submitAll()
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set(['rejected']))
    expect(await books()).toBe(0)
    failing = false
    await submitAll()
    expect(await books()).toBe(NAMES.length)
  })
})
