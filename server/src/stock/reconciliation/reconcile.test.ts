import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Hex } from '../../chain/types.ts'
import { inTransaction } from '../../db/pool.ts'
import { WAD } from '../../lib/wad.ts'
import { insertAppliedSplit } from '../../market/applied-splits.ts'
import { insertOrders } from '../../market/broker-store.ts'
import { cycleMemory, reconcile, reconcileTask } from '../../reconciliation/cycle.ts'
import { isLasting } from '../../reconciliation/report.ts'
import { splitKey } from '../keeper/splits.ts'
import {
  AAPL,
  ALICE,
  CHAIN_ID,
  cashConfigured,
  deposited,
  randomHash,
  SETTLER,
  STOCK,
  stockWithdrawalEnded,
  stockWithdrawalQueued,
} from '../testing/chain.ts'
import { START_MS, usd } from '../testing/keeper.ts'
import { FIRST_WINDOW } from './database-figures.ts'
import { stockComparisons, takeReading } from './reconcile.ts'
import { latestStockReading } from './supply.ts'
import { PRICE8, Scene } from './testing-scene.ts'

let scene: Scene
beforeEach(async () => {
  scene = await Scene.open()
})
afterEach(() => scene.drop())

/** Takes a reading and stores it, as the first of a process. */
async function once(): Promise<void> {
  const comparisons = stockComparisons(scene.world.market)
  await reconcile(scene.venue, comparisons, cycleMemory())
}

describe('where all is well', () => {
  it('nothing differs, and what waits is named', async () => {
    expect(await scene.differences()).toEqual([])
    expect(await scene.inFlight()).toEqual([
      `mUSD owed queued ${usd(100)}`,
      `mUSD cover surplus ${1_004_299_000_000n * 10n ** 12n - 300n * WAD - scene.contracts.owedWad}`,
      'USDC queued_deposits queued 300000000',
      `USDC queued_withdrawals queued ${usd(100)}`,
    ])
  })

  it('every figure is there in its own column', async () => {
    const all = await scene.lines()
    const of = (subject: string, comparison: string) => {
      const found = all.find((line) => line.subject === subject && line.comparison === comparison)
      return [found?.broker, found?.database, found?.chain].map((one) => (one == null ? null : one / 10n ** 9n))
    }
    const five = 5n * 10n ** 9n
    expect(of('AAPL', 'position')).toEqual([five, five, null])
    expect(of('AAPL', 'settlement')).toEqual([five, five, five])
    expect(of('AAPL', 'supply')).toEqual([null, five, five])
    expect(of('AAPL', 'custody')).toEqual([null, 4n * 10n ** 9n, 4n * 10n ** 9n])
    expect(of('MSFT', 'position')).toEqual([0n, 0n, null])
    const broker = all.find(({ comparison }) => comparison === 'at_broker')
    expect([broker?.broker, broker?.database]).toEqual([1n, 1n])
    expect(all.find(({ comparison }) => comparison === 'placed')?.database).toBe(2n)
    expect(all.find(({ section, subject }) => section === 'users' && subject === 'cash')?.database).toBe(2n)
  })
})

