import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ChainEvent } from '../../chain/follow/event-module.ts'
import type { Hex } from '../../chain/types.ts'
import { inTransaction } from '../../db/pool.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import { WAD } from '../../lib/wad.ts'
import { perpEvents } from '../events.ts'
import { PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import { tickToSqrt } from '../maths/tick.ts'
import { signalsOf } from './signal-store.ts'

const CHAIN_ID = 31_337
const TRADER: Hex = `0x${'b1'.repeat(20)}`
const INSTRUMENT: Hex = `0x${'c1'.repeat(20)}`
const [WHOLE, PARTLY, NOTHING] = [2n * WAD, WAD, 0n]

let database: TestDatabase
beforeEach(async () => {
  database = await testDatabase()
  await database.sql`insert into perp_instruments (chain_id, instrument) values (${CHAIN_ID}, ${INSTRUMENT})`
})
afterEach(() => database.drop())

/** Indexes a block of these events, each of a transaction of its own. */
async function apply(number: bigint, events: readonly Pick<ChainEvent, 'name' | 'args'>[]): Promise<void> {
  const hash: Hex = `0x${number.toString(16).padStart(64, '0')}`
  const block = { chainId: CHAIN_ID, number, hash, parentHash: hash, timestampSec: Number(number) }
  const made = events.map(
    ({ name, args }, index): ChainEvent => ({
      address: INSTRUMENT,
      abiVersion: 1,
      name,
      args: { expiry: PERPETUAL_EXPIRY, trader: TRADER, nonce: 0, ...args },
      logIndex: index,
      indexInTransaction: 0,
      transactionHash: `0x${(number * 100n + BigInt(index)).toString(16).padStart(64, '0')}`,
    }),
  )
  await inTransaction(database.sql, (tx) => perpEvents.apply(tx, [{ block, events: made, transactions: [] }]))
}

const opened = { name: 'UpdateAmmStatus', args: { status: 1, sqrtPX96: tickToSqrt(0), mark: WAD } }
const place = (tick: number) => ({ name: 'Place', args: { tick, order: { size: WHOLE, balance: WAD } } })
const end = (name: 'Fill' | 'Cancel', tick: number, size: bigint) => ({
  name,
  args: {
    tick,
    fee: 0n,
    tip: 0n,
    pic: { balance: 0n, size, entryNotional: size, entrySocialLossIndex: 0n, entryFundingIndex: 0n },
  },
})

describe('the signal of an order that ends', () => {
  it('says filled of one that was taken whole, whichever event ends it', async () => {
    await apply(1n, [opened, place(1), place(2), place(3), place(4)])
    await apply(2n, [
      end('Fill', 1, WHOLE),
      end('Cancel', 2, WHOLE),
      end('Cancel', 3, PARTLY),
      end('Cancel', 4, NOTHING),
    ])
    const of = async (block: bigint) => {
      const [signals = []] = await signalsOf(
        database.sql,
        CHAIN_ID,
        [{ trader: TRADER, after: block - 1n, upTo: block }],
        10,
      )
      return signals.map(({ order }) => order)
    }
    const [placed, ended] = [await of(1n), await of(2n)]
    expect(placed.map((order) => order?.change)).toEqual(['placed', 'placed', 'placed', 'placed'])
    expect(ended.map((order) => order?.change)).toEqual(['filled', 'filled', 'canceled', 'canceled'])
    expect(ended.map((order) => order?.id)).toEqual(placed.map((order) => order?.id))
  })
})
