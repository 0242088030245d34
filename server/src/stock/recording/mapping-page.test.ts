import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { inTransaction } from '../../db/pool.ts'
import type { Caller } from '../../http/caller.ts'
import { createRandom } from '../../lib/testing-random.ts'
import { WAD } from '../../lib/wad.ts'
import {
  BOB,
  depositAndBuy,
  depositAndSell,
  deposited,
  type EventCall,
  placed,
  randomHash,
  stockDeposited,
} from '../testing/chain.ts'
import { alice, BUY, ClaimsWorld, scopeOf, unbound } from '../testing/claims.ts'
import type { OperationType } from './claim-types.ts'
import { listMappings, type MappingRow, mappingColumns } from './mapping-store.ts'

let world: ClaimsWorld
beforeEach(async () => {
  world = await ClaimsWorld.open()
})
afterEach(() => world.drop())

const order = (user = alice.userAddress ?? BOB): EventCall => placed({ orderId: randomHash(), user, amount: WAD })
const buyInStep = (): EventCall[] => depositAndBuy(randomHash(), randomHash())
const sellInStep = (): EventCall[] => depositAndSell(randomHash())
const cash = (): EventCall => deposited(randomHash(), 1n)

/** Transactions of every make: one operation, several of a kind, several kinds, a stranger's among them, none at all. */
const MAKES: readonly (() => readonly EventCall[])[] = [
  () => [order()],
  () => [order()],
  () => [order(), order(BOB), order()],
  () => [order(BOB), order()],
  buyInStep,
  sellInStep,
  () => [...buyInStep(), ...buyInStep(), cash()],
  () => [...sellInStep(), stockDeposited(WAD), stockDeposited(2n * WAD)],
  () => [cash()],
  () => [cash(), cash()],
  () => [stockDeposited(WAD)],
  () => [],
]
const KINDS: readonly OperationType[] = ['trade', 'deposit', 'stock_deposit']
const IN_STEP = { trade: null, deposit: 'trade_deposit', stock_deposit: 'trade_stock_deposit' } as const

/** Records transactions, some of them before anything is known of them. */
async function recordMany(caller: Caller, transactions: number, seed: number): Promise<void> {
  const random = createRandom(seed)
  for (let i = 0; i < transactions; i++) {
    const hash = randomHash()
    const kind = random.pick(KINDS)
    const isUnseen = random.below(3) === 0
    if (isUnseen) await world.record(caller, hash, kind)
    if (random.below(8) > 0) await world.index(hash, random.pick(MAKES)())
    if (!isUnseen) for (const one of KINDS) await world.record(caller, hash, one)
  }
}

/** Spreads the claims over some days, many of them at the same instant, and those at the turn of a day too. */
async function spreadClaims(): Promise<void> {
  await inTransaction(world.sql, async (sql) => {
    await sql`create temp table moved as select * from stock_claims`
    await sql`delete from stock_claims`
    await sql`update moved set created_at = timestamptz '2026-03-01 00:00+00'
    + (hashtext(claim_id::text) & 3) * interval '1 day' - (hashtext(claim_id::text) >> 2 & 1) * interval '1 microsecond'`
    await sql`insert into stock_claims select * from moved`
    await sql`drop table moved`
  })
}

/** The whole list, by the view alone. */
async function wholeList(caller: Caller, kind: OperationType): Promise<MappingRow[]> {
  const { sql } = world
  const { chainId, apiKeyId } = scopeOf(caller, kind)
  return await sql<MappingRow[]>`
    select ${mappingColumns(sql)} from stock_mappings
    where chain_id = ${chainId} and api_key_id = ${apiKeyId}
      and (operation_type = ${kind} or operation_type = ${IN_STEP[kind as keyof typeof IN_STEP]} and operation_id is not null)
    order by created_at desc, claim_id, index_in_tx`
}

async function expectEveryPage(caller: Caller): Promise<number> {
  let rows = 0
  for (const kind of KINDS) {
    const whole = await wholeList(caller, kind)
    rows += whole.length
    for (const limit of [1, 4, 100]) {
      for (let offset = 0; offset <= whole.length + 1; offset += limit === 1 ? 1 : 3) {
        const page = await listMappings(world.sql, scopeOf(caller, kind), { limit, offset })
        expect({ kind, limit, offset, ...page }).toEqual({
          kind,
          limit,
          offset,
          total: whole.length,
          rows: whole.slice(offset, offset + limit),
        })
      }
    }
  }
  return rows
}

describe('every page of a list', () => {
  it.each([1, 2, 3])('is the part of the whole list that it names, for a bound key (seed %i)', async (seed) => {
    await recordMany(alice, 40, seed)
    await spreadClaims()
    expect(await expectEveryPage(alice)).toBeGreaterThan(40)
  })

  it('is so for a key that is bound to no wallet, and built what it recorded', async () => {
    await world.build(unbound, BUY)
    await recordMany(unbound, 25, 4)
    await spreadClaims()
    expect(await expectEveryPage(unbound)).toBeGreaterThan(15)
  })
})

describe('the count of claims by day', () => {
  const counted = () => world.sql`
    select api_key_id, operation_type, day::text, claims from stock_claim_counts where claims <> 0 order by 1, 2, 3`
  const claims = () => world.sql`
    select api_key_id, operation_type, (created_at at time zone 'UTC')::date::text as day, count(*) as claims
    from stock_claims group by 1, 2, 3 order by 1, 2, 3`

  it('is that of the claims, whoever records at the same moment, and after claims are gone', async () => {
    const hashes = Array.from({ length: 20 }, () => randomHash())
    const keys = [alice, { ...alice, keyId: 'another' }]
    await Promise.all(hashes.map((hash, nth) => world.record(keys[nth % 2] as Caller, hash)))
    await spreadClaims()
    await Promise.all(hashes.map((hash, nth) => world.record(keys[nth % 2] as Caller, hash)))
    expect((await counted()).length).toBeGreaterThan(4)
    expect(await counted()).toEqual(await claims())
    await world.sql`delete from stock_claims where tx_hash = any(${hashes.slice(0, 9)})`
    expect(await counted()).toEqual(await claims())
  })

  it('cannot be made wrong by a change of what is counted', async () => {
    await world.record(alice, randomHash())
    await expect(world.sql`update stock_claims set created_at = created_at - interval '3 days'`).rejects.toThrow(
      /cannot be changed/,
    )
  })
})