describe('what is on its way is no difference', () => {
  it('executed at the broker and not collected', async () => {
    scene.world.broker.fill(scene.restingId, WAD / 4n, PRICE8, 'partially_filled')
    expect(await scene.differences()).toEqual([])
    expect(await scene.inFlight()).toContain(`AAPL position not_collected ${WAD / 4n}`)
  })

  it('executed while the account is read: it is read again, and what never stands still is not judged', async () => {
    const held = [5n * WAD, 6n * WAD, 5n * WAD, 5n * WAD]
    scene.world.broker.positions = async () => [{ symbol: 'AAPL', quantityWad: held.shift() as bigint }]
    expect(await scene.differences()).toEqual([])
    expect(held).toEqual([])
    let shares = 5n
    scene.world.broker.positions = async () => [{ symbol: 'AAPL', quantityWad: shares++ * WAD }]
    expect(await scene.differences()).toEqual([])
    expect((await scene.inFlight()).filter((one) => one.startsWith('AAPL'))).toEqual([
      expect.stringMatching(/^AAPL position moving \d+$/),
    ])
  })

  it('executed and not settled; and a hedge', async () => {
    scene.world.broker.fill(scene.restingId, WAD / 4n, PRICE8, 'partially_filled')
    await scene.world.trade()
    expect(await scene.differences()).toEqual([])
    expect(await scene.inFlight()).toContain(`AAPL settlement unsettled ${WAD / 4n}`)
    await scene.world.sql`
      insert into hedges (chain_id, execution_id, order_id, symbol, quantity_wad, cash_wad, reason)
      select chain_id, execution_id, client_order_id, symbol, quantity_wad, 0, 'taken_back' from broker_executions
      where client_order_id = ${scene.restingId}`
    expect(await scene.differences()).toEqual([])
    expect(await scene.inFlight()).toContain(`AAPL settlement hedge ${WAD / 4n}`)
  })

  it('minted for a settlement', async () => {
    scene.contracts.supplyWad.set(AAPL, 12n * WAD)
    scene.contracts.heldWad.set(`${AAPL} ${SETTLER}`, 7n * WAD)
    expect(await scene.differences()).toEqual([])
    expect(await scene.inFlight()).toContain(`AAPL supply settler ${7n * WAD}`)
  })

  it('an order on its way to the broker, and one that the broker has ended', async () => {
    scene.world.broker.end(scene.restingId, 'canceled')
    const unsent = { clientOrderId: 'to be sent', symbol: 'AAPL', expiresAtMs: null } as const
    const terms = { type: 'market', side: 'sell', quantityWad: WAD } as const
    await insertOrders(scene.world.sql, CHAIN_ID, 'scripted', [{ ...unsent, ...terms }])
    expect(await scene.differences()).toEqual([])
    expect(await scene.inFlight()).toEqual(
      expect.arrayContaining(['orders at_broker requested 1', 'orders at_broker ended 1']),
    )
  })

  it.each([
    { end: 'Settled', heldWad: 3n * WAD, balanceWad: 3n * WAD },
    { end: 'TakenBack', heldWad: 4n * WAD, balanceWad: 4n * WAD },
  ] as const)('stock that waits to be withdrawn, and nothing differs once it is $end', async (after) => {
    const opId = randomHash()
    await scene.world.chain.emit(stockWithdrawalQueued(opId, WAD))
    // The exchange numbers what it queues as it numbers its orders.
    scene.contracts.orderCount += 1n
    scene.contracts.stockBalanceWad.set(`${ALICE} ${AAPL}`, 3n * WAD)
    expect(await scene.differences()).toEqual([])
    await scene.world.chain.emit(stockWithdrawalEnded(opId, after.end, WAD))
    scene.contracts.heldWad.set(`${AAPL} ${STOCK}`, after.heldWad)
    scene.contracts.stockBalanceWad.set(`${ALICE} ${AAPL}`, after.balanceWad)
    expect(await scene.differences()).toEqual([])
  })

  it('more tokens or more cash than anybody is owed', async () => {
    await once()
    scene.contracts.heldWad.set(`${AAPL} ${STOCK}`, 5n * WAD)
    scene.contracts.cashierHoldsRaw += 7n
    expect(await scene.differences()).toEqual([])
    expect(await scene.inFlight()).toEqual(
      expect.arrayContaining([`AAPL custody surplus ${WAD}`, 'USDC balance surplus 7']),
    )
  })
})

describe('the Cashier’s balance', () => {
  it('is missed to the last unit, however much the operator has put in, until it is back', async () => {
    await once()
    expect(await scene.differences()).toEqual([])
    scene.contracts.cashierHoldsRaw -= 1n
    for (const _ of [1, 2]) {
      await once()
      expect(await scene.differences()).toEqual(['USDC balance missing_cash -1'])
    }
    scene.contracts.cashierHoldsRaw += 1n
    expect(await scene.differences()).toEqual([])
  })

  it('follows what settlements pay and the operator collects', async () => {
    await once()
    await scene.world.chain.emit()
    scene.contracts.cashierHoldsRaw -= 30n
    scene.contracts.emit('BatchSettled', 50n)
    scene.contracts.emit('BatchSettled', -25n)
    scene.contracts.emit('TokenCollected', 5n)
    await once()
    expect(await stored()).toEqual([])
    await scene.world.chain.emit()
    scene.contracts.emit('BatchSettled', 3n)
    await once()
    expect(await inFlightOf('balance')).toEqual([['surplus', 3n]])
  })

  it('is not judged by the logs of a node that has not come to the block yet', async () => {
    await once()
    await scene.world.chain.emit()
    scene.contracts.cashierHoldsRaw -= 50n
    scene.contracts.emit('BatchSettled', 50n)
    scene.contracts.isBehind = true
    await once()
    expect(await stored()).toEqual([])
    scene.contracts.isBehind = false
    await once()
    expect(await stored()).toEqual([])
  })

  it('may be collected by the administrator’s rate where the rate stands above it, by the rate below it', async () => {
    await scene.world.chain.emit(cashConfigured({ usdRate: 1_003_000 }))
    expect(await scene.differences()).toEqual([])
    await scene.world.chain.emit(cashConfigured({ usdRate: 997_000 }))
    expect(await scene.differences()).toEqual([expect.stringMatching(/^USDC collectible cash_books \d+$/)])
  })

  it('may not be collected for a token whose deposits are paused', async () => {
    scene.contracts.isCashCounted = false
    expect(await scene.differences()).toEqual([expect.stringMatching(/^USDC collectible cash_books -\d+$/)])
    await scene.world.chain.emit(cashConfigured({ depositPaused: true, withdrawPaused: true }))
    expect(await scene.differences()).toEqual([])
  })

  it('that does not cover what is owed is seen at the first reading', async () => {
    scene.contracts.cashierHoldsRaw = 4000n * 10n ** 6n
    expect(await scene.differences()).toEqual([`mUSD cover missing_cash ${3700n * WAD - scene.contracts.owedWad}`])
  })
})

const stored = async () =>
  ((await latestStockReading(scene.world.sql, CHAIN_ID))?.lines ?? [])
    .filter(({ difference }) => difference !== 0n)
    .map(({ subject, comparison, difference }) => [subject, comparison, difference])

const inFlightOf = async (comparison: string) =>
  (await latestStockReading(scene.world.sql, CHAIN_ID))?.lines
    .find((line) => line.comparison === comparison)
    ?.inFlight.map(({ name, amount }) => [name, amount])

describe('a split', () => {
  const split = (sharesPerTokenWad: bigint, agoMs = 60_001) =>
    scene.world.split(AAPL, sharesPerTokenWad, START_MS - agoMs)

  it('that the chain was never told of, or that nobody recorded', async () => {
    scene.contracts.sharesPerTokenWad.set(AAPL, 2n * WAD)
    expect(await scene.differences()).toEqual([`AAPL shares_per_token foreign_shares_per_token ${WAD}`])
    await split(2n * WAD)
    expect(await scene.differences()).toEqual([])
    scene.contracts.sharesPerTokenWad.delete(AAPL)
    expect(await scene.differences()).toEqual([`AAPL shares_per_token split_not_on_chain ${-WAD}`])
  })

  it('that took effect a moment ago is no difference', async () => {
    await split(4n * WAD, 1)
    expect(await scene.differences()).toEqual([])
    scene.world.nowMs += 60_000
    expect(await scene.differences()).toEqual([`AAPL shares_per_token split_not_on_chain ${-3n * WAD}`])
  })

  it('that is on its way to the chain is no difference', async () => {
    await split(4n * WAD)
    await scene.world.sql`
      insert into tx_intents (chain_id, purpose, dedupe_key, ordering_key, to_address, data, value_wei)
      values (${CHAIN_ID}, 'configure', ${`${splitKey(AAPL)}:2026-08-03:0`}, ${splitKey(AAPL)}, ${AAPL}, '0x', 0)`
    expect(await scene.differences()).toEqual([])
    expect(await scene.inFlight()).toContain(`AAPL shares_per_token split_under_way ${-3n * WAD}`)
  })

  it('multiplies the shares of before it, whose last parts the broker may round', async () => {
    const action = {
      symbol: 'AAPL',
      exDate: '2026-08-03',
      effectiveMs: START_MS + 1,
      from8: 3_00000000n,
      to8: 1_00000000n,
    }
    await inTransaction(scene.world.sql, (tx) => insertAppliedSplit(tx, action))
    scene.world.nowMs = START_MS + 2
    const positionLine = async (quantityWad: bigint) => {
      scene.world.broker.positions = async () => [{ symbol: 'AAPL', quantityWad }]
      return (await scene.lines()).find(({ subject, comparison }) => subject === 'AAPL' && comparison === 'position')
    }
    const exact = await positionLine((5n * WAD) / 3n)
    expect([exact?.difference, exact?.inFlight]).toEqual([0n, []])
    const rounded = await positionLine(1_666_666_667n * 10n ** 9n)
    expect([rounded?.difference, rounded?.inFlight.map(({ name }) => name)]).toEqual([0n, ['split_rounding']])
    const wrong = await positionLine(5n * WAD)
    expect([wrong?.difference, wrong?.cause]).toEqual([5n * WAD - (5n * WAD) / 3n, 'foreign_position'])
  })
})

describe('a split at a real market', () => {
  const changedMs = Date.parse('2026-08-03T20:00:00-04:00')
  const apply = (exDate: string, effectiveMs: number, from8 = 1n, to8 = 4n) =>
    insertAppliedSplit(scene.world.sql, { symbol: 'AAPL', exDate, effectiveMs, from8, to8 })
  const position = async (quantityWad: bigint) => {
    scene.world.broker.positions = async () => [{ symbol: 'AAPL', quantityWad }]
    const of = (await scene.lines()).find((line) => line.subject === 'AAPL' && line.comparison === 'position')
    return [of?.difference, of?.inFlight.map(({ name, amount }) => `${name} ${amount}`)]
  }

  beforeEach(async () => {
    await scene.world.sql`insert into market_origin (origin) values ('alpaca test')`
  })

  it('counts what was executed from the ex-date on in new shares, however late the split was applied', async () => {
    await apply('2026-08-03', START_MS + 3_600_000)
    scene.world.nowMs = START_MS + 3_600_001
    expect(await position(5n * WAD)).toEqual([0n, []])
  })

  it('is awaited at the broker for some days, where its position is that of before', async () => {
    await apply('2026-08-04', changedMs)
    scene.world.nowMs = changedMs
    expect(await position(20n * WAD)).toEqual([0n, []])
    expect(await position(5n * WAD)).toEqual([0n, [`split_at_broker ${-15n * WAD}`]])
    expect(await position(6n * WAD)).toEqual([-14n * WAD, []])
    scene.world.nowMs = changedMs + 3 * 86_400_000 + 1
    expect(await position(5n * WAD)).toEqual([-15n * WAD, []])
  })

  it('is awaited until some days after the shares are paid, where that is said: those of a stock dividend come weeks later', async () => {
    await scene.world.sql`
      insert into market_corporate_actions (symbol, type, ex_date, payable_date, ratio_from8, ratio_to8)
      values ('AAPL', 'split', '2026-08-04', '2026-08-24', 20, 21)`
    await apply('2026-08-04', changedMs, 20n, 21n)
    const lastMs = Date.parse('2026-08-24T00:00:00-04:00') + 3 * 86_400_000
    scene.world.nowMs = lastMs
    expect(await position(5n * WAD)).toEqual([0n, [`split_at_broker ${-WAD / 4n}`]])
    scene.world.nowMs = lastMs + 1
    expect(await position(5n * WAD)).toEqual([-WAD / 4n, []])
  })

  it('is awaited beside another: while a stock dividend is not paid, whatever of the two the broker has carried out', async () => {
    const splitMs = Date.parse('2026-08-10T20:00:00-04:00')
    const [graceMs, partWad] = [3 * 86_400_000, 10n ** 9n]
    await scene.world.sql`
      insert into market_corporate_actions (symbol, type, ex_date, payable_date, ratio_from8, ratio_to8)
      values ('AAPL', 'split', '2026-08-04', '2026-08-24', 20, 21)`
    await apply('2026-08-04', changedMs, 20n, 21n)
    await apply('2026-08-11', splitMs)
    const awaits = async (positionWad: bigint) =>
      expect(await position(positionWad)).toEqual([0n, [`split_at_broker ${positionWad - 21n * WAD}`]])
    const isForeign = async (positionWad: bigint) =>
      expect(await position(positionWad)).toEqual([positionWad - 21n * WAD, []])
    scene.world.nowMs = splitMs
    expect(await position(21n * WAD)).toEqual([0n, []])
    for (const positionWad of [5n * WAD, (5n * WAD * 21n) / 20n, 20n * WAD]) await awaits(positionWad)
    await isForeign(19n * WAD)
    scene.world.nowMs = splitMs + graceMs + 1
    await awaits(20n * WAD)
    await awaits(20n * WAD - partWad)
    await isForeign(5n * WAD)
    scene.world.nowMs = Date.parse('2026-08-24T00:00:00-04:00') + graceMs + 1
    await isForeign(20n * WAD)
  })

  it('is awaited for what was bought since a stock dividend that is not paid, which has no part in that', async () => {
    const [dividendMs, splitMs] = [changedMs - 86_400_000, Date.parse('2026-08-10T20:00:00-04:00')]
    await scene.world.sql`
      insert into market_corporate_actions (symbol, type, ex_date, payable_date, ratio_from8, ratio_to8)
      values ('AAPL', 'split', '2026-08-03', '2026-08-24', 20, 21)`
    await apply('2026-08-03', dividendMs, 20n, 21n)
    await apply('2026-08-11', splitMs)
    scene.world.nowMs = splitMs
    expect(await position(20n * WAD)).toEqual([0n, []])
    expect(await position(5n * WAD)).toEqual([0n, [`split_at_broker ${-15n * WAD}`]])
    scene.world.nowMs = splitMs + 3 * 86_400_000 + 1
    expect(await position(5n * WAD)).toEqual([-15n * WAD, []])
  })

  it('is awaited also where the broker has rounded at a split before', async () => {
    const partWad = 10n ** 9n
    const roundedWad = 1_666_666_667n * partWad
    await apply('2026-08-04', changedMs, 3n, 1n)
    await apply('2026-08-05', changedMs + 86_400_000)
    scene.world.nowMs = changedMs + 86_400_000
    const awaited = (difference: bigint) => [difference, [expect.stringContaining('split_at_broker')]]
    expect(await position(roundedWad)).toEqual(awaited(0n))
    expect((await position(roundedWad + partWad))[1]).toEqual([])
  })
})

describe('readings', () => {
  const next = async () => {
    await once()
    return (
      (await latestStockReading(scene.world.sql, CHAIN_ID))?.lines.filter(({ difference }) => difference !== 0n) ?? []
    )
  }

  it('count how long a difference has been there: one of three in a row lasts, one that goes begins anew', async () => {
    scene.contracts.supplyWad.set(AAPL, 6n * WAD)
    const seen = [await next(), await next(), await next()]
    expect(seen.map((one) => one.map((line) => [line.readingsInARow, isLasting(line)]))).toEqual([
      [[1, false]],
      [[2, false]],
      [[3, true]],
    ])
    expect(new Set(seen.flat().map(({ since }) => since?.getTime())).size).toBe(1)
    scene.contracts.supplyWad.set(AAPL, 5n * WAD - 1n)
    expect((await next()).map(({ readingsInARow }) => readingsInARow)).toEqual([1])
    scene.contracts.supplyWad.set(AAPL, 5n * WAD)
    expect(await next()).toEqual([])
  })

  it('of a block that was reorganised away meanwhile are thrown away', async () => {
    scene.contracts.isReorganised = true
    await once()
    expect(await latestStockReading(scene.world.sql, CHAIN_ID)).toBeNull()
  })

  it('are due every ten seconds', async () => {
    const comparisons = stockComparisons(scene.world.market)
    const one = cycleMemory(() => scene.world.nowMs)
    const count = async () => (await scene.world.sql`select 1 from reconciliation_readings`).length
    for (const [waitMs, expected] of [
      [0, 1],
      [9_999, 1],
      [1, 2],
    ] as const) {
      scene.world.nowMs += waitMs
      await reconcile(scene.venue, comparisons, one)
      expect(await count()).toBe(expected)
    }
  })

  it('wait until the indexer has come to the block of the deployment', async () => {
    scene.contracts.isDeployed = false
    expect(await takeReading(scene.venue, scene.world.market, FIRST_WINDOW)).toBeNull()
    scene.contracts.isDeployed = true
    expect(await takeReading(scene.venue, scene.world.market, FIRST_WINDOW)).not.toBeNull()
  })

  it('ask a node of no block before the first that is indexed: one that has loaded its state does not serve it', async () => {
    await scene.world.sql`update chain_checkpoints set base_number = block_number`
    const rpc = { ...scene.venue.rpc, call: () => Promise.reject(new Error('block height is 3 but requested was 0')) }
    expect(await takeReading({ ...scene.venue, rpc }, scene.world.market, FIRST_WINDOW)).toBeNull()
  })

  it('look at other users each time, and begin anew after the last', async () => {
    await moreUsers(24)
    const first = await takeReading(scene.venue, scene.world.market, FIRST_WINDOW)
    const seen = first?.database.userCash.map(({ user }) => user) ?? []
    expect([seen.length, first?.isRoundOver]).toEqual([25, false])
    expect(first?.next).toEqual({ users: { after: seen[24], again: [] }, afterOrder: scene.restingId })
    const second = await takeReading(scene.venue, scene.world.market, first?.next ?? FIRST_WINDOW)
    expect(second?.database.userCash.map(({ user }) => user)).toHaveLength(1)
    expect([second?.next.users, second?.isRoundOver]).toEqual([FIRST_WINDOW.users, true])
  })

  it('look again at whom they found wrong, beside the next ones, until it agrees', async () => {
    await moreUsers(60)
    const task = reconcileTask(
      stockComparisons(scene.world.market),
      cycleMemory(() => scene.world.nowMs),
    )
    const usersNow = async () => {
      await task.run(scene.venue)
      scene.world.nowMs += 60_000
      const { lines = [] } = (await latestStockReading(scene.world.sql, CHAIN_ID)) ?? {}
      const line = lines.find(({ section, subject }) => section === 'users' && subject === 'cash')
      return [line?.database, line?.difference, line?.readingsInARow]
    }
    const wrong = userOf(1)
    const right = scene.contracts.balanceWad.get(wrong) ?? 0n
    scene.contracts.balanceWad.set(wrong, right - 1n)
    expect(await usersNow()).toEqual([25n, 1n, 1])
    expect(await usersNow()).toEqual([26n, 1n, 2])
    expect(await usersNow()).toEqual([13n, 1n, 3])
    scene.contracts.balanceWad.set(wrong, right)
    expect(await usersNow()).toEqual([25n, 0n, 0])
    expect(await usersNow()).toEqual([25n, 0n, 0])
  })

  it('look again at an open order that the exchange has otherwise', async () => {
    await moreUsers(30)
    scene.contracts.orders.set(scene.restingId, { lockedWad: 0n, status: 2 })
    const first = await takeReading(scene.venue, scene.world.market, FIRST_WINDOW)
    expect(first?.next.users.again).toEqual([ALICE])
  })
})

const userOf = (number: number): Hex => `0x${number.toString(16).padStart(40, '0')}`

/** So many more users, of whom each has deposited 1. */
async function moreUsers(count: number): Promise<void> {
  const users = Array.from({ length: count }, (_, nth) => userOf(nth + 1))
  await scene.world.chain.emit(...users.map((user) => deposited(randomHash(), 1n, user)))
  for (const user of users) scene.contracts.balanceWad.set(user, WAD)
  scene.contracts.owedWad += BigInt(count) * WAD
  scene.contracts.cashierHoldsRaw += BigInt(count) * 10n ** 6n
  scene.contracts.cashOperations += BigInt(count)
}
